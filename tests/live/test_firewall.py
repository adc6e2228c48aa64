"""The firewall of the documents, with packets from both sides: what passes, and what changes do to sessions."""

import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.live import hosts
from tests.live.hosts import Hosts
from tests.real_vpp import RealVpp, router_vpp
from vppcfg.errors import ExitCode

PAGE = (Path(__file__).parents[2] / "docs/firewall.md").read_text()
(FILE,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
SERVER, FRAGMENTS = (each for each in re.findall(r"`(\{ action.*?\})`", PAGE))
PORTS = ("eth0", "eth1", "eth2")
WORLD, HOST = ("203.0.113.9", "2001:db8:1::9"), ("192.0.2.20", "2001:db8:2::20")
ROUTER = ("203.0.113.1", "2001:db8:1::1")
OUT, IN, LINUX, PING, LARGE = "out", "in", "Linux to the world", "ping", "large answers"
edited = partial(hosts.edited, FILE.replace("    addresses:", "    mtu: 1500\n    lcp: PORT\n    addresses:"))
_SPARE = "  eth2: {}\n"
ROUTED = edited(("PORT", "wan"), ("PORT", "lan"), ("acls:\n  to-world", f"{_SPARE}acls:\n  to-world"))
edited = partial(hosts.edited, ROUTED)
_ACLS = "    acls: { output: to-world, input: from-world }\n"
_ICMP = "{ action: permit, protocol: icmp }"
_ANSWER = """
import socket, sys
server = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)
server.bind((sys.argv[1], 53))
while 1:
    size, client = server.recvfrom(9)
    server.sendto(bytes(int(size)), client)
"""
_ASK = """
import socket, sys
client = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(1)
for _ in range(3):
    client.sendto(sys.argv[2].encode(), (sys.argv[1], 53))
    try:
        print(len(client.recv(9999)))
        break
    except TimeoutError:
        pass
"""
_STREAM = """
import socket, sys, time
server = socket.create_server((sys.argv[1], 5000))
client, _ = server.accept()
while 1:
    client.send(b"x")
    time.sleep(0.05)
"""
_LISTEN = """
import socket, sys, time
client = socket.create_connection((sys.argv[1], 5000), 2)
client.settimeout(3)
print("begun", flush=True)
end, last = time.monotonic() + 6, time.monotonic()
try:
    while time.monotonic() < end and client.recv(1):
        last = time.monotonic()
except TimeoutError:
    pass
print("runs" if last > end - 1 else "stalls")
"""


class Wall(Hosts):
    """A router with a host inside and the world outside."""

    def begin(self) -> None:
        for at, device, addresses, gateways in (
            ("world", "veth0-peer", WORLD, ROUTER),
            ("host", "veth1-peer", HOST, ("192.0.2.1", "2001:db8:2::1")),
        ):
            self.vpp.ip("-n", at, "link", "set", device, "mtu", "1500")
            for address, length in zip(addresses, (24, 64), strict=True):
                self.vpp.ip("-n", at, "addr", "add", f"{address}/{length}", "dev", device, "nodad")
            for gateway in gateways:
                self.vpp.ip("-n", at, "route", "add", "default", "via", gateway)
            for address in addresses:
                self.serve(address, 443, at)
        for address in WORLD:
            self.start(sys.executable, "-Ic", _ANSWER, address, at="world")

    def forget_neighbors(self) -> None:
        """Have all find their neighbours anew."""
        for at in ("", "world", "host"):
            self.run("ip", "-6", "neigh", "flush", "all", at=at)
        for state in ("down", "up"):
            self.vpp.cli(f"set interface state eth0 {state}")

    def trials(self) -> dict[str, Callable[[], bool]]:
        return {
            f"{what}, IPv{4 + 2 * version}": partial(trial, version)
            for version in (0, 1)
            for what, trial in {
                OUT: lambda v: bool(self.seen_as(WORLD[v], 443, "host")),
                IN: lambda v: bool(self.seen_as(HOST[v], 443, "world")),
                LINUX: lambda v: bool(self.seen_as(WORLD[v], 443)),
                PING: lambda v: self.run("ping", "-c1", "-W1", ROUTER[v], at="world").returncode == 0,
                LARGE: lambda v: self.answered(WORLD[v], 3000),
            }.items()
        }

    def answered(self, address: str, size: int) -> bool:
        return self.run(sys.executable, "-Ic", _ASK, address, str(size), at="host").stdout.strip() == str(size)

    def stream_during(self, act: Callable[[], object]) -> str:
        """Return whether what the world alone sends by a connection of the host outlives what is done meanwhile."""
        self.start(sys.executable, "-Ic", _STREAM, WORLD[0], at="world")
        time.sleep(0.5)
        found: list[str] = []
        command = (sys.executable, "-Ic", _LISTEN, WORLD[0])
        thread = threading.Thread(target=lambda: found.append(self.run(*command, at="host").stdout.split()[-1]))
        thread.start()
        time.sleep(1)
        act()
        thread.join()
        server = self._started.pop()
        server.kill()
        server.wait()
        return found[0]


def both(*what: str) -> frozenset[str]:
    return frozenset(f"{each}, IPv{version}" for each in what for version in (4, 6))


@pytest.fixture(name="wall", scope="module")
def running_wall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wall]:
    vpp: RealVpp = router_vpp()
    vpp.start(PORTS)
    wall = Wall(vpp, tmp_path_factory.mktemp("wall"), ("world", "host"))
    try:
        assert wall.apply(ROUTED) == ExitCode.DONE
        wall.begin()
        yield wall
    finally:
        wall.close()
        vpp.stop()


