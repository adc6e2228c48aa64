"""A Linux around a simulated VPP: devices of LCP pairs with addresses, neighbours and routes, which linux-nl copies.

Each change is told to VPP unless it is to be lost on the way, so that a test knows what is wrong between the two.
"""

import ipaddress
import random
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address, ip_interface
from typing import Any

from vppcfg.model.forwarding import (
    Hop,
    LinuxForwarding,
    NeighborSeen,
    PairSide,
    RouteEntry,
    Routes,
    TableId,
    canonical_hops,
    prefix_key,
)
from vppcfg.model.linux import LinuxDevice, LinuxSide
from vppcfg.simulator import interfaces
from vppcfg.simulator.fib_entries import COPIED, DROP, PROHIBIT, UNREACHABLE, FibPath, NetlinkMain, prefix_of
from vppcfg.simulator.kinds import address, fib, neighbor
from vppcfg.simulator.port import PhysicalPort, mac_bytes
from vppcfg.simulator.tables import FibSource, SwInterface, Tables
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.simulator.wire import NONE

PORTS = ("port0", "port1", "port2")
MTU = 1500
DEVICES = {name: f"e{number}" for number, name in enumerate(PORTS)}
_ENDS = {"blackhole": DROP, "unreachable": UNREACHABLE, "prohibit": PROHIBIT}
_STATIC = 1


class LinuxNl:
    """What the plugin linux-nl of one simulated VPP does at the kernel's messages (plugins/linux-cp/lcp_router.c)."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._main = tables.part(NetlinkMain)
        self._main.is_running = True

    def link(self, name: str, *, mtu: int, is_up: bool) -> None:
        """Give an interface the MTU and the state that its device has."""
        row = self._row(name)
        row.mtus[0] = mtu
        interfaces.set_admin_state(self._tables, row, is_up)

    def address(self, name: str, text: str, *, is_add: bool = True) -> None:
        """Give an interface an address of its device, or take one away. Raise RefusedError as VPP does."""
        each = ipaddress.ip_interface(text)
        change = address.add if is_add else address.remove
        change(self._tables, self._row(name), each.version == 6, int(each.ip), each.network.prefixlen)

    def neighbor(self, name: str, text: str, mac: str, *, is_static: bool = False) -> None:
        """Enter a neighbour that Linux knows. Raise RefusedError as VPP does."""
        flags = _STATIC if is_static else 0
        neighbor.add(self._tables, self._row(name).index, ipaddress.ip_address(text), mac_bytes(mac), flags)

    def route(self, table_id: int, prefix: str, hops: Sequence[Hop], *, source: str = COPIED[0]) -> None:
        """Put a route into a table, which is made when it is not there; its hops are VPP's interfaces by name."""
        is_ipv6 = ":" in prefix
        main = self._tables.fib6 if is_ipv6 else self._tables.fib4
        if table_id not in main.tables:
            fib.hold(self._tables, is_ipv6, table_id, FibSource.LINUX_NL)
        paths = tuple(self._path(hop, is_ipv6) for hop in hops)
        self._main.routes.setdefault((is_ipv6, table_id), {}).setdefault(prefix_of(prefix), {})[source] = paths

    def withdraw(self, table_id: int, prefix: str) -> None:
        """Take a route out of a table, whoever put it there."""
        self._main.routes.get((":" in prefix, table_id), {}).pop(prefix_of(prefix), None)

    def _path(self, hop: Hop, is_ipv6: bool) -> FibPath:
        if hop.end:
            return FibPath(NONE, kind=_ENDS[hop.end], is_ipv6=is_ipv6)
        is_over_ipv6 = len(hop.gateway) == 16 if hop.gateway else is_ipv6
        return FibPath(
            self._row(hop.interface).index, hop.gateway, weight=hop.weight, is_ipv6=is_over_ipv6, labels=hop.labels
        )

    def _row(self, name: str) -> SwInterface:
        row = self._tables.named(name)
        if row is None:
            raise KeyError(name)
        return row


