"""The home router of the documents, with packets from end to end, through the changes that people make, and back."""

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from tests.live.whole_state import unlike, whole_state
from tests.real_vpp import RealVpp
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PAGE = (Path(__file__).parents[2] / "docs/home-router.md").read_text()
FILE: str = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0]
DNSMASQ, UPLINK = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[:2]
WAN, LAN = PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")
SETTLE_S = 10.0
T = TypeVar("T")
CONSENT = ("--allow-mass-deletion", "--override-protected")
NAME, ADDRESS = "www.example.org", "9.9.9.9"
"""A name that the world's server of names knows, and where both are: the server that the page names."""
LEASE = """#!/bin/sh
[ "$1" = bound ] || exit 0
ip addr flush dev $interface; ip addr add $ip/$mask dev $interface; ip route replace default via $router
echo "$dns" > {folder}/dns
"""
RESOLVE = """
import socket, sys
query = b"\\1\\2\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" + b"".join(bytes([len(x)]) + x.encode() for x in sys.argv[2].split("."))
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(2)
client.sendto(query + b"\\0\\0\\1\\0\\1", (sys.argv[1], 53))
print(socket.inet_ntoa(client.recv(512)[-4:]))
"""
CONNECT = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 2)"
SERVE = "import socket, sys; s = socket.create_server((sys.argv[1], int(sys.argv[2])), backlog=99)\nwhile 1: s.accept()"

NAMES, HOST_OUT, LINUX_OUT, FORWARD = "names", "hosts reach the world", "Linux reaches the world", "a forwarded port"
ALL = frozenset({NAMES, HOST_OUT, LINUX_OUT, FORWARD})


def edited(*pairs: tuple[str, str]) -> str:
    text = FILE
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


_WEB = next(line for line in FILE.splitlines() if line.strip().startswith("web:"))
_TELNET = "{ action: deny, family: ipv4, protocol: tcp, destination-port: 23 }"
_TERMS = f"acls: {{ strict: {{ terms: [ {_TELNET}, {{ action: permit }} ] }} }}\n"
_VPN = next(f"{line}\n" for line in FILE.splitlines() if line.strip().startswith("vpn:"))
_VRRP = "    vrrp: { 7: { addresses: [ 192.168.1.254 ], priority: 200 } }\n"
CHANGES: dict[str, tuple[str, frozenset[str]]] = {
    "another forward": (edited((_WEB, _WEB + "\n" + _WEB.replace("web", "more").replace("443", "993"))), ALL),
    "no forward": (edited((_WEB + "\n", ""), ("  static:\n", "")), ALL - {FORWARD}),
    "a forward to another host": (edited(("192.168.1.20", "192.168.1.21")), ALL - {FORWARD}),
    "another port outside": (edited(("0:443", "0:8443")), ALL - {FORWARD}),
    "no exemption": (
        edited(("  exempt:\n", ""), ('    vpn: { protocol: udp, local: "GigabitEthernet1/0/0:51820" }\n', "")),
        ALL,
    ),
    "shorter timeouts": (edited(("nat44:\n", "nat44:\n  timeouts: { udp: 60 }\n")), ALL),
    "another description": (edited(("description: home", "description: the house")), ALL),
    "a smaller MTU": (edited(("    lcp: home\n", "    lcp: home\n    mtu: 1400\n")), ALL),
    "MSS clamping": (edited(("    lcp: wan\n", "    lcp: wan\n    mss-clamp: { ipv4: 1400 }\n")), ALL),
    "an access list": (edited(("    lcp: wan\n", "    lcp: wan\n    acls: { input: [ strict ] }\n")) + _TERMS, ALL),
    "IPv6 at home": (edited(("192.168.1.1/24 ]", "192.168.1.1/24, '2001:db8::1/64' ]\n    ra: {}")), ALL),
    "one more address": (edited(("192.168.1.1/24 ]", "192.168.1.1/24, 10.9.9.1/24 ]")), ALL),
    "the second address of the network": (edited(("192.168.1.1/24", "192.168.1.2/24")), ALL - {NAMES}),
    "a guest network": (
        edited(("    lcp: home\n", "    lcp: home\n    sub-interfaces: { 20: { addresses: [ 192.168.20.1/24 ] } }\n")),
        ALL,
    ),
    "a virtual router": (edited(("    lcp: home\n", f"    lcp: home\n{_VRRP}")), ALL),
    "flow records": (
        edited(("    lcp: wan\n", "    lcp: wan\n    ipfix: ip4\n"))
        + "ipfix: { collector: 192.168.1.9, source: 192.168.1.1, records: [ l3 ] }\n",
        ALL,
    ),
    "a static route": (FILE + "routes: { 10.20.0.0/16: 192.168.1.20 }\n", ALL),
    "home without Linux": (edited(("    lcp: home\n", "")), ALL - {NAMES}),
    "no way for Linux": (
        edited(("  tap0: { host: { name: uplink } }\n", ""), ("taps:\n", "")).replace(
            "  tap0:\n    description: to Linux on this machine\n    addresses: [ 192.168.2.1/30 ]\n", ""
        ),
        ALL - {NAMES, LINUX_OUT},
    ),
    "no NAT": (FILE[: FILE.index("nat44:\n")].replace("    nat44: output\n", "") + "nat44: {}\n", frozenset()),
    "no lease": (edited(("    dhcp-client: true\n", "")), frozenset()),
    "the uplink down": (edited(("    lcp: wan\n", "    lcp: wan\n    state: down\n")), frozenset()),
}


