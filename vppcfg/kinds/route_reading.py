"""Reads routes from VPP's FIB: all of one source, for which VPP walks a table, or those of some prefixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from vppcfg.kinds.next_hop import NORMAL, PATH, hop_at
from vppcfg.model.route import Route, RouteEnd, in_order
from vppcfg.model.vrf import FibTable
from vppcfg.wire.codec import prefix_values, text_of_prefix
from vppcfg.wire.reading import VppReader

DUMP, DETAILS = "ip_route_v2_dump", "ip_route_v2_details"
LOOKUP = "ip_route_lookup_v2"
TYPE_OF_END = {RouteEnd.BLACKHOLE: 2, RouteEnd.UNREACHABLE: 5, RouteEnd.PROHIBIT: 6}
"""fib_path_type (vnet/fib/fib_types.api)."""
ENDS = {number: end for end, number in TYPE_OF_END.items()}


class LookedUp(NamedTuple):
    """What VPP has for the very prefix of a route."""

    route: Route
    """The one that was asked about."""
    source: int
    """The best source, as VPP numbers them."""
    of_files: Route | None
    """What VPP forwards by, if that is of the source of files."""


def listed_routes(
    connection: VppReader, source: int, tables: Iterable[FibTable], names: Mapping[int, str]
) -> Iterator[Route]:
    """Yield the routes of a source, but for those below a better one; VPP walks each table with its workers stopped."""
    asked = [
        connection.request(DUMP, {"src": source, "table.table_id": each.table_id, "table.is_ip6": int(each.is_ipv6)})[1]
        for each in tables
    ]
    heads = ("route.table_id", "route.prefix.address.af", "route.prefix.address.un", "route.prefix.len")
    for (table_id, family, raw, length), paths in connection.lists(connection.ask(asked), DETAILS, heads, *PATH):
        prefix = text_of_prefix(family, raw, length)
        yield route_from(prefix, table_id, [dict(zip(PATH, path, strict=True)) for path in paths], names)


def looked_up(
    connection: VppReader, own_source: int | None, routes: Sequence[Route], names: Mapping[int, str]
) -> Iterator[LookedUp]:
    """Yield what VPP has for the prefixes of `routes`; each look-up takes it some microseconds, however many it has."""
    by_context: dict[int, Route] = {}
    asked = []
    for route in routes:
        values = {"table_id": route.table_id, "exact": 1, **prefix_values("prefix", route.prefix)}
        context, request = connection.request(LOOKUP, values)
        by_context[context] = route
        asked.append(request)
    heads = ("context", "retval", "route.src")
    replies = connection.ask(asked) if asked else {}
    for (context, retval, source), paths in connection.lists(replies, f"{LOOKUP}_reply", heads, *PATH):
        if context in by_context and not retval:
            route = by_context[context]
            columns = [dict(zip(PATH, path, strict=True)) for path in paths]
            found = route_from(route.prefix, route.table_id, columns, names) if source == own_source else None
            yield LookedUp(route, source, found)


def route_from(prefix: str, table_id: int, paths: list[dict[str, Any]], names: Mapping[int, str]) -> Route:
    """Return a route of the columns `PATH` of each of its paths; `names` are the interfaces by index."""
    end = next((ENDS[path["type"]] for path in paths if path["type"] in ENDS), None)
    hops = (hop_at(path, table_id, names) for path in paths if path["type"] == NORMAL)
    return Route(prefix=prefix, table_id=table_id, hops=in_order(hops), end=end)