@dataclass
class LinuxAround:
    vpp: SimulatedVpp
    sides: dict[str, PairSide] = field(default_factory=dict)
    """By VPP's interface."""
    routes: dict[TableId, dict[str, tuple[Hop, ...]]] = field(default_factory=dict)
    """By prefix."""
    limits: dict[str, int] = field(default_factory=dict)
    others: dict[str, LinuxForwarding] = field(default_factory=dict)
    """Other namespaces."""
    readings: int = 0
    broken: set[str] = field(default_factory=set)
    """Prefixes and addresses that a test has let be wrong: one fault may undo another on the same thing."""

    def __post_init__(self) -> None:
        """Make a pair for each port, up."""
        self.nl = LinuxNl(self.vpp.tables)
        for name, device in DEVICES.items():
            assert self.vpp.run_line(f"lcp create {name} host-if {device}") == (0, "")
            self.nl.link(name, mtu=MTU, is_up=True)
            self.sides[name] = PairSide(mtu=MTU, is_up=True)

    def read_forwarding(self, netns: str, devices: Mapping[str, str]) -> LinuxForwarding:
        self.readings += 1
        if netns:
            return self.others.get(netns, LinuxForwarding())
        pairs = {each.host_name: each.vif_index for each in self.vpp.tables.lcp.pairs}
        sides = {name: side for name, side in self.sides.items() if name in devices.values()}
        return LinuxForwarding(
            sides=sides,
            indexes={name: pairs[DEVICES[name]] for name in sides},
            tables={table: _compact(table, routes) for table, routes in self.routes.items()},
            limits=self.limits,
        )

    def observe(self, requested: Iterable[tuple[str, str]]) -> LinuxSide:
        """Return the devices that there are, as LinuxHost does."""
        names = {("", DEVICES[name]): LinuxDevice(mtu=side.mtu, is_up=side.is_up) for name, side in self.sides.items()}
        devices = {place: names[place] for place in requested if place in names}
        return LinuxSide(devices=devices, namespaces=frozenset(), bridges=frozenset())

    def change(self, name: str, **values: Any) -> None:
        """Let a device be otherwise without telling VPP."""
        self.sides[name] = replace(self.sides[name], **values)

    def add_address(self, name: str, address: str, *, is_lost: bool = False) -> None:
        """Give a device an address."""
        address = str(ip_interface(address))
        self.change(name, addresses=self.sides[name].addresses | {address})
        if not is_lost:
            self.nl.address(name, address)

    def add_neighbor(
        self, name: str, address: str, mac: str, *, is_static: bool = False, is_lost: bool = False
    ) -> None:
        """Let Linux know a neighbour."""
        address = str(ip_address(address))
        seen = NeighborSeen(mac=mac, is_static=is_static)
        self.change(name, neighbors={**self.sides[name].neighbors, address: seen})
        if not is_lost:
            self.nl.neighbor(name, address, mac, is_static=is_static)

    def add_route(self, table: int, prefix: str, *hops: Hop, source: str = COPIED[0], is_lost: bool = False) -> None:
        """Put a route into a table of Linux."""
        self.routes.setdefault(TableId(":" in prefix, table), {})[prefix] = canonical_hops(list(hops))
        if not is_lost:
            self.nl.route(table, prefix, hops, source=source)


def _compact(table: TableId, routes: Mapping[str, tuple[Hop, ...]]) -> Routes:
    ways: dict[tuple[Hop, ...], int] = {}
    by_prefix = {}
    for text, hops in routes.items():
        value, length = prefix_of(text)
        key = prefix_key(table.is_ipv6, value.to_bytes(16 if table.is_ipv6 else 4), length)
        by_prefix[key] = ways.setdefault(hops, len(ways))
    return Routes(entries=[RouteEntry(hops) for hops in ways], by_prefix=by_prefix)


def new_vpp() -> SimulatedVpp:
    """Return a VPP with the ports, of the newest release."""
    return SimulatedVpp(ports=[PhysicalPort(name=name) for name in PORTS], namespaces=["other"])


def filled(seed: int) -> LinuxAround:
    """Return a Linux and a VPP that are alike, with something of everything."""
    rng = random.Random(seed)
    linux = LinuxAround(new_vpp())
    for number, name in enumerate(PORTS):
        linux.add_address(name, f"192.0.{number}.1/24")
        linux.add_address(name, f"2001:db8:{number}::1/64")
        for host in rng.sample(range(2, 250), rng.randint(2, 6)):
            mac = f"02:00:00:00:{number:02x}:{host:02x}"
            linux.add_neighbor(name, f"192.0.{number}.{host}", mac, is_static=rng.random() < 0.2)
            linux.add_neighbor(name, f"2001:db8:{number}::{host:x}", mac)
    for position in range(rng.randint(20, 60)):
        add_some_route(linux, rng, position)
    vpp = linux.vpp
    assert vpp.run_line("ip route add 10.200.0.0/16 via 192.0.0.99 port0") == (0, "")
    assert vpp.run_line("set ip neighbor static port0 192.0.0.251 02:00:00:00:00:fb")[0] == 0
    return linux


def add_some_route(linux: LinuxAround, rng: random.Random, position: int, *, is_lost: bool = False) -> tuple[int, str]:
    """Add a route of some kind that is not there yet; return its table and prefix."""
    is_ipv6 = rng.random() < 0.4
    table = rng.choice((0, 0, 0, 77))
    prefix = f"2001:db8:{0x100 + position:x}::/48" if is_ipv6 else f"10.{position}.0.0/{rng.choice((16, 24, 32))}"
    linux.add_route(table, prefix, *some_hops(rng, is_ipv6), source=rng.choice(COPIED), is_lost=is_lost)
    return table, prefix


def some_hops(rng: random.Random, is_ipv6: bool) -> list[Hop]:
    """Return one next hop, several, or none to anywhere."""
    if rng.random() < 0.1:
        return [Hop("", end=rng.choice(("blackhole", "unreachable", "prohibit")))]
    names = rng.sample(PORTS, rng.choice((1, 1, 1, 2, 3)))
    return [_some_hop(rng, name, is_ipv6, len(names)) for name in names]


def _some_hop(rng: random.Random, name: str, is_ipv6: bool, count: int) -> Hop:
    number, host = PORTS.index(name), rng.randint(2, 9)
    if rng.random() < 0.1:
        gateway = b""
    elif is_ipv6 or rng.random() < 0.1:
        gateway = socket.inet_pton(socket.AF_INET6, f"2001:db8:{number}::{host:x}")
    else:
        gateway = socket.inet_pton(socket.AF_INET, f"192.0.{number}.{host}")
    labels = (rng.randint(16, 1000),) if gateway and rng.random() < 0.1 else ()
    return Hop(name, gateway, rng.randint(1, 3) if count > 1 else 1, labels)
