"""What is wrong with static routes, and what they need beside them in the file."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

from vppcfg.common.addresses import address_key
from vppcfg.common.resemblance import did_you_mean
from vppcfg.config.configuration import HopConfig, RouteConfig
from vppcfg.config.rules.index import Index
from vppcfg.kinds.policy_route_section import SteeredConfig, as_routes
from vppcfg.kinds.route_section import DEFAULT_VRF
from vppcfg.model.problem import KeyPath, Problem, Severity

_NO_LENGTH = "/0"


class _Prefixes:
    """The prefixes of one VRF, to find those that an address lies in."""

    def __init__(self) -> None:
        self._networks: dict[tuple[int, int], set[int]] = {}

    def add(self, prefix: str) -> None:
        """Enter the network of an address with its length."""
        key = address_key(prefix)
        self._networks.setdefault((key.family, key.length), set()).add(key.network)

    def longest(self, host: str) -> int | None:
        """Return the length of the longest prefix that a host lies in, None for none."""
        key = address_key(host + _NO_LENGTH)
        found = (
            length
            for (family, length), networks in self._networks.items()
            if family == key.family and key.value >> (key.width - length) in networks
        )
        return max(found, default=None)


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
    """Find interfaces of next hops that the file lacks, or that do not route."""
    for _, hop in _hops(index):
        if not hop.interface:
            continue
        interface, path = index.find(hop.interface), _below(hop, "interface")
        if interface is None:
            if not index.has(hop.interface):
                text = f"there is no interface {hop.interface} in this file{did_you_mean(hop.interface, index.names)}"
                yield Problem(rule="route-interface", path=path, text=text)
        elif reason := index.why_switched(hop.interface):
            text = f"{hop.interface} {reason} and does not route; name another interface"
            yield Problem(rule="route-interface", path=path, text=text)
        elif not interface.is_up:
            text = f"{hop.interface} is down, so the route forwards nothing through it"
            yield Problem(rule="route-interface-down", path=path, text=text, severity=Severity.WARNING)


def route_hop(index: Index) -> Iterator[Problem]:
    """Find next hops that lead nowhere, or in two ways, and gateways of a family that needs more."""
    for route, hop in _hops(index):
        if not (hop.gateway or hop.interface or hop.vrf is not None):
            yield Problem(rule="route-hop", path=hop.path, text="a next hop needs `gateway`, `interface` or `vrf`")
        elif hop.interface and hop.vrf is not None:
            text = "a next hop through an interface looks up nothing; remove `vrf` or `interface`"
            yield Problem(rule="route-hop", path=hop.path, text=text)
        elif hop.gateway and (reason := _wrong_gateway(route, hop)):
            yield Problem(rule="route-family", path=_below(hop, "gateway"), text=reason)


def _wrong_gateway(route: RouteConfig, hop: HopConfig) -> str | None:
    is_ipv6 = ":" in hop.gateway
    if ":" in route.prefix and not is_ipv6:
        return f"{hop.gateway} is no gateway for the IPv6 prefix {route.prefix}; name an IPv6 address"
    if is_ipv6 and not hop.interface and ":" not in route.prefix:
        return f"{hop.gateway} forwards IPv4 only through an interface; add `interface`"
    if is_ipv6 and not hop.interface and ip_address(hop.gateway).is_link_local:
        return f"{hop.gateway} is link-local and could be on any interface; add `interface`"
    return None


def route_gateway(index: Index) -> Iterator[Problem]:
    """Find gateways that are own addresses, that a route would need itself to reach, or that nothing leads to."""
    connected, routed, own = _tables(index)
    for route, hop in _hops(index):
        vrf = route.vrf if hop.vrf is None else None if hop.vrf == DEFAULT_VRF else hop.vrf
        if not hop.gateway or _wrong_gateway(route, hop):
            continue
        path = _below(hop, "gateway")
        if (vrf, hop.gateway) in own:
            text = f"{hop.gateway} is an address of {own[vrf, hop.gateway]} of this router; name that of the neighbour"
            yield Problem(rule="route-own-address", path=path, text=text)
            continue
        if hop.interface or index.broken or connected.get(vrf, _Prefixes()).longest(hop.gateway) is not None:
            continue
        covering = routed.get(vrf, _Prefixes()).longest(hop.gateway)
        is_route = not isinstance(route, SteeredConfig)
        if is_route and covering is not None and vrf == route.vrf and covering == address_key(route.prefix).length:
            text = f"{hop.gateway} lies in {route.prefix} itself, so that the route would lead to itself and drops"
            text += "; name a connected gateway, or add `interface`"
            yield Problem(rule="route-loop", path=path, text=text, severity=Severity.WARNING)
        elif covering is None:
            text = f"no address of an interface in {_words(vrf)} is in one network with {hop.gateway}"
            text += ", so that the route drops until Linux or somebody else has a way there"
            yield Problem(rule="route-gateway", path=path, text=text, severity=Severity.WARNING)


def _tables(
    index: Index,
) -> tuple[dict[str | None, _Prefixes], dict[str | None, _Prefixes], dict[tuple[str | None, str], str]]:
    """Return by VRF the connected prefixes and those with routes, and the interface of each own address."""
    connected: dict[str | None, _Prefixes] = {}
    routed: dict[str | None, _Prefixes] = {}
    own: dict[tuple[str | None, str], str] = {}
    for interface in index.interfaces:
        for address in interface.addresses:
            connected.setdefault(interface.vrf, _Prefixes()).add(address)
            own[interface.vrf, address.partition("/")[0]] = interface.name
        if interface.dhcp_client is not None:
            connected.setdefault(interface.vrf, _Prefixes()).add("0.0.0.0/0")
    for route in index.configuration.routes:
        routed.setdefault(route.vrf, _Prefixes()).add(route.prefix)
    return connected, routed, own


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


RULES = (route_duplicate, route_vrf, route_interface, route_hop, route_gateway)
