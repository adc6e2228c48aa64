"""LCP pairs on a Linux that has 802.1Q: what Linux really has after each change, and a routing daemon above it.

`make test-kernel` runs this on Debian's own kernel, whatever kernel the machine has.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.real_vpp import HOST_DEVICES, RealVpp, knows_vlan_devices, skip_reason
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.record import record

REASON = skip_reason() or (None if knows_vlan_devices() else "this kernel has no 802.1Q")
pytestmark = [pytest.mark.live, pytest.mark.skipif(REASON is not None, reason=REASON or ""), pytest.mark.timeout(1200)]

ONE, TWO, THREE = PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0", "TenGigabitEthernet5/0/0")
NETNS = "dataplane"
TRANSITIONS = int(os.environ.get("TRANSITIONS", "40"))
FIRST_SEED = int(os.environ.get("TRANSITIONS_SEED", "20260101"))
SETTLE_S = 60.0
"""What takes longer than this does not happen."""
_NOT_OURS = {"lo", *HOST_DEVICES, *(f"veth{number}" for number in range(len(PORTS)))}
_IDLE = "unix { poll-sleep-usec 1000 }"
"""System calls take long on a kernel that is a program, so this VPP makes fewer while it has nothing to do."""
Content = dict[str, Any]

VLANS = f"""\
interfaces:
  {ONE}:
    mtu: 9000
    lcp: e1
    addresses: [ 192.0.2.1/24, 2001:db8:1::1/64 ]
    sub-interfaces:
      100: {{ lcp: e1.100, mtu: 1500, addresses: [ 198.51.100.1/24 ] }}
      110: {{ lcp: e1.100.10, mtu: 1400, encapsulation: {{ dot1q: 100, inner-dot1q: 10, exact-match: true }} }}
      300: {{ lcp: e1.300, encapsulation: {{ dot1ad: 300, exact-match: true }} }}
      310: {{ lcp: e1.300.10, encapsulation: {{ dot1ad: 300, inner-dot1q: 10, exact-match: true }} }}
  {TWO}: {{ mtu: 1500, lcp: e3, sub-interfaces: {{ 100: {{ lcp: e3.100 }} }} }}
  {THREE}: {{ mtu: 1500 }}
"""
BOND = f"""\
interfaces:
  {ONE}: {{ mtu: 9000 }}
  {TWO}: {{ mtu: 9000 }}
  BondEthernet0:
    mtu: 9000
    lcp: be0
    addresses: [ 192.0.2.1/24 ]
    sub-interfaces:
      100: {{ lcp: be0.100, mtu: 1500, addresses: [ 198.51.100.1/24 ] }}
      300: {{ lcp: be0.300, encapsulation: {{ dot1ad: 300, exact-match: true }} }}
      310: {{ lcp: be0.310, mtu: 2000, encapsulation: {{ dot1ad: 300, inner-dot1q: 10, exact-match: true }} }}
  {THREE}: {{ mtu: 1500, lcp: e5 }}
bondethernets:
  BondEthernet0: {{ mode: xor, load-balance: l34, interfaces: [ {ONE}, {TWO} ], mac: "02:00:00:00:be:00" }}
loopbacks:
  loop0: {{ mtu: 1500, lcp: loop0, addresses: [ 10.0.0.1/32 ], mac: "02:00:00:00:10:00" }}
