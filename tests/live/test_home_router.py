"""The home router of the documents, with packets from end to end, through the changes that people make, and back."""

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.live import hosts
from tests.live.hosts import Hosts
from tests.real_vpp import RealVpp, router_vpp
from vppcfg.errors import ExitCode

PAGE = (Path(__file__).parents[2] / "docs/home-router.md").read_text()
FILE: str = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0]
DNSMASQ, UPLINK = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)[:2]
WAN, LAN = PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")
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
NAMES, HOST_OUT, LINUX_OUT, FORWARD = "names", "hosts reach the world", "Linux reaches the world", "a forwarded port"
ALL = frozenset({NAMES, HOST_OUT, LINUX_OUT, FORWARD})


edited = partial(hosts.edited, FILE)
_WEB = next(line for line in FILE.splitlines() if line.strip().startswith("web:"))
_TELNET = "{ action: deny, family: ipv4, protocol: tcp, destination-port: 23 }"
_TERMS = f"acls: {{ strict: {{ terms: [ {_TELNET}, {{ action: permit }} ] }} }}\n"
_VPN = next(f"{line}\n" for line in FILE.splitlines() if line.strip().startswith("vpn:"))
_VRRP = "    vrrp: { 7: { addresses: [ 192.168.1.254 ], priority: 200 } }\n"
WALLED = edited(("    lcp: wan\n", "    lcp: wan\n    acls: { output: out, input: in }\n")) + (
    "acls:\n  out: { terms: [ { action: permit+reflect } ] }\n  in: { terms: [ { action: permit, protocol: icmp }, "
    "{ action: permit, protocol: tcp, destination-port: 443 } ] }\n"
)
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
    "a firewall": (WALLED, ALL),
    "a firewall with the inside address": (
        WALLED.replace("permit, protocol: tcp,", "permit, protocol: tcp, destination: 192.168.1.20,"),
        ALL - {FORWARD},
    ),
    "a lease through a firewall": (
        WALLED.replace("    dhcp-client: true\n", "    dhcp-client: { hostname: anew }\n"),
        ALL,
    ),
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


class Home(Hosts):
    """A router, a host at home and the world."""

    all_works = ALL

    def __init__(self, vpp: RealVpp, folder: Path) -> None:
        super().__init__(vpp, folder, ("world", "host"))
        vpp.ip("-n", "world", "addr", "add", "203.0.113.1/24", "dev", "veth0-peer")
        vpp.ip("-n", "world", "addr", "add", f"{ADDRESS}/32", "dev", "lo")

    def begin(self) -> None:
        """Start what the page has Linux do, what the world does, and a server at home; give the host a lease."""
        world = f"interface=veth0-peer\nno-ping\nno-resolv\nno-hosts\naddress=/{NAME}/{ADDRESS}\nbind-dynamic\n"
        self.dnsmasq("world", f"{world}dhcp-range=203.0.113.100,203.0.113.110\n", at="world")
        self.serve(ADDRESS, 80, "world")
        self.dnsmasq("router", f"{DNSMASQ}no-ping\n")
        assert self.settled(lambda: bool(self.lease), True)
        script = self.folder / "lease"
        script.write_text(LEASE.format(folder=self.folder))
        script.chmod(0o755)
        self.run("udhcpc", "-f", "-q", "-n", "-i", "veth1-peer", "-s", str(script), at="host")
        assert (self.folder / "dns").read_text().split() == ["192.168.1.1"]
        self.vpp.ip("-n", "host", "addr", "add", "192.168.1.20/24", "dev", "veth1-peer")
        self.serve("192.168.1.20", 443, "host")

    def dnsmasq(self, name: str, text: str, at: str = "") -> None:
        (file := self.folder / f"{name}.conf").write_text(text)
        own = (f"--conf-file={file}", f"--dhcp-leasefile={file}.leases", f"--pid-file={file}.pid")
        self.start("dnsmasq", "--keep-in-foreground", "--user=root", "--log-facility=-", *own, at=at)

    def after_return(self) -> None:
        """Do as systemd-networkd does with the page's file, whenever the device comes."""
        keys = dict(line.split("=") for line in UPLINK.splitlines() if "=" in line)
        for words in (f"addr replace {keys['Address']} dev", "link set up dev"):
            self.run("ip", *words.split(), keys["Name"])
        self.run("ip", "route", "replace", "default", "via", keys["Gateway"])

    @property
    def lease(self) -> str:
        found = re.search(r"addr (203\.0\.113\.\d+)/", self.vpp.cli("show dhcp client")[1])
        return found[1] if found else ""

    def trials(self) -> dict[str, Callable[[], bool]]:
        return {
            NAMES: lambda: (
                self.run(sys.executable, "-Ic", RESOLVE, "192.168.1.1", NAME, at="host").stdout.strip() == ADDRESS
            ),
            HOST_OUT: lambda: bool(self.seen_as(ADDRESS, 80, "host")),
            LINUX_OUT: lambda: bool(self.seen_as(ADDRESS, 80)),
            FORWARD: lambda: bool(self.seen_as(self.lease or "203.0.113.9", 443, "world")),
        }


@pytest.fixture(name="home", scope="module")
def running_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    missing = [each for each in ("dnsmasq", "udhcpc", "ethtool") if shutil.which(each) is None]
    if missing:
        pytest.skip(f"there is no program {missing[0]}")
    vpp = router_vpp()
    vpp.start(PORTS)
    home = Home(vpp, tmp_path_factory.mktemp("home"))
    try:
        assert home.apply(FILE) == ExitCode.DONE
        home.after_return()
        home.begin()
        home.settled(home.works, ALL)
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
    home.try_and_take_back(*CHANGES[change])
