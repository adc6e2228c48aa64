"""Rules about static routes, what they need beside them in the file, and what needs a route."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from ipaddress import ip_address
from operator import attrgetter

from vppcfg.common.prefix_table import PrefixTable
from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.configuration import HopConfig, InterfaceConfig, RouteConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.dhcp_relay import KEY as DHCP_RELAY
from vppcfg.kinds.dhcp_relay import relay_entries
from vppcfg.kinds.path_mtu import KEY as PATH_MTU
from vppcfg.kinds.policy_route_section import SteeredConfig, as_routes
from vppcfg.kinds.route_section import DEFAULT_VRF
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.ownership import NameGlobs
from vppcfg.model.problem import KeyPath, Problem, Severity

_ANY = "0.0.0.0/0"


class LeadingTables:
    """What the VRFs of a file lead to: networks of interfaces, own addresses and routes, each by VRF."""

    def __init__(self, index: Index) -> None:
        self.connected: dict[str | None, PrefixTable[str]] = defaultdict(PrefixTable)
        """The interface of each network; that of a lease can be any."""
        self.routes: dict[str | None, PrefixTable[RouteConfig]] = defaultdict(PrefixTable)
        self.own: dict[tuple[str | None, str], str] = {}
        """The interface of each address."""
        for interface in index.interfaces:
            for address in interface.addresses:
                self.connected[interface.vrf][address] = interface.name
                self.own[interface.vrf, address.partition("/")[0]] = interface.name
            if interface.dhcp_client is not None:
                self.connected[interface.vrf][_ANY] = interface.name
        for route in index.configuration.routes:
            self.routes[route.vrf][route.prefix] = route

    def lead_to(self, host: str, vrf: str | None) -> bool:
        """Return whether a VRF, None for the default table, has a network or a route with a host."""
        return any(table[vrf].of_host(host) is not None for table in (self.connected, self.routes))

    def needed(self, route: RouteConfig, hop: HopConfig) -> RouteConfig | None:
        """Return the route of the file that a next hop needs to find its way, None for none."""
        if hop.interface or (not hop.gateway and hop.vrf is None):
            return None
        vrf = vrf_of(route, hop)
        if hop.gateway:
            if self.connected[vrf].of_host(hop.gateway) is not None:
                return None
            found = self.routes[vrf].of_host(hop.gateway)
        else:
            found = self.routes[vrf].longest(route.prefix)
        return found.value if found is not None else None


def vrf_of(route: RouteConfig, hop: HopConfig) -> str | None:
    """Return the VRF in which VPP looks up what a next hop names, None for the default table."""
    return route.vrf if hop.vrf is None else None if hop.vrf == DEFAULT_VRF else hop.vrf


def route_duplicate(index: Index) -> Iterator[Problem]:
    """Find prefixes that stand in a VRF twice, in other spellings too."""
    seen = set()
    for route in index.configuration.routes:
        if (route.vrf, route.prefix) in seen:
            text = f"{route.prefix} has a route already; give one of both all next hops, or remove one"
            yield Problem(rule="route-duplicate", path=route.path, text=text)
        seen.add((route.vrf, route.prefix))


def route_vrf(index: Index) -> Iterator[Problem]:
    """Find routes of a family of which their VRF, or the one that they lead to, has no table."""
    for route in _routes(index):
        named = [(hop.vrf, _below(hop, "vrf")) for hop in route.hops]
        if not isinstance(route, SteeredConfig):
            named.append((route.vrf, route.path))
        for name, path in named:
            vrf = index.configuration.vrfs.get(name) if name is not None else None
            if vrf is not None and not (vrf.has_ipv6 if ":" in route.prefix else vrf.has_ipv4):
                text = f"{name} has no table for the family of {route.prefix}"
                yield Problem(rule="vrf-family", path=path, text=text)


def route_interface(index: Index) -> Iterator[Problem]:
    """Find interfaces of next hops that the file neither has nor leaves alone, or that do not route."""
    unmanaged = NameGlobs(index.configuration.unmanaged)
    for _, hop in _hops(index):
        if not hop.interface:
            continue
        interface, path = index.find(hop.interface), _below(hop, "interface")
        if interface is None:
            if not (index.has(hop.interface) or is_unmanaged(hop.interface, unmanaged)):
                text = f"there is no interface {hop.interface} in this file{did_you_mean(hop.interface, index.names)}"
                yield Problem(rule="route-interface", path=path, text=text)
        elif reason := index.why_switched(hop.interface):
            text = f"{hop.interface} {reason} and does not route; name another interface"
            yield Problem(rule="route-interface", path=path, text=text)
        elif reason := _why_linkless(interface, index):
            text = f"{reason}, so the route forwards nothing through {hop.interface}"
            yield Problem(rule="route-interface-down", path=path, text=text, severity=Severity.WARNING)


def is_unmanaged(name: str, unmanaged: NameGlobs) -> bool:
    """Return whether a file leaves an interface alone that it does not have: by its name, or by that of its parent."""
    parent, dot, _ = name.rpartition(".")
    return unmanaged.matches(name) or (bool(dot) and unmanaged.matches(parent))


def _why_linkless(interface: InterfaceConfig, index: Index) -> str | None:
    """Return why an interface has no link whatever is plugged in, None when it can have one."""
    if not interface.is_up:
        return f"{interface.name} is down"
    parent = index.find(interface.parent)
    if parent is not None:
        return _why_linkless(parent, index)
    bond = index.configuration.virtual.get(interface.name) if interface.kind is InterfaceKind.BOND else None
    has_members = bond is None or bond.members
    return None if has_members else f"{interface.name} has no members"


def route_hop(index: Index) -> Iterator[Problem]:
    """Find next hops that lead nowhere, or in two ways, and gateways of a family that needs more."""
    for route, hop in _hops(index):
        if not (hop.gateway or hop.interface or hop.vrf is not None):
            yield Problem(rule="route-hop", path=hop.path, text="a next hop needs `gateway`, `interface` or `vrf`")
        elif hop.interface and hop.vrf is not None:
            text = "a next hop through an interface looks up nothing; remove `vrf` or `interface`"
            yield Problem(rule="route-hop", path=hop.path, text=text)
        elif hop.gateway and (reason := _wrong_family(route, hop)):
            yield Problem(rule="route-family", path=_below(hop, "gateway"), text=reason)
        elif _is_itself(route, hop):
            text = f"{hop.gateway} is the address of the prefix itself, and VPP drops what takes such a route; "
            text += "add `interface`, or name the VRF alone" if hop.vrf is not None else "add `interface`"
            yield Problem(rule="route-itself", path=_below(hop, "gateway"), text=text)


def _is_wrong(route: RouteConfig, hop: HopConfig) -> bool:
    return _wrong_family(route, hop) is not None or _is_itself(route, hop)


def _is_itself(route: RouteConfig, hop: HopConfig) -> bool:
    """Return whether a gateway has the address of its prefix, whatever table it is in (fib_table_route_path_fixup)."""
    return not hop.interface and hop.gateway == route.prefix.partition("/")[0]


def _wrong_family(route: RouteConfig, hop: HopConfig) -> str | None:
    is_ipv6 = ":" in hop.gateway
    if ":" in route.prefix and not is_ipv6:
        return f"{hop.gateway} is no gateway for the IPv6 prefix {route.prefix}; name an IPv6 address"
    if is_ipv6 and not hop.interface and ":" not in route.prefix:
        return f"{hop.gateway} forwards IPv4 only through an interface; add `interface`"
    if is_ipv6 and not hop.interface and ip_address(hop.gateway).is_link_local:
        return f"{hop.gateway} is link-local and could be on any interface; add `interface`"
    return None


def route_gateway(index: Index) -> Iterator[Problem]:
    """Find gateways that are own addresses, and those that nothing leads to."""
    hops = list(_hops(index))
    if not hops:
        return
    tables = LeadingTables(index)
    for route, hop in hops:
        vrf, path = vrf_of(route, hop), _below(hop, "gateway")
        if not hop.gateway or _is_wrong(route, hop):
            continue
        if (vrf, hop.gateway) in tables.own:
            owner = tables.own[vrf, hop.gateway]
            text = f"{hop.gateway} is an address of {owner} of this router; name that of the neighbour"
            yield Problem(rule="route-own-address", path=path, text=text)
        elif hop.interface or not index.is_whole or tables.connected[vrf].of_host(hop.gateway) is not None:
            continue
        elif tables.needed(route, hop) is None:
            text = f"no address of an interface in {_words(vrf)} is in one network with {hop.gateway}"
            text += ", so the route drops packets until Linux or others have a route there"
            yield Problem(rule="route-gateway", path=path, text=text, severity=Severity.WARNING)


def route_loop(index: Index) -> Iterator[Problem]:
    """Find next hops that need their own route, or others that come back to it, to find their way."""
    hops = list(_hops(index))
    if not (index.is_whole and hops):
        return
    tables = LeadingTables(index)
    for route, hop in hops:
        if _is_wrong(route, hop):
            continue
        ring = _ring(route, hop, tables)
        if ring:
            names = " needs ".join(_named(each) for each in (route, *ring))
            what = f"{hop.gateway} lies in" if hop.gateway else f"{_words(vrf_of(route, hop))} looks it up by"
            text = f"{what} {_named(ring[0])}, so that the route leads to itself and drops ({names})"
            if hop.gateway and ring[0] is route:
                text = f"no interface reaches {hop.gateway}, so that {_named(route)} leads to itself and drops"
            path = _below(hop, "gateway" if hop.gateway else "vrf")
            yield Problem(rule="route-loop", path=path, text=text, severity=Severity.WARNING)


def route_neighbor(index: Index) -> Iterator[Problem]:
    """Find gateways that are static neighbours without a network of their own: VPP crashes when the route goes.

    It drops the path first, and then asks the route, which covers the neighbour's entry, for its interface
    (fib_entry_src_adj_reactivate in vnet/fib/fib_entry_src_adj.c).
    """
    neighbors = {(i.vrf, each.address): i.name for i in index.interfaces for each in i.neighbors if each.address}
    tables = LeadingTables(index)
    for route in index.configuration.routes if neighbors else ():
        for hop in route.hops:
            place = vrf_of(route, hop), hop.gateway
            if hop.interface or place not in neighbors:
                continue
            ways = [each for table in (tables.connected, tables.routes) if (each := table[place[0]].of_host(place[1]))]
            if ways and max(ways, key=attrgetter("length")).value is route:
                name = neighbors[place]
                text = (
                    f"{hop.gateway} is a neighbour of {name}, and only this route leads to it: VPP would crash when it "
                )
                text += f"is removed; add `interface: {name}`"
                yield Problem(rule="route-neighbor", path=_below(hop, "gateway"), text=text)


def _ring(route: RouteConfig, hop: HopConfig, tables: LeadingTables) -> list[RouteConfig]:
    """Return the routes that a next hop needs, up to its own; none when it does not come back to that."""
    way: list[RouteConfig] = []
    needed = tables.needed(route, hop)
    while needed is not None and all(needed is not each for each in way):
        way.append(needed)
        if needed is route:
            return way
        needed = next((found for each in needed.hops if (found := tables.needed(needed, each)) is not None), None)
    return []


def _named(route: RouteConfig) -> str:
    return route.prefix if route.vrf is None else f"{route.prefix} of {route.vrf}"


def route_shadow(index: Index) -> Iterator[Problem]:
    """Find routes with the prefix of a network of an interface, and default routes beside a lease."""
    if not index.configuration.routes:
        return
    tables = LeadingTables(index)
    for route in index.configuration.routes:
        owner = tables.connected[route.vrf].get(route.prefix)
        if owner is None:
            continue
        if route.prefix == _ANY:
            text = f"the lease of {owner} may bring a default route, and that of the file wins"
            yield Problem(rule="route-lease", path=route.path, text=text, severity=Severity.WARNING)
        else:
            text = f"{route.prefix} is the network of {owner}, whose route VPP uses while the interface is up"
            yield Problem(rule="route-connected", path=route.path, text=text, severity=Severity.WARNING)


def _hops(index: Index) -> Iterator[tuple[RouteConfig, HopConfig]]:
    for route in _routes(index):
        for hop in route.hops:
            yield route, hop


def _routes(index: Index) -> Iterator[RouteConfig]:
    """Yield all that has next hops: routes, and policy routes of interfaces."""
    yield from index.configuration.routes
    for interface in index.interfaces:
        if interface.policy_routes:
            yield from as_routes(interface)


def _below(hop: HopConfig, key: str) -> KeyPath:
    """Return where a key of a next hop stands; a gateway can stand for the whole next hop."""
    return (*hop.path, key) if hop.has_keys else hop.path


def _words(vrf: str | None) -> str:
    return "the default table" if vrf is None else f"the VRF {vrf}"


def relay_server_unreachable(index: Index) -> Iterator[Problem]:
    """Find servers to which nothing of the file leads, in VRFs into which no LCP pair can bring a route.

    Where an interface of the VRF has an LCP pair, Linux may have one.
    """
    if not (index.configuration.owned.get(DHCP_RELAY) and index.is_whole):
        return
    tables = LeadingTables(index)
    of_linux = {interface.vrf for interface in index.interfaces if interface.lcp is not None}
    for entry, _, relay, path in relay_entries(index):
        for at, server in enumerate(relay.servers):
            name = entry.name if server.vrf is None else server.vrf
            vrf = None if name in ("", DEFAULT_VRF) else name
            if vrf not in of_linux and not tables.lead_to(server.address, vrf):
                where = "the default table" if vrf is None else f"the VRF {vrf}"
                text = f"{where} has no network and no route with {server.address}, so VPP drops requests"
                yield Problem(
                    rule="dhcp-relay-server", path=(*path, "servers", at), text=text, severity=Severity.WARNING
                )


def path_mtu_remote(index: Index) -> Iterator[Problem]:
    """Find hosts with a path MTU behind a router: VPP looks at the size of packets to neighbours alone."""
    entries = index.configuration.owned.get(PATH_MTU, {}) if index.is_whole else {}
    connected = LeadingTables(index).connected if entries else {}
    for name, entry in entries.items():
        for address, _ in entry.value:
            if connected[name or None].of_host(address) is None:
                lost = "is dropped if it may not be fragmented, at which VPP up to 25.10 may crash"
                effect = "gets a fragment header" if ":" in address else lost
                text = f"{address} is in no network of an interface there: each packet to it {effect}"
                yield Problem(rule="path-mtu-remote", path=(*entry.path, address), text=text, severity=Severity.WARNING)


RULES = (
    *(route_duplicate, route_vrf, route_interface, route_hop),
    *(route_gateway, route_loop, route_neighbor, route_shadow),
    relay_server_unreachable,
    path_mtu_remote,
)