"""
EMPTY = f"interfaces:\n  {ONE}: {{}}\n  {TWO}: {{}}\n  {THREE}: {{}}\n"


def down(text: str, name: str) -> str:
    """Return a file with an interface and all upon it down."""
    content = yaml.safe_load(text)
    interface = content["interfaces"][name]
    for each in (interface, *interface["sub-interfaces"].values()):
        each["state"] = "down"
    return str(yaml.safe_dump(content, sort_keys=False, default_flow_style=None))


STEPS = {
    "pairs on VLANs are made": VLANS,
    "all are renamed": VLANS.replace("lcp: e", "lcp: xe"),
    "names are swapped": VLANS.replace("lcp: e1", "lcp: tmp").replace("lcp: e3", "lcp: e1").replace("tmp", "e3"),
    "all move to another namespace": VLANS,
    "MTUs shrink": VLANS.replace("9000", "1300").replace("mtu: 1500", "mtu: 1290").replace("1400", "1280"),
    "MTUs grow": VLANS.replace("mtu: 1500", "mtu: 8000").replace("1400", "8000"),
    "the port goes down": down(VLANS, ONE),
    "a VLAN goes down": VLANS.replace("e1.300,", "e1.300, state: down,").replace(
        "e1.300.10,", "e1.300.10, state: down,"
    ),
    "all is up again": VLANS,
    "a VLAN of the same name gets another tag": VLANS.replace(
        "100: { lcp: e1.100, mtu: 1500,",
        "100: { lcp: e1.100, encapsulation: { dot1q: 101, exact-match: true }, mtu: 1500,",
    ).replace("dot1q: 100, inner", "dot1q: 101, inner"),
    "802.1Q becomes 802.1ad": VLANS.replace("dot1q: 100, inner", "dot1ad: 300, inner").replace(
        "inner-dot1q: 10, exact-match: true } }\n      300", "inner-dot1q: 20, exact-match: true } }\n      300"
    ),
    "the MAC of the port changes under all of them": VLANS.replace(
        "lcp: e1\n", 'lcp: e1\n    mac: "02:00:00:00:aa:01"\n'
    ),
    "a bond takes the ports": BOND,
    "the bond is recreated": BOND.replace("be:00", "be:01"),
    "the bond loses a member and a VLAN its tag": BOND.replace(f"[ {ONE}, {TWO} ]", f"[ {ONE} ]").replace(
        "100: { lcp: be0.100,", "100: { lcp: be0.100, encapsulation: { dot1q: 200, exact-match: true },"
    ),
    "a loopback takes the place and the name of another": BOND.replace("loop0: {", "loop1: {"),
    "the bond goes down": down(BOND, "BondEthernet0"),
    "the pairs of the bond go to VLANs of a port": VLANS.replace("lcp: e1", "lcp: be0"),
    "nothing is left": EMPTY,
}
IN_NETNS = frozenset({"all move to another namespace", "MTUs shrink", "the bond is recreated"})


@record
class Device:
    """What Linux has, or should have, of one pair."""

    mtu: int
    is_up: bool
    vlan: tuple[str, str, int] | None = None
    """The device below, protocol and VLAN of a VLAN device."""
    addresses: frozenset[str] | None = None
    """None where Linux is not told them."""


Devices = dict[tuple[str, str], Device]
_ADDRESSES = re.compile(r"(, |\n +)addresses: \[[^]]*\]")


class Router:
    """A VPP with linux-cp and linux-nl, and vppcfg on it."""

    def __init__(self, vpp: RealVpp, folder: Path, *, is_sync: bool) -> None:
        self.vpp = vpp
        self.file = folder / "router.yaml"
        self._socket = str(vpp.socket_path)
        self._state = str(folder / "state")
        self.is_sync = is_sync

    def run(self, command: str, *options: str, file: bool = True) -> int:
        return main([command, "-q", "-a", self._socket, *(["-c", str(self.file)] if file else []), *options])

    def apply(self, text: str) -> None:
        self.file.write_text(text)
        options = ("--yes", "--allow-mass-deletion", "--again", "--state-dir", self._state)
        assert self.run("apply", *options) == ExitCode.DONE
        assert self.run("plan", "--detailed-exitcode") == ExitCode.DONE

    def assert_as_the_file_says(self, code: int = ExitCode.DONE) -> None:
        """Hold what Linux has against the file, and VPP against Linux, for which `verify` ends with a code."""
        expected = wanted(yaml.safe_load(self.file.read_text()), is_sync=self.is_sync)
        wait_until(lambda: linux_devices(self.vpp, is_sync=self.is_sync) == expected)
        assert linux_devices(self.vpp, is_sync=self.is_sync) == expected
        assert self.verify() == code

    def verify(self) -> int:
        """Hold VPP against Linux and return the exit code."""
        return main(["verify", "--once", "-a", self._socket])


def wait_until(is_so: Callable[[], bool], limit_s: float = SETTLE_S) -> bool:
    """Wait for something and return whether it came."""
    deadline = time.monotonic() + limit_s
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def wanted(content: Content, *, is_sync: bool) -> Devices:
    """Return what a file wants of Linux, read as an operator does."""
    found: Devices = {}
    for section in ("interfaces", "loopbacks"):
        for interface in content.get(section, {}).values():
            found |= _of_interface(interface or {}, is_sync=is_sync)
    return found


def _of_interface(interface: Content, *, is_sync: bool) -> Devices:
    if "lcp" not in interface:
        return {}
    netns, name = _place(interface["lcp"])
    is_up = interface.get("state", "up") == "up"
    found = {(netns, name): Device(mtu=interface["mtu"], is_up=is_up, addresses=_addresses(interface, is_sync))}
    subs = {number: sub for number, sub in interface.get("sub-interfaces", {}).items() if "lcp" in sub}
    names = {}
    for number, sub in subs.items():
        match = sub.get("encapsulation", {"dot1q": number})
        if "inner-dot1q" not in match:
            names[_outer(match)] = _place(sub["lcp"])[1]
    for number, sub in subs.items():
        match = sub.get("encapsulation", {"dot1q": number})
        outer = _outer(match)
        vlan = (names[outer], "802.1Q", match["inner-dot1q"]) if "inner-dot1q" in match else (name, *outer)
        found[_place(sub["lcp"])] = Device(
            mtu=sub.get("mtu", interface["mtu"]),
            is_up=is_up and sub.get("state", "up") == "up",
            vlan=vlan,
            addresses=_addresses(sub, is_sync),
        )
    return found


def _place(lcp: str | Content) -> tuple[str, str]:
    return ("", lcp) if isinstance(lcp, str) else (lcp.get("netns", ""), lcp["name"])


def _outer(match: Content) -> tuple[str, int]:
    return ("802.1ad", match["dot1ad"]) if "dot1ad" in match else ("802.1Q", match["dot1q"])


def _addresses(interface: Content, is_sync: bool) -> frozenset[str] | None:
    return frozenset(interface.get("addresses", ())) if is_sync else None


def linux_devices(vpp: RealVpp, *, is_sync: bool) -> Devices:
    """Return every device that `ip` shows in the namespaces of a VPP and that the tests have not made."""
    found: Devices = {}
    for netns in ("", NETNS):
        where = ("-n", netns) if netns else ()
        for link in json.loads(vpp.ip(*where, "-j", "-d", "address")):
            info = link.get("linkinfo", {})
            if link["ifname"] in _NOT_OURS or link["ifname"].endswith("-peer") or info.get("info_kind") == "veth":
                continue
            data = info.get("info_data", {})
            assert info["info_kind"] in {"tun", "vlan"}
            found[netns, link["ifname"]] = Device(
                mtu=link["mtu"],
                is_up="UP" in link["flags"],
                vlan=(link["link"], data["protocol"], data["id"]) if info["info_kind"] == "vlan" else None,
                addresses=_shown(link) if is_sync else None,
            )
    return found


def _shown(link: Content) -> frozenset[str]:
    rows = [row for row in link["addr_info"] if row["scope"] != "link"]
    return frozenset(f"{row['local']}/{row['prefixlen']}" for row in rows)


def in_namespace(text: str) -> str:
    """Return a file with all pairs in another namespace."""
    content = yaml.safe_load(text)
    for section in ("interfaces", "loopbacks"):
        for interface in content.get(section, {}).values():
            for each in (interface, *interface.get("sub-interfaces", {}).values()):
                if "lcp" in each:
                    each["lcp"] = {"name": each["lcp"], "netns": NETNS}
    return str(yaml.safe_dump(content, sort_keys=False))


@contextmanager
def started(folder: Path, *, is_sync: bool) -> Iterator[Router]:
    vpp = RealVpp(plugins=["linux_nl"], linux_cp="lcp-sync" if is_sync else "", extra=_IDLE)
    vpp.start(PORTS)
    try:
        vpp.add_netns(NETNS)
        yield Router(vpp, folder, is_sync=is_sync)
    finally:
        vpp.stop()


@pytest.fixture(scope="module", params=[False, True], ids=["alone", "lcp-sync"])
def router(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    """A VPP that keeps what one test leaves for the next."""
    with started(tmp_path_factory.mktemp("router"), is_sync=request.param) as made:
        yield made


@pytest.mark.parametrize("step", STEPS)
def test_linux_has_what_the_file_says_after_each_step(router: Router, step: str) -> None:
    """Without lcp-sync nobody tells Linux the addresses of VPP, and `verify` would miss them there."""
    text = STEPS[step] if router.is_sync else _ADDRESSES.sub("", STEPS[step])
    router.apply(in_namespace(text) if step in IN_NETNS else text)
    router.assert_as_the_file_says()


def random_router(source: random.Random) -> str:
    """Return a file whose pairs have names, tags, namespaces, MTUs and states by chance."""
    names = [f"n{number}" for number in range(14)]
    source.shuffle(names)
    has_bond = source.random() < 0.5
    parents = ["BondEthernet0", THREE] if has_bond else [ONE, TWO, THREE]
    interfaces: Content = {name: {"mtu": 9000} for name in (ONE, TWO)} if has_bond else {}
    for parent in parents:
        interfaces[parent] = _random_interface(source, names, is_bond=parent == "BondEthernet0")
    content: Content = {"interfaces": interfaces}
    if has_bond:
        members = source.choice([[ONE], [ONE, TWO], [TWO]])
        content["bondethernets"] = {"BondEthernet0": {"interfaces": members, "mac": source.choice(_MACS)}}
    if source.random() < 0.5:
        lcp = _random_lcp(names, source.choice(["", NETNS]))
        content["loopbacks"] = {source.choice(["loop0", "loop1"]): {"mtu": 1500, "lcp": lcp, "mac": _MACS[0]}}
    return str(yaml.safe_dump(content, sort_keys=False))


_MACS = ["02:00:00:00:be:00", "02:00:00:00:be:01"]


def _random_interface(source: random.Random, names: list[str], *, is_bond: bool) -> Content:
    netns = source.choice(["", "", NETNS])
    mtu = 9000 if is_bond else source.choice([1400, 1500, 9000])
    interface: Content = {"mtu": mtu, "lcp": _random_lcp(names, netns), "state": source.choice(["up", "up", "down"])}
    subs: dict[int, Content] = {}
    for number in source.sample([100, 200, 300], source.randint(0, 2)):
        outer = {source.choice(["dot1q", "dot1ad"]): number + source.choice([0, 1])}
        subs[number] = _random_sub(source, names, netns, interface, {**outer, "exact-match": True})
        if source.random() < 0.5:
            inner = {**outer, "inner-dot1q": source.choice([10, 20]), "exact-match": True}
            subs[number + 10] = _random_sub(source, names, netns, subs[number], inner)
    return {**interface, "sub-interfaces": subs} if subs else interface


def _random_sub(source: random.Random, names: list[str], netns: str, below: Content, match: Content) -> Content:
    mtu = min(below["mtu"], source.choice([1300, 1500, 9000]))
    state = "down" if below["state"] == "down" else source.choice(["up", "up", "down"])
    return {"mtu": mtu, "state": state, "encapsulation": match, "lcp": _random_lcp(names, netns)}


def _random_lcp(names: list[str], netns: str) -> str | Content:
    name = names.pop()
    return {"name": name, "netns": netns} if netns else name


@pytest.mark.timeout(1800)
def test_linux_has_what_each_random_file_says(tmp_path: Path) -> None:
    with started(tmp_path, is_sync=False) as router:
        for number in range(TRANSITIONS):
            router.apply(random_router(random.Random(FIRST_SEED + number)))
            router.assert_as_the_file_says()


Routes = dict[str, str]
"""The gateway of each prefix."""
PEER = "peer"
"""The namespace of the router next door."""
OUR_END, THEIR_END = "10.255.0.1", "10.255.0.2"
ROUTES = {
    "10.1.0.0/16": "192.0.2.9",
    "10.2.0.0/16": "192.0.2.9",
    "10.3.0.0/16": "198.51.100.9",
    "2001:db8:a::/48": "2001:db8:1::9",
    "2001:db8:b::/48": "2001:db8:64::9",
}
"""What the router next door announces, and the gateway of each: one on the port, one on the VLAN, of either family."""
OVER_VLAN = {prefix: gateway for prefix, gateway in ROUTES.items() if gateway in {"198.51.100.9", "2001:db8:64::9"}}
OVER_PORT = dict(ROUTES.items() - OVER_VLAN.items())
_OF_THE_DAEMON = ("-j", "route", "show", "proto", "bird")
_BIRD = """\
log stderr all;
router id {own};
filter announced {{ if source != RTS_STATIC then reject; {gateways} accept; }}
protocol device {{ scan time 1; }}
protocol direct {{ ipv4; ipv6; }}
protocol kernel {{ scan time 5; ipv4 {{ export where source != RTS_DEVICE; }}; }}
protocol kernel {{ scan time 5; ipv6 {{ export where source != RTS_DEVICE; }}; }}
protocol static {{ ipv4; {routes} }}
protocol static {{ ipv6; {routes6} }}
protocol bgp {{
  local {own} as 65001; neighbor {other} as 65001; multihop; connect delay time 1; connect retry time 1;
  ipv4 {{ import all; export filter announced; }};
  ipv6 {{ import all; export filter announced; }};
}}
"""
ROUTED = f"""\
interfaces:
  {ONE}:
    mtu: 1500
    lcp: e1
    addresses: [ 192.0.2.1/24, 2001:db8:1::1/64 ]
    sub-interfaces:
      100: {{ lcp: e1.100, addresses: [ 198.51.100.1/24, 2001:db8:64::1/64 ] }}
  {TWO}: {{ mtu: 1500 }}
  {THREE}: {{ mtu: 1500 }}
