"""Loads the static routes of a state into a simulated VPP, with the FIB source of files (vnet/fib/fib_source.c)."""

from __future__ import annotations

from vppcfg.common.addresses import address_key
from vppcfg.model.route import SOURCE, SOURCE_PRIORITY, NextHop, Route, RouteEnd
from vppcfg.model.state import State
from vppcfg.simulator.fib_entries import DROP, PROHIBIT, UNREACHABLE, FibPath
from vppcfg.simulator.kind import Kind, Rows
from vppcfg.simulator.kinds.route import SourceMain, sources
from vppcfg.simulator.kinds.route_change import change
from vppcfg.simulator.tables import Tables

_ENDS = {RouteEnd.BLACKHOLE: DROP, RouteEnd.UNREACHABLE: UNREACHABLE, RouteEnd.PROHIBIT: PROHIBIT}


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Put the routes of files into their tables."""
    routes = state.of(Route).values()
    if not routes:
        return
    source = len(sources(tables))
    tables.part(SourceMain).added.append((SOURCE.encode(), SOURCE_PRIORITY))
    for route in routes:
        key = address_key(route.prefix)
        table = (tables.fib6 if route.is_ipv6 else tables.fib4).tables[route.table_id]
        paths = [_path(hop, route, rows) for hop in route.hops]
        if route.end is not None:
            paths.append(FibPath(kind=_ENDS[route.end], is_ipv6=route.is_ipv6))
        change(tables, table, (key.value, key.length), source, tuple(paths), is_add=True, is_multipath=False)


def _path(hop: NextHop, route: Route, rows: Rows) -> FibPath:
    key = address_key(f"{hop.gateway}/0") if hop.gateway else None
    path = FibPath(
        next_hop=b"" if key is None else key.value.to_bytes(key.width // 8),
        weight=hop.weight,
        preference=hop.preference,
        is_ipv6=route.is_ipv6 if key is None else key.family == 6,
        table_id=hop.table_id if hop.table_id is not None else 0 if hop.interface else route.table_id,
    )
    return path._replace(sw_if_index=rows[hop.interface].index) if hop.interface else path


KIND = Kind(load=_load)
