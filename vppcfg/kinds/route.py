"""Static routes: the section `routes`, their messages, and how those of files are distinguished from all others.

VPP keeps the routes of every source apart, and forwards by those of the best one. Routes of files belong to a source of
their own (vnet/fib/fib_source.c), so that no route of a daemon, of the prompt or of another program is ever touched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from vppcfg.config.sections.section import Section
from vppcfg.kinds.fib_source import SOURCES, own_source
from vppcfg.kinds.object_kind import TrafficImpact, VppObjectKind
from vppcfg.kinds.route_hidden import hidden_routes
from vppcfg.kinds.route_rules import RULES
from vppcfg.kinds.route_section import SECTION
from vppcfg.model.route import SOURCE, NextHop, Route, RouteEnd, in_order
from vppcfg.model.state import State
from vppcfg.model.vpp_object import HiddenObject
from vppcfg.model.vrf import FibTable
from vppcfg.plan.object_operation import RemoveObject, SetObject
from vppcfg.plan.request import NO_INDEX, Indexes, Request, Value, Vocabulary
from vppcfg.record import record
from vppcfg.vpp.address_codec import family_and_bytes, prefix_values, text_of_address
from vppcfg.vpp.reading import Replies, VppReader

_SET = "ip_route_add_del_v2"
DUMP, DETAILS = "ip_route_v2_dump", "ip_route_v2_details"
NORMAL = 0
TYPE_OF_END = {RouteEnd.BLACKHOLE: 2, RouteEnd.UNREACHABLE: 5, RouteEnd.PROHIBIT: 6}
"""fib_path_type (vnet/fib/fib_types.api)."""
ENDS = {number: end for end, number in TYPE_OF_END.items()}
PATH = ("type", "sw_if_index", "table_id", "weight", "preference", "proto", "nh.address")


@record
class SetRoute(SetObject):
    """ip_route_add_del_v2: set all next hops of a prefix at once; no packet is lost meanwhile."""

    item: Route

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=1)

    def cli(self) -> None:
        """Return None: what is typed belongs to the source of the prompt."""


@record
class RemoveRoute(RemoveObject):
    """ip_route_add_del_v2: take the route of files from a prefix; routes of other sources stay."""

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
        proto, raw = family_and_bytes(hop.gateway) if hop.gateway else (int(route.is_ipv6), b"")
        table = hop.table_id if hop.table_id is not None else 0 if hop.interface else route.table_id
        yield {
            "type": NORMAL,
            "sw_if_index": indexes.interface(hop.interface) if hop.interface else NO_INDEX,
            "table_id": table,
            "weight": hop.weight,
            "preference": hop.preference,
            "proto": proto,
            "nh.address": raw.ljust(16, b"\0"),
        }


class RouteKind(VppObjectKind[Route]):
    """The static routes of files."""

    key = "routes"
    foreign_keys = ("route", "static-routes", "static", "ip-route", "gateway", "gateway4", "gateway6")
    object_class = Route
    operations = (SetRoute, RemoveRoute)
    rules = RULES
    has_traffic_impacts = True

    def sections(self) -> tuple[Section, ...]:
        """Return the section of the routes of all tables."""
        return (SECTION,)

    def set(self, item: Route) -> SetRoute:
        """Return the operation that sets all next hops of a prefix at once."""
        return SetRoute(item=item)

    def remove(self, item: Route) -> RemoveRoute:
        return RemoveRoute(item=item)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the sources: without one of our own there are no routes to ask for."""
        return [connection.request(SOURCES)[1]] if connection.offers(SOURCES) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[Route]:
        """Yield the routes of our source; one below a better source is not among them.

        VPP stops its workers while it walks a table for them, so that nothing is asked where the source is missing.
        """
        source = own_source(connection, replies) if connection.offers(SOURCES) else None
        if source is None:
            return
        asked = [connection.request(DUMP, _owned_by(source, each))[1] for each in tables]
        heads = ("route.table_id", "route.prefix.address.af", "route.prefix.address.un", "route.prefix.len")
        for (table_id, family, raw, length), paths in connection.lists(connection.ask(asked), DETAILS, heads, *PATH):
            prefix = f"{text_of_address(family, raw)}/{length}"
            yield route_from(prefix, table_id, [dict(zip(PATH, path, strict=True)) for path in paths], names)

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


def _owned_by(source: int, table: FibTable) -> dict[str, Value]:
    return {"src": source, "table.table_id": table.table_id, "table.is_ip6": int(table.is_ipv6)}


def route_from(prefix: str, table_id: int, paths: list[dict[str, Any]], names: Mapping[int, str]) -> Route:
    """Return a route of the columns `PATH` of each of its paths; `names` are the interfaces by index."""
    end = next((ENDS[path["type"]] for path in paths if path["type"] in ENDS), None)
    hops = (_hop(path, table_id, names) for path in paths if path["type"] == NORMAL)
    return Route(prefix=prefix, table_id=table_id, hops=in_order(hops), end=end)


def _hop(path: Mapping[str, Any], table_id: int, names: Mapping[int, str]) -> NextHop:
    gateway = text_of_address(path["proto"], path["nh.address"]) if any(path["nh.address"]) else ""
    interface = names.get(path["sw_if_index"], "")
    looks_up = not interface and (not gateway or path["table_id"] != table_id)
    return NextHop(
        gateway=gateway,
        interface=interface,
        table_id=path["table_id"] if looks_up else None,
        weight=path["weight"],
        preference=path["preference"],
    )


KIND: RouteKind = RouteKind()