"""


class Daemon:
    """A BIRD in a network namespace that a process of VPP sees."""

    def __init__(self, vpp: RealVpp, folder: Path, netns: str = "", prefixes: Sequence[str] = ()) -> None:
        """Start it: the one of this router in VPP's own namespace, the one next door in another."""
        self._words = {"own": THEIR_END, "other": OUR_END} if netns else {"own": OUR_END, "other": THEIR_END}
        self._file, control = folder / f"bird{netns}.conf", folder / f"bird{netns}.sock"
        self.announce(*prefixes)
        inside = ["ip", "netns", "exec", netns] if netns else []
        enter = ["nsenter", "--target", str(vpp.pid), "--net", "--mount", *inside]
        command = ["bird", "-f", "-c", str(self._file), "-s", str(control)]
        environment = {**os.environ, "LD_LIBRARY_PATH": os.environ.get("LIBRARIES", "")}
        told = self._file.with_suffix(".log")
        with told.open("wb") as log:
            self._process = subprocess.Popen(
                [*enter, *command], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        # Its socket is there before it knows the signal that has it read its file again, by which it would end.
        if not wait_until(lambda: "Started" in told.read_text()):
            self.stop()
            raise RuntimeError(f"BIRD did not start: {told.read_text()}")

    def announce(self, *prefixes: str) -> None:
        """Write what the daemon goes by."""
        routes = {prefix: f"route {prefix} blackhole;" for prefix in prefixes}
        gateways = [
            f"if net = {prefix} then bgp_next_hop = {ROUTES[prefix]};" for prefix in prefixes if prefix in ROUTES
        ]
        text = _BIRD.format(
            routes=" ".join(route for prefix, route in routes.items() if ":" not in prefix),
            routes6=" ".join(route for prefix, route in routes.items() if ":" in prefix),
            gateways=" ".join(gateways),
            **self._words,
        )
        self._file.write_text(text)

    def reload(self, *prefixes: str) -> None:
        """Have the daemon announce these prefixes and no others."""
        self.announce(*prefixes)
        self._process.send_signal(signal.SIGHUP)

    def stop(self) -> None:
        """End the daemon."""
        self._process.kill()
        self._process.wait()


@record
class Neighborhood:
    """A router whose daemon speaks BGP with the one next door, whose routes lead through an interface of VPP."""

    router: Router
    neighbor: Daemon

    def fib(self) -> Routes:
        """Return the gateways by which VPP forwards to each prefix, as linux-nl put them there."""
        shown = "\n".join(self.router.vpp.cli(f"show {family} fib")[1] for family in ("ip", "ip6"))
        found = {}
        for entry in re.split(r"\n(?=\S)", shown):
            hops = re.findall(r"\[\d+\] \[@\d+\]: (?:\S+ via (\S+)|(\S+))", entry)
            found[entry.split()[0]] = ", ".join(gateway or other for gateway, other in hops)
        return {prefix: found[prefix] for prefix in ROUTES if re.match("[0-9a-f]+[.:]", found.get(prefix, ""))}

    def kernel(self) -> Routes:
        """Return the gateways of those that Linux has from the daemon."""
        rows = [row for family in "46" for row in json.loads(self.router.vpp.ip(f"-{family}", *_OF_THE_DAEMON))]
        return {row["dst"]: row["gateway"] for row in rows if "gateway" in row}

    def assert_forwards(self, routes: Routes, in_vpp: Routes | None = None) -> None:
        """Wait until Linux has these routes, and VPP the same ones or those that it is said to have."""
        expected = (routes, routes if in_vpp is None else in_vpp)
        wait_until(lambda: (self.kernel(), self.fib()) == expected)
        assert (self.kernel(), self.fib()) == expected


def add_neighbor(vpp: RealVpp) -> None:
    """Make the router next door, and the wire that the daemons speak over, which VPP has no part in."""
    vpp.add_netns(PEER)
    vpp.ip("link", "add", "wire", "type", "veth", "peer", "name", "wire-peer", "netns", PEER)
    for where, name, address in (((), "wire", OUR_END), (("-n", PEER), "wire-peer", THEIR_END)):
        vpp.ip(*where, "address", "add", f"{address}/30", "dev", name)
        vpp.ip(*where, "link", "set", name, "up")


needs_bird = pytest.mark.skipif(
    shutil.which("bird") is None, reason="there is no routing daemon: bird is not installed"
)


@pytest.fixture(scope="module")
def talking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neighborhood]:
    """Two routers whose daemons speak with each other, ours with lcp-sync."""
    folder = tmp_path_factory.mktemp("talking")
    with started(folder, is_sync=True) as router:
        add_neighbor(router.vpp)
        router.apply(ROUTED)
        daemons = [Daemon(router.vpp, folder), Daemon(router.vpp, folder, PEER, list(ROUTES))]
        try:
            yield Neighborhood(router=router, neighbor=daemons[1])
        finally:
            for daemon in daemons:
                daemon.stop()


