"""Finds routes of other programs in a FIB table, and the sources that lock it, before a plan deletes it.

A table that is deleted with routes in it leaves them to the next one that is made (vnet/fib/fib_table.c). Routes have a
source; those of the API can be swept, all others go only where they came from. Plugins name sources of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vppcfg.model.route import SOURCE
from vppcfg.model.vrf import LAST_TYPED, FibTable, ForeignRoutes
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.wire.codec import text_of_prefix
from vppcfg.wire.shell import Commands, Shown, header_command

_SOURCES = "fib_source_dump"
_DUMP = "ip_route_v2_dump"
_OWN = frozenset(
    {"invalid", "special", "proxy", "interface", "API", "BIER", "IPv6-proxy-nd", "IPv6-nd", "adjacency", "mpls"}
    | {"attached_export", "recursive-resolution", "urpf-exempt", "default-route", "interpose", SOURCE}
)
"""Sources of what comes and goes with addresses, neighbours and other routes, the API, and the routes of files
(vnet/fib/fib_source.h)."""
_HOLDS_ONCE = frozenset({"CLI"})
"""Who holds a table for having made it, whatever routes it has there."""
_LOCKS = re.compile(r"locks:\[([^]]*)\]")
"""Who holds a table, at the end of the first line that is shown of it: `flags:none locks:[interface:1, CLI:1, ]`."""


def foreign_routes(connection: Connection, tables: Sequence[FibTable]) -> list[ForeignRoutes]:
    """Return the routes of other programs in `tables`; none of a VPP that cannot report them. Raise DataplaneError.

    Of a prefix that has routes of several sources, VPP reports the best one only.
    """
    if not (tables and connection.offers(_SOURCES) and connection.offers(_DUMP)):
        return []
    typed = (table for table in tables if table.table_id <= LAST_TYPED)
    lines = {table.key: header_command(table.table_id, is_ipv6=table.is_ipv6) for table in typed}
    commands = Commands(connection, list(lines.values()))
    replies = connection.ask([connection.request(_SOURCES)[1], *commands.requests])
    rows = connection.rows(replies, "fib_source_details", "src.id", "src.name")
    sources = {number: name for number, raw in rows if (name := text_of(raw)) not in _OWN}
    shown = commands.read(connection, replies)
    holders = {key: frozenset(_holders(line, shown)) & frozenset(sources.values()) for key, line in lines.items()}
    prefixes = _prefixes(connection, tables, sources, holders)
    return list(_found(tables, sources, holders, prefixes))


def _holders(line: str, shown: Shown) -> Iterator[str]:
    """Yield who holds a table, but for those whose routes are few enough to be asked for one by one."""
    match = _LOCKS.search(shown[line][1])
    for lock in match[1].split(",") if match else ():
        name = lock.strip().rpartition(":")[0]
        if name not in _HOLDS_ONCE:
            yield name


def _prefixes(
    connection: Connection,
    tables: Sequence[FibTable],
    sources: Mapping[int, str],
    holders: Mapping[str, frozenset[str]],
) -> dict[tuple[str, int], list[str]]:
    """Return the prefixes in each table by their source, for sources that do not hold the table."""
    asked: dict[int, tuple[str, int]] = {}
    requests = []
    for table in connection.survey.walkable(tables, "routes of others"):
        for number, name in sources.items():
            if name not in holders.get(table.key, frozenset()):
                values = {"src": number, "table.table_id": table.table_id, "table.is_ip6": int(table.is_ipv6)}
                context, request = connection.request(_DUMP, values)
                asked[context] = (table.key, number)
                requests.append(request)
    replies = connection.ask(requests)
    paths = ("context", "route.prefix.address.af", "route.prefix.address.un", "route.prefix.len")
    found: dict[tuple[str, int], list[str]] = {}
    for context, family, raw, length in connection.rows(replies, "ip_route_v2_details", *paths):
        if context in asked:
            found.setdefault(asked[context], []).append(text_of_prefix(family, raw, length))
    return found


def _found(
    tables: Iterable[FibTable],
    sources: Mapping[int, str],
    holders: Mapping[str, frozenset[str]],
    prefixes: Mapping[tuple[str, int], list[str]],
) -> Iterator[ForeignRoutes]:
    for table in tables:
        for number, name in sources.items():
            held = name in holders.get(table.key, frozenset())
            if held or (table.key, number) in prefixes:
                found = tuple(prefixes.get((table.key, number), ()))
                yield ForeignRoutes(table=table, source=name, prefixes=found)
