"""Reads the routes that were typed at VPP's prompt, as far as a file can have the same: `adopt` takes them over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.kinds.next_hop import NORMAL, PATH
from vppcfg.kinds.route_reading import DETAILS, DUMP, ENDS, route_from
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.model.vrf import LAST_TYPED, FibTable
from vppcfg.wire.codec import text_of_prefix
from vppcfg.wire.reading import VppReader
from vppcfg.wire.shell import Commands, prefix_command

_PROMPT = 9
"""FIB_SOURCE_CLI (vnet/fib/fib_source.h), the same in all releases from 22.06."""
_EXCLUSIVE = "exclusive:"
"""How the prompt shows what the API shows as a look-up: `via null-send-unreach`, `via punt` (fib_path_encode)."""
_HEADS = ("route.table_id", "route.prefix.address.af", "route.prefix.address.un", "route.prefix.len")


def routes_of_prompt(connection: VppReader, state: State, names: Mapping[int, str]) -> Iterator[Route]:
    """Yield the routes of the prompt that are in effect and that a file can have. Raise DataplaneError.

    Labels, routes to the router itself, and what hands packets to something else are left out.
    """
    if not connection.offers(DUMP):
        return
    tables = [FibTable(table_id=0), FibTable(table_id=0, is_ipv6=True), *state.vrfs.values()]
    asked = [
        connection.request(
            DUMP, {"src": _PROMPT, "table.table_id": table.table_id, "table.is_ip6": int(table.is_ipv6)}
        )[1]
        for table in connection.survey.walkable(tables, "routes of the prompt")
    ]
    found = []
    for (table_id, family, raw, length), paths in connection.lists(
        connection.ask(asked), DETAILS, _HEADS, *PATH, "n_labels"
    ):
        columns = [dict(zip((*PATH, "n_labels"), path, strict=True)) for path in paths]
        if all(path["type"] in (NORMAL, *ENDS) and not path["n_labels"] for path in columns):
            prefix = text_of_prefix(family, raw, length)
            found.append(route_from(prefix, table_id, columns, names))
    yield from _without_exclusive(connection, found)


def _without_exclusive(connection: VppReader, routes: list[Route]) -> Iterator[Route]:
    """Yield routes but for those that only look like look-ups in the default table."""
    doubtful = {
        route.name: prefix_command(route.table_id, route.prefix)
        for route in routes
        if any(hop.table_id == 0 and not hop.gateway for hop in route.hops) and route.table_id <= LAST_TYPED
    }
    commands = Commands(connection, list(doubtful.values()))
    shown = commands.read(connection, connection.ask(commands.requests)) if doubtful else {}
    for route in routes:
        line = doubtful.get(route.name)
        if line is None or (route.table_id and _EXCLUSIVE not in shown[line][1]):
            yield route