@needs_bird
def test_routes_of_a_daemon_reach_vpp_and_go_away(talking: Neighborhood) -> None:
    for routes in (ROUTES, OVER_VLAN, ROUTES):
        talking.neighbor.reload(*routes)
        talking.assert_forwards(routes)
        assert talking.router.verify() == ExitCode.DONE


CARRYING = ROUTED.replace(
    "sub-interfaces:",
    "sub-interfaces:\n      110: { lcp: e1.100.10, encapsulation: { dot1q: 100, inner-dot1q: 10, exact-match: true } }",
)
SILENT = {"10.1.0.0/16": "192.0.2.9, ip4-null", "10.2.0.0/16": "192.0.2.9, ip4-null"}
"""What VPP does of the routes that left Linux with the address: half of the packets still go there."""
CHANGES: dict[str, tuple[str, Routes]] = {
    "the MTU shrinks": (ROUTED.replace("mtu: 1500\n    lcp", "mtu: 1400\n    lcp"), ROUTES),
    "the MTU grows": (ROUTED.replace("mtu: 1500\n    lcp", "mtu: 9000\n    lcp"), ROUTES),
    "another address comes beside": (ROUTED.replace("192.0.2.1/24", "192.0.2.1/24, 203.0.113.1/24"), ROUTES),
    "it goes again": (ROUTED, ROUTES),
    "an address is replaced": (ROUTED.replace("192.0.2.1/24", "192.0.2.2/25"), ROUTES),
    "all is as before": (ROUTED, ROUTES),
    "the port goes down": (down(ROUTED, ONE), {}),
    "the port is up again": (ROUTED, ROUTES),
    "the VLAN goes down": (ROUTED.replace("e1.100,", "e1.100, state: down,"), OVER_PORT),
    "the VLAN is up again": (ROUTED, ROUTES),
    "the VLAN is removed": (re.sub(" +sub-interfaces:\n.*\n", "", ROUTED), OVER_PORT),
    "the VLAN is there again": (ROUTED, ROUTES),
    "an inner VLAN is put upon the VLAN": (CARRYING, ROUTES),
    "the VLAN goes and the inner one stays": (
        re.sub(" +100: .*\n", "", CARRYING).replace("lcp: e1.100.10, ", ""),
        OVER_PORT,
    ),
    "the pairs are recreated": (ROUTED.replace("lcp: e1", "lcp: x1"), ROUTES),
    "and once more": (ROUTED, ROUTES),
}
HEARS_NOTHING = frozenset({"the port goes down", "the VLAN goes down"})
"""Linux drops IPv4 routes with a device and tells nobody: VPP keeps paths that lead nowhere, and `verify` says so."""