class Home:
    """A router, a host at home and the world, each in a network namespace."""

    def __init__(self, vpp: RealVpp, folder: Path) -> None:
        self.vpp = vpp
        self.folder = folder
        self._started: list[subprocess.Popen[bytes]] = []
        for number, name in enumerate(("world", "host")):
            device = f"veth{number}-peer"
            vpp.add_netns(name)
            vpp.ip("link", "set", device, "netns", name)
            for each in ("lo", device):
                vpp.ip("-n", name, "link", "set", each, "up")
            self.run("ethtool", "-K", device, "tx", "off", at=name)
        for name in ("all", "default"):
            self.run("sysctl", "-qw", f"net.ipv4.conf.{name}.arp_ignore=1", f"net.ipv4.conf.{name}.arp_announce=2")
        vpp.ip("-n", "world", "addr", "add", "203.0.113.1/24", "dev", "veth0-peer")
        vpp.ip("-n", "world", "addr", "add", f"{ADDRESS}/32", "dev", "lo")

    def run(self, *words: str, at: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(self._command(words, at), capture_output=True, text=True, timeout=30, check=False)

    def start(self, *words: str, at: str = "") -> None:
        with (self.folder / f"log{len(self._started)}").open("wb") as log:
            self._started.append(subprocess.Popen(self._command(words, at), stdout=log, stderr=log))

    def _command(self, words: tuple[str, ...], at: str) -> list[str]:
        inside = ["nsenter", "--target", str(self.vpp.pid), "--net", "--mount"]
        return [*inside, *(("ip", "netns", "exec", at) if at else ()), *words]

    def close(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()

    def serve(self) -> None:
        """Start what the page has Linux do, what the world does, and a server at home; give the host a lease."""
        world = f"interface=veth0-peer\nno-ping\nno-resolv\nno-hosts\naddress=/{NAME}/{ADDRESS}\nbind-dynamic\n"
        self.dnsmasq("world", f"{world}dhcp-range=203.0.113.100,203.0.113.110\n", at="world")
        self.start("python3", "-c", SERVE, ADDRESS, "80", at="world")
        self.dnsmasq("router", f"{DNSMASQ}no-ping\n")
        assert settled(lambda: bool(self.lease), True)
        script = self.folder / "lease"
        script.write_text(LEASE.format(folder=self.folder))
        script.chmod(0o755)
        self.run("udhcpc", "-f", "-q", "-n", "-i", "veth1-peer", "-s", str(script), at="host")
        assert (self.folder / "dns").read_text().split() == ["192.168.1.1"]
        self.vpp.ip("-n", "host", "addr", "add", "192.168.1.20/24", "dev", "veth1-peer")
        self.start("python3", "-c", SERVE, "192.168.1.20", "443", at="host")

    def dnsmasq(self, name: str, text: str, at: str = "") -> None:
        (file := self.folder / f"{name}.conf").write_text(text)
        own = (f"--conf-file={file}", f"--dhcp-leasefile={file}.leases", f"--pid-file={file}.pid")
        self.start("dnsmasq", "--keep-in-foreground", "--user=root", "--log-facility=-", *own, at=at)

    def set_uplink(self) -> None:
        """Do as systemd-networkd does with the page's file, whenever the device comes."""
        keys = dict(line.split("=") for line in UPLINK.splitlines() if "=" in line)
        for words in (f"addr replace {keys['Address']} dev", "link set up dev"):
            self.run("ip", *words.split(), keys["Name"])
        self.run("ip", "route", "replace", "default", "via", keys["Gateway"])

    def apply(self, text: str) -> int:
        (file := self.folder / "router.yaml").write_text(text)
        return self.vppcfg("apply", "-y", "-c", str(file), *CONSENT, "--lose-unmanaged", "--again")

    def vppcfg(self, command: str, *words: str) -> int:
        return main([command, "-a", str(self.vpp.socket_path), *words])

    @property
    def lease(self) -> str:
        found = re.search(r"addr (203\.0\.113\.\d+)/", self.vpp.cli("show dhcp client")[1])
        return found[1] if found else ""

    def works(self) -> frozenset[str]:
        """Return what works."""

        def connects(address: str, port: int, at: str = "") -> bool:
            return self.run("python3", "-c", CONNECT, address, str(port), at=at).returncode == 0

        tried: dict[str, Callable[[], bool]] = {
            NAMES: lambda: self.run("python3", "-c", RESOLVE, "192.168.1.1", NAME, at="host").stdout.strip() == ADDRESS,
            HOST_OUT: lambda: connects(ADDRESS, 80, "host"),
            LINUX_OUT: lambda: connects(ADDRESS, 80),
            FORWARD: lambda: connects(self.lease or "203.0.113.9", 443, "world"),
        }
        return frozenset(name for name, does in tried.items() if does())


def settled(found: Callable[[], T], wanted: T) -> T:
    """Return what is found in the end."""
    deadline = time.monotonic() + SETTLE_S
    while (last := found()) != wanted and time.monotonic() < deadline:
        time.sleep(0.3)
    return last


@pytest.fixture(name="home", scope="module")
def running_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    missing = [each for each in ("dnsmasq", "udhcpc", "ethtool") if shutil.which(each) is None]
    if missing:
        pytest.skip(f"there is no program {missing[0]}")
    vpp = RealVpp(plugins=["linux_nl"], linux_cp="lcp-sync", passes_packets=True)
    vpp.start(PORTS)
    home = Home(vpp, tmp_path_factory.mktemp("home"))
    try:
        assert home.apply(FILE) == ExitCode.DONE
        home.set_uplink()
        home.serve()
        settled(home.works, ALL)
        yield home
    finally:
        home.close()
        vpp.stop()


def test_as_the_page_has_it_a_host_gets_a_lease_names_and_the_world(home: Home) -> None:
    assert home.works() == ALL
    file = home.folder / "router.yaml"
    assert home.vppcfg("verify", "--once") == ExitCode.DONE
    assert home.vppcfg("plan", "--detailed-exitcode", "-c", str(file)) == ExitCode.DONE


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_does_what_it_says_and_its_rollback_brings_all_of_it_back(home: Home, change: str) -> None:
    text, left = CHANGES[change]
    before = whole_state(home.vpp)
    assert home.apply(text) == ExitCode.DONE
    works = settled(home.works, left)
    assert home.vppcfg("rollback", "-y", *CONSENT) == ExitCode.DONE
    home.set_uplink()
    assert (works, settled(home.works, ALL)) == (left, ALL)
    assert unlike(whole_state(home.vpp), before) == []
