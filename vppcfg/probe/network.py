"""A state, indexed to predict packets: which addresses are reached where, which tags belong to whom, who is up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from ipaddress import IPv4Interface, IPv4Network, IPv6Interface, IPv6Network, ip_address, ip_interface, ip_network
from itertools import groupby
from typing import NamedTuple

from vppcfg.common.prefix_table import PrefixTable
from vppcfg.model.bond import Bond
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch
from vppcfg.model.l3xc import L3CrossConnect
from vppcfg.model.path_mtu import PathMtu
from vppcfg.model.punt_redirect import PuntRedirect
from vppcfg.model.route import NextHop, Route, RouteEnd
from vppcfg.model.state import State
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.probe.nat_index import NatIndex
from vppcfg.probe.outcome import UndecidedError
from vppcfg.record import record


@record
class Connected:
    """A prefix that is reached through an interface without a gateway."""

    table: int
    network: IPv4Network | IPv6Network
    interface: str


class NextStep(NamedTuple):
    """Where a packet goes."""

    interface: str = ""
    """'' where it is dropped."""
    address: str = ""
    """Of the neighbour that gets it."""
    route: Route | None = None
    """The static route of it."""
    end: RouteEnd | None = None
    """What happens to the packet where a route discards it."""


_DEEPEST = 8
_ANSWERING = (RouteEnd.UNREACHABLE, RouteEnd.PROHIBIT)


class Network:
    """A state, indexed for the questions that a packet asks at each step."""

    def __init__(
        self,
        state: State,
        without_link: frozenset[str] = frozenset(),
        foreign: frozenset[tuple[int, str]] = frozenset(),
    ) -> None:
        """Take a state; `without_link` are ports that nothing is plugged into.

        `foreign` are addresses, each behind the number of its table, to which another program has a route.
        """
        self.state = state
        self.without_link = without_link
        self.foreign = foreign
        self.asked: dict[tuple[int, str], Connected | None] = {}
        """Which addresses were looked up in which tables, and what the state has of them."""
        self._children = state.sub_interfaces_by_parent()

    def interface(self, name: str) -> Interface:
        """Return the interface of a name."""
        return self.state.interfaces[name]

    def is_up(self, name: str) -> bool:
        """Return whether an interface, and the port that it is on, are up."""
        interface = self.interface(name)
        return interface.is_up and (interface.parent is None or self.interface(interface.parent).is_up)

    def port_of(self, name: str) -> str:
        """Return the port, bond or tunnel that an interface is on, which may be itself."""
        return self.interface(name).parent or name

    def has_link(self, name: str) -> bool:
        """Return whether the port of an interface has a link."""
        return self.port_of(name) not in self.without_link

    def mac_of(self, name: str) -> str:
        """Return the MAC address of an interface, '' where it has none."""
        return self.interface(self.port_of(name)).mac

    def virtual_of(self, name: str) -> VirtualInterface | None:
        """Return what an interface is made with."""
        return self.state.virtual.get(name)

    def has_ethernet(self, name: str) -> bool:
        """Return whether an interface carries frames."""
        virtual = self.virtual_of(self.port_of(name))
        return virtual is None or virtual.has_ethernet

    @cached_property
    def bonds(self) -> dict[str, str]:
        """Return the bond of each member."""
        return {
            member: name
            for name, bond in self.state.virtual.items()
            if isinstance(bond, Bond)
            for member in bond.members
        }

    def sub_interfaces(self, port: str) -> Iterator[Interface]:
        """Yield the sub-interfaces of a port."""
        for name in self._children.get(port, ()):
            yield self.interface(name)

    def has_other_matches(self, port: str) -> bool:
        """Return whether a sub-interface of a port takes frames in a way that the file cannot express."""
        return any(isinstance(each.encapsulation, OtherMatch) for each in self.sub_interfaces(port))

    def matching(self, port: str, outer: int, inner: int | None, *, is_dot1ad: bool) -> Interface | None:
        """Return the sub-interface that takes frames with exactly these tags, the one that is most specific first."""
        one_tag = None
        for each in self.sub_interfaces(port):
            match = each.encapsulation
            if not isinstance(match, Encapsulation) or (match.outer, match.is_dot1ad) != (outer, is_dot1ad):
                continue
            if match.inner is not None and match.inner == inner:
                return each
            if match.inner is None and (inner is None or not match.is_exact):
                one_tag = each
        return one_tag

    def addresses(self, name: str) -> frozenset[str]:
        """Return the addresses of an interface, those that it borrows too."""
        interface = self.interface(name)
        return self.state.interfaces.get(interface.unnumbered or name, interface).addresses

    def is_enabled(self, name: str, *, is_ipv6: bool) -> bool:
        """Return whether an interface takes packets of a family."""
        interface = self.interface(name)
        if any((":" in address) == is_ipv6 for address in self.addresses(name)):
            return True
        return interface.unnumbered is not None or (is_ipv6 and interface.link_local is not None)

    def table_of(self, name: str, *, is_ipv6: bool) -> int:
        """Return the number of the table that an interface looks packets up in."""
        return self.interface(name).tables[is_ipv6]

    @cached_property
    def connected(self) -> tuple[Connected, ...]:
        """Return the prefixes of the interfaces that are up, the longest first."""
        found = [
            Connected(table=self.table_of(name, is_ipv6=":" in text), network=each.network, interface=name)
            for name, text, each in self._own()
            if each.network.prefixlen < each.network.max_prefixlen
        ]
        return tuple(sorted(found, key=lambda each: -each.network.prefixlen))

    @cached_property
    def own(self) -> dict[tuple[int, str], str]:
        """Return the interface of each of the router's own addresses, by table and address."""
        return {(self.table_of(name, is_ipv6=":" in text), str(each.ip)): name for name, text, each in self._own()}

    def _own(self) -> Iterator[tuple[str, str, IPv4Interface | IPv6Interface]]:
        for name, interface in self.state.interfaces.items():
            if self.is_up(name):
                for text in sorted(interface.addresses):
                    yield name, text, ip_interface(text)

    def way_to(self, table: int, address: str) -> NextStep | None:
        """Return where packets to an address go, None where there is no route.

        Raise UndecidedError as `ways_to` does, and where there are several ways or VPP answers.
        """
        ways = self.ways_to(table, address)
        if len(ways) > 1:
            raise UndecidedError("several next hops share what goes there, and VPP chooses")
        if ways and ways[0].end in _ANSWERING:
            raise UndecidedError("VPP's answer depends on the moment")
        return ways[0] if ways else None

    def ways_to(self, table: int, address: str, depth: int = 0) -> tuple[NextStep, ...]:
        """Return the ways of which packets to an address take one, as VPP chooses; none where there is no route.

        Raise UndecidedError for a route that the file lacks, and where the file does not show which ways there are.
        """
        host = ip_address(address)
        found = next((each for each in self.connected if each.table == table and host in each.network), None)
        route = self.route_to(table, address)
        if not depth:
            network = found.network if route is None and found is not None else None
            network = ip_network(route.prefix) if route is not None and route.end is not RouteEnd.BLACKHOLE else network
            interface = found.interface if found is not None else ""
            self.asked[table, address] = (
                None if network is None else Connected(table=table, network=network, interface=interface)
            )
        if (table, address) in self.foreign:
            raise UndecidedError("VPP has a route that is not of the file")
        if route is not None:
            return self._by_route(route, address, depth)
        return () if found is None else (NextStep(interface=found.interface, address=address),)

    @cached_property
    def nat(self) -> NatIndex:
        """Return what NAT44 and DET44 have."""
        return NatIndex(self.state)

    @cached_property
    def protected(self) -> frozenset[str]:
        """Return the tunnels that encrypt what they send."""
        return frozenset(each.holder for each in self.state.unmanaged if each.protecting)

    @cached_property
    def path_mtus(self) -> dict[tuple[int, str], PathMtu]:
        """Return the path MTUs by table and host."""
        return {(each.table_id, each.address): each for each in self.state.of(PathMtu).values()}

    def punt_redirect_of(self, name: str, *, is_ipv6: bool) -> PuntRedirect | None:
        """Return where packets of an interface go that VPP has no use for: its own redirect before that of all."""
        found = [each for each in self.state.of(PuntRedirect).values() if each.is_ipv6 == is_ipv6]
        return next((each for place in (name, "") for each in found if each.interface == place), None)

    def cross_connect_of(self, name: str, *, is_ipv6: bool) -> L3CrossConnect | None:
        """Return the L3 cross-connect of an interface and a family, which takes all packets without a look-up."""
        found = self.state.of(L3CrossConnect).values()
        return next((each for each in found if (each.interface, each.is_ipv6) == (name, is_ipv6)), None)

    def route_to(self, table: int, address: str) -> Route | None:
        """Return the static route that has an address, None where a longer connected prefix or none has it."""
        routes = self._routes.get(table)
        found = routes.of_host(address) if routes is not None else None
        host = ip_address(address)
        lengths = (each.network.prefixlen for each in self.connected if each.table == table and host in each.network)
        return found.value if found is not None and found.length > next(lengths, -1) else None

    def _by_route(self, route: Route, address: str, depth: int) -> tuple[NextStep, ...]:
        if depth == _DEEPEST:
            raise UndecidedError("its routes need each other")
        if route.end is not None:
            return (NextStep(route=route, end=route.end),)
        for _, group in groupby(route.hops, key=lambda hop: hop.preference):
            hops = [hop for hop in group if not hop.interface or self.is_up(hop.interface)]
            ways = tuple(dict.fromkeys(journey for hop in hops for journey in self._by_hop(route, hop, address, depth)))
            if len(hops) > 1 and not all(journey.interface for journey in ways):
                raise UndecidedError("one of several next hops leads nowhere")
            if ways:
                return ways
        return (NextStep(route=route),)

    def _by_hop(self, route: Route, hop: NextHop, address: str, depth: int) -> Iterator[NextStep]:
        if hop.interface:
            yield NextStep(interface=hop.interface, address=hop.gateway or address, route=route)
            return
        table = route.table_id if hop.table_id is None else hop.table_id
        ways = self.ways_to(table, hop.gateway or address, depth + 1)
        if hop.gateway and not ways:
            raise UndecidedError("nothing of the file leads to its gateway")
        if hop.gateway and any(journey.end in _ANSWERING for journey in ways):
            raise UndecidedError("VPP answers what goes to its gateway")
        yield from (journey._replace(route=route) for journey in ways or (NextStep(),))

    @cached_property
    def _routes(self) -> dict[int, PrefixTable[Route]]:
        """Return the static routes by table."""
        found: dict[int, PrefixTable[Route]] = defaultdict(PrefixTable)
        for route in self.state.of(Route).values():
            found[route.table_id][route.prefix] = route
        return found

    def neighbor(self, name: str, address: str) -> str | None:
        """Return the MAC address of a static neighbour."""
        return next((each.mac for each in self.interface(name).neighbors if each.address == address), None)

    def mtu(self, name: str, *, is_ipv6: bool) -> int:
        """Return the largest packet in bytes that leaves by an interface."""
        interface = self.interface(name)
        return interface.protocol_mtus[is_ipv6] or self.state.packet_mtu(name)

    def has_mtu_of_port(self, name: str) -> bool:
        """Return whether a sub-interface has no MTU of its own in VPP, which then takes 9000 bytes for it.

        That is vnet_sw_interface_get_mtu in src/vnet/interface_funcs.h; the port's is not looked at.
        """
        interface = self.interface(name)
        if interface.parent is None:
            return False
        return interface.packet_mtu in (0, self.interface(interface.parent).packet_mtu)

    def bridge_members(self, bd_id: int) -> list[Interface]:
        """Return the members of a bridge domain, its BVI among them."""
        return [each for each in self.state.interfaces.values() if each.bridge == bd_id]

    def is_loopback(self, name: str) -> bool:
        """Return whether an interface is a loopback."""
        return self.interface(name).kind is InterfaceKind.LOOPBACK