@needs_bird
@pytest.mark.parametrize("change", CHANGES)
def test_vpp_forwards_as_the_daemon_says_after_each_change_below_it(talking: Neighborhood, change: str) -> None:
    text, routes = CHANGES[change]
    talking.router.apply(text)
    talking.assert_forwards(routes)
    talking.router.assert_as_the_file_says(ExitCode.DRIFT if change in HEARS_NOTHING else ExitCode.DONE)


@needs_bird
def test_routes_that_go_with_an_address_stay_in_vpp_until_linux_takes_the_device_down(talking: Neighborhood) -> None:
    """linux-nl removes the routes of a device that it takes down itself (lcp_router_link_add in lcp_router.c)."""
    left = {prefix: gateway for prefix, gateway in ROUTES.items() if prefix not in SILENT}
    talking.router.apply(ROUTED.replace("192.0.2.1/24, ", ""))
    talking.assert_forwards(left, {**left, **SILENT})
    talking.router.assert_as_the_file_says(ExitCode.DRIFT)
    talking.router.vpp.ip("link", "set", "e1", "down")
    talking.assert_forwards({})
    talking.router.apply(talking.router.file.read_text())
    talking.assert_forwards(left)
    talking.router.assert_as_the_file_says()


@needs_bird
def test_a_route_that_the_daemon_had_before_the_first_pair_is_missing(tmp_path: Path) -> None:
    """linux-nl reads what Linux has only after an error; what the daemon gives again arrives."""
    early = "10.77.0.0/16"
    with started(tmp_path, is_sync=True) as router:
        daemon = Daemon(router.vpp, tmp_path, prefixes=[early])
        try:
            assert wait_until(lambda: early in router.vpp.ip("route", "show", "proto", "bird"))
            router.apply(ROUTED)
            assert router.verify() == ExitCode.DRIFT
            daemon.reload()
            assert wait_until(lambda: early not in router.vpp.ip("route", "show", "proto", "bird"))
            assert router.verify() == ExitCode.DONE
            daemon.reload(early)
            assert wait_until(lambda: early in router.vpp.cli("show ip fib")[1])
            assert router.verify() == ExitCode.DONE
        finally:
            daemon.stop()
