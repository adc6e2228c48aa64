"""Static routes: the section `routes`, their messages, and how those of files are distinguished from all others.

VPP keeps the routes of every source apart, and forwards by those of the best one. Routes of files belong to a source of
their own (vnet/fib/fib_source.c), so that no route of a daemon, of the prompt or of another program is ever touched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from vppcfg.common.prefix_table import PrefixTable
from vppcfg.engine.object_kind import TrafficImpact, VppObjectKind
from vppcfg.entries.section import Section
from vppcfg.kinds.next_hop import path_of
from vppcfg.kinds.route_hidden import hidden_routes
from vppcfg.kinds.route_reading import TYPE_OF_END, listed_routes, looked_up
from vppcfg.kinds.route_rules import RULES
from vppcfg.kinds.route_section import SECTION
from vppcfg.model.live_state import covers
from vppcfg.model.route import SOURCE, NextHop, Route, holding_prefix
from vppcfg.model.state import State
from vppcfg.model.vpp_object import HiddenObject
from vppcfg.model.vrf import FibTable
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.request import NO_INDEX, Indexes, Request, Value, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.record import record
from vppcfg.wire.codec import prefix_values
from vppcfg.wire.fib_source import SOURCES, own_source
from vppcfg.wire.reading import Replies, VppReader

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


_SET = "ip_route_add_del_v2"


@record
class SetRoute(SetObject):
    """ip_route_add_del_v2: set all next hops of a prefix at once; no packet is lost meanwhile."""

    needs_fib_source = True
    item: Route

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=1)

    def cli(self) -> None:
        """Return None: what is typed belongs to the source of the prompt."""


@record
class RemoveRoute(RemoveObject):
    """ip_route_add_del_v2: take the route of files from a prefix; routes of other sources stay."""

    needs_fib_source = True
    item: Route

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=0)

    def cli(self) -> None:
        """Return None: the prompt removes the routes of its own source only."""


def _request(route: Route, indexes: Indexes, is_add: int) -> Request:
    values = {
        "is_add": is_add,
        "is_multipath": 0,
        "route.table_id": route.table_id,
        **prefix_values("route.prefix", route.prefix),
        "route.src": indexes.source(SOURCE),
    }
    return Request(_SET, values, "paths", list(_paths(route, indexes)) if is_add else [])


def _paths(route: Route, indexes: Indexes) -> Iterator[dict[str, Value]]:
    if route.end is not None:
        yield {"type": TYPE_OF_END[route.end], "sw_if_index": NO_INDEX, "proto": int(route.is_ipv6), "weight": 1}
    for hop in route.hops:
        yield path_of(hop, indexes, route.table_id, is_ipv6=route.is_ipv6)


class RouteKind(VppObjectKind[Route]):
    """The static routes of files."""

    key = "routes"
    foreign_keys = ("route", "static-routes", "static", "ip-route", "gateway", "gateway4", "gateway6")
    object_class = Route
    operations = (SetRoute, RemoveRoute)
    rules = RULES
    counts_operations = False

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def set(self, item: Route) -> SetRoute:
        """Return the operation that sets all next hops of a prefix at once."""
        return SetRoute(item=item)

    def remove(self, item: Route) -> RemoveRoute:
        return RemoveRoute(item=item)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that hold the gateways of routes while those change."""
        for item in routes_that_hold(transition):
            goes = not transition.deleted_tables.isdisjoint(each.name for each in item.references())
            release = Stage.RELEASE_GATEWAYS_IN_VRF if goes else Stage.RELEASE_GATEWAYS
            yield Step(stage=Stage.HOLD_GATEWAYS, operation=self.set(item))
            yield Step(stage=release, operation=self.remove(item))

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the sources: without one of our own there are no routes to ask for."""
        return [connection.request(SOURCES)[1]] if connection.offers(SOURCES) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Sequence[FibTable]
    ) -> Iterator[Route]:
        """Yield the routes of our source; one below a better source is not among them.

        Nothing is asked where the source is missing. Of a large FIB, those are asked for that were set before.
        """
        source = own_source(connection, replies) if connection.offers(SOURCES) else None
        if source is None:
            return
        survey = connection.survey
        small = [each for each in tables if survey.walks([each])]
        large = [each for each in tables if each not in small]
        yield from listed_routes(connection, source, small, names)
        if not large:
            return
        survey.leave_out("routes of files that neither the journal nor the file names")
        keys = {(each.table_id, each.is_ipv6) for each in large}
        routes = (each for each in survey.known_objects() if isinstance(each, Route))
        known = {each.name: each for each in routes if (each.table_id, each.is_ipv6) in keys}
        known |= {each.name: each for key in keys for each in holding_routes(key[0], is_ipv6=key[1])}
        for found in looked_up(connection, source, list(known.values()), names):
            if found.of_files is not None:
                yield found.of_files

    def traffic_impacts(
        self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]
    ) -> Iterator[TrafficImpact]:
        """Yield the prefixes that lose their way, take another one, or share their packets otherwise."""
        from vppcfg.kinds.route_impact import traffic_impacts

        return traffic_impacts(before, after, linked)

    def is_in_use(self, connection: VppReader, replies: Replies) -> bool:
        """Return whether VPP has the source of files: without it there are no routes of theirs."""
        return connection.offers(SOURCES) and own_source(connection, replies) is not None

    def hidden(self, connection: VppReader, items: Sequence[Route], names: Mapping[int, str]) -> Iterator[HiddenObject]:
        """Yield the routes whose prefix has a better source: VPP shows that one alone, and keeps ours below it."""
        return hidden_routes(connection, items, names)


KIND: RouteKind = RouteKind()