CASES: dict[str, tuple[str, frozenset[str]]] = {
    "the page's": (ROUTED, both(OUT, LINUX, PING)),
    "fragments": (edited((_ICMP, f"{_ICMP}, {FRAGMENTS}")), both(OUT, LINUX, PING, LARGE)),
    "a server": (edited((_ICMP, f"{_ICMP}, {SERVER}")), both(OUT, LINUX, PING) | {f"{IN}, IPv4"}),
    "inside": (
        edited((_ACLS, ""), ("    lcp: lan\n", "    lcp: lan\n    acls: { input: to-world, output: from-world }\n")),
        both(OUT, LINUX, PING),
    ),
    "no list for answers": (edited((_ACLS, "    acls: { output: to-world }\n")), both(OUT, IN, LINUX, PING, LARGE)),
    "reflection at the wrong side": (
        edited((_ACLS, "    acls: { input: to-world }\n")),
        both(OUT, IN, LINUX, PING, LARGE),
    ),
    "no neighbours come in": (
        edited((_ICMP, "{ action: permit, family: ipv4 }")),
        frozenset(f"{each}, IPv4" for each in (OUT, IN, LINUX, PING, LARGE)),
    ),
    "no neighbours go out": (
        edited(
            (_ACLS, "    acls: { output: to-world }\n"),
            ("permit+reflect }", "permit, protocol: tcp }, { action: permit, family: ipv4 }"),
        ),
        frozenset(f"{each}, IPv4" for each in (OUT, IN, LINUX, PING, LARGE)),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_passes_the_lists(wall: Wall, case: str) -> None:
    text, works = CASES[case]
    assert wall.apply(text) == ExitCode.DONE
    wall.forget_neighbors()
    assert sorted(wall.settled(wall.works, works)) == sorted(works)


def test_answers_by_another_uplink_are_dropped_unless_the_lists_are_inside(wall: Wall) -> None:
    uplink = "  eth2:\n    mtu: 1500\n    addresses: [ 198.51.100.1/24 ]\n"
    outside = edited((_SPARE, uplink + _ACLS))
    inside = CASES["inside"][0].replace(_SPARE, uplink)
    wall.vpp.ip("link", "set", "veth2-peer", "netns", "world")
    wall.vpp.ip("-n", "world", "link", "set", "veth2-peer", "up")
    wall.run("ethtool", "-K", "veth2-peer", "tx", "off", at="world")
    wall.vpp.ip("-n", "world", "addr", "add", "198.51.100.9/24", "dev", "veth2-peer")
    for device in ("all", "veth0-peer", "veth2-peer"):
        own = (f"net.ipv4.conf.{device}.rp_filter=0", f"net.ipv4.conf.{device}.arp_announce=2")
        wall.run("sysctl", "-qw", *own, at="world")
    assert wall.apply(outside) == ExitCode.DONE
    assert wall.settled(lambda: bool(wall.seen_as(WORLD[0], 443, "host")), wanted=True)
    wall.vpp.ip("-n", "world", "route", "add", "192.0.2.0/24", "via", "198.51.100.1")
    try:
        assert not wall.seen_as(WORLD[0], 443, "host")
        assert wall.apply(inside) == ExitCode.DONE
        assert wall.settled(lambda: bool(wall.seen_as(WORLD[0], 443, "host")), wanted=True)
        assert not wall.seen_as(HOST[0], 443, "world")
    finally:
        wall.vpp.ip("-n", "world", "route", "del", "192.0.2.0/24", "via", "198.51.100.1")


def test_sessions_outlive_other_rules_and_end_with_other_lists(wall: Wall, capsys: pytest.CaptureFixture[str]) -> None:
    assert wall.apply(ROUTED) == ExitCode.DONE
    assert wall.settled(lambda: bool(wall.seen_as(WORLD[0], 443, "host")), wanted=True)
    denying = edited(
        (_ICMP, "{ action: deny, family: ipv4 }"),
        ("{ action: permit+reflect }", "{ action: deny, protocol: tcp }, { action: permit+reflect }"),
    )
    assert wall.stream_during(lambda: wall.apply(denying)) == "runs"
    assert "outlive the new rules of from-world and to-world" in capsys.readouterr().out
    assert not wall.seen_as(WORLD[0], 443, "host")
    assert wall.apply(ROUTED) == ExitCode.DONE
    assert wall.stream_during(lambda: wall.vpp.cli("clear acl-plugin sessions")) == "stalls"
    more = edited(("input: from-world", "input: [ from-world, more ]")) + "  more: { terms: [ { action: deny } ] }\n"
    assert wall.stream_during(lambda: wall.apply(more)) == "stalls"
    assert "VPP forgets sessions of permit+reflect" in capsys.readouterr().out
    assert wall.seen_as(WORLD[0], 443, "host")
