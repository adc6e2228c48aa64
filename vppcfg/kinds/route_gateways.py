"""Keeps the gateways of routes in VPP's FIB while the routes change, because VPP may crash where they go meanwhile.

A route whose gateway only itself covers is the cover of the gateway's entry. Where the route changes, VPP walks all
entries that it covers, and each lets go of its former paths; the last one frees the gateway's entry. Where that is
next in the walk, VPP goes on with freed memory (fib_node_list_walk, fib_entry_src_rr_cover_update). Gateways lose the
network that covers them when an interface loses its address or goes down, as when an uplink is renumbered. Another
route by the same gateways holds their entries until the walk is over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from vppcfg.common.prefix_table import PrefixTable
from vppcfg.model.live_state import covers
from vppcfg.model.route import NextHop, Route, holding_prefix
from vppcfg.operations.transition import Transition

_MOST_HOPS = 200
"""Gateways of one route: messages count its paths in eight bits."""
_LEFT = range(1, 5)
"""Numbers that are looked for in large tables, where changes that were killed may have left a route."""


def holding_routes(table_id: int, *, is_ipv6: bool, numbers: Iterable[int] = _LEFT) -> Iterator[Route]:
    """Yield the routes that may hold gateways in a FIB table, without these."""
    for number in numbers:
        yield Route(prefix=holding_prefix(number, is_ipv6=is_ipv6), table_id=table_id)


def routes_that_hold(transition: Transition) -> Iterator[Route]:
    """Yield the routes that hold the gateways of a change, by table and family."""
    before, after = transition.observed.of(Route), transition.desired.of(Route)
    for (table_id, is_ipv6), gateways in _held(transition).items():
        routes = holding_routes(table_id, is_ipv6=is_ipv6, numbers=range(1, 255))
        free = (each for each in routes if each.name not in before and each.name not in after)
        hops = [NextHop(gateway=each) for each in sorted(gateways)]
        parts = (hops[start : start + _MOST_HOPS] for start in range(0, len(hops), _MOST_HOPS))
        yield from (replace(route, hops=tuple(part)) for part, route in zip(parts, free, strict=False))


def _held(transition: Transition) -> Mapping[tuple[int, bool], set[str]]:
    """Return the gateways that must be held, by table and whether IPv6.

    They are those of routes that change or go, inside the prefix of their route, for which no network of an interface
    that is up and stays as it is leads to them for certain.
    """
    before, after = transition.observed.of(Route), transition.desired.of(Route)
    routes = [each for name, each in before.items() if each != after.get(name) or transition.takes_ground_from(each)]
    found: dict[tuple[int, bool], set[str]] = defaultdict(set)
    links = _steady_links(transition) if routes else {}
    for route in routes:
        for gateway in _inside(route):
            link = links[route.table_id].of_host(gateway) if route.table_id in links else None
            if link is None or link.length <= int(route.prefix.partition("/")[2]):
                found[route.table_id, route.is_ipv6].add(gateway)
    return found


def _inside(route: Route) -> Iterator[str]:
    """Yield the gateways that VPP looks up in the table of their route and that its prefix covers."""
    for hop in route.hops:
        is_looked_up = hop.gateway and not hop.interface and hop.table_id is None
        if is_looked_up and covers((route.prefix,), f"{hop.gateway}/{128 if route.is_ipv6 else 32}"):
            yield hop.gateway


def _steady_links(transition: Transition) -> Mapping[int, PrefixTable[None]]:
    """Return the networks of interfaces that are up and stay so all the time, by FIB table."""
    found: dict[int, PrefixTable[None]] = defaultdict(PrefixTable)
    for name, before in transition.observed.interfaces.items():
        kept, after = transition.kept(name), transition.desired.interfaces.get(name)
        is_steady = kept is not None and after is not None and after.is_up and kept.link_mtu == after.link_mtu
        if after is not None and is_steady and before.is_up and name not in transition.moved:
            for address in before.addresses & after.addresses - transition.replaced_addresses(name):
                found[before.table_of(address)][address] = None
    return found
