"""Simulates MPLS routes of the prompt and of the API (vnet/mpls/mpls_api.c, vnet/mpls/mpls.c).

Like those of IP they outlive the interfaces that they lead through, and share lists of paths with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from vppcfg.simulator.api_paths import packed, unpacked
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.fib_entries import FibPath, ordered, with_paths, without_paths
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds.mpls import MplsMain
from vppcfg.simulator.kinds.route import API, CLI
from vppcfg.simulator.kinds.route_change import hold_paths, read_path, release_paths, survive_stale
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_NAMES = {API: "API", CLI: "CLI"}


class Label(NamedTuple):
    """What a route is for."""

    table_id: int
    label: int
    is_end: bool
    """Whether it is the last label of a packet."""


@dataclass(slots=True, kw_only=True)
class MplsRouteMain:
    """All routes: the paths by source, and the protocol behind a last label."""

    routes: dict[Label, dict[int, tuple[FibPath, ...]]] = field(default_factory=dict)
    payloads: dict[Label, int] = field(default_factory=dict)


def change(
    tables: Tables, key: Label, source: int, paths: list[FibPath], payload: int, *, is_add: bool, is_multipath: bool
) -> None:
    """Add or delete paths of one source, or set or delete all of them."""
    main = tables.part(MplsRouteMain)
    old = main.routes.get(key, {}).get(source, ())
    if not is_multipath:
        new = ordered(paths) if is_add else ()
    else:
        new = with_paths(old, paths) if is_add else without_paths(old, paths)
        if new != old:
            survive_stale(tables, old if is_add else new)
    if new:
        main.routes.setdefault(key, {})[source] = new
        main.payloads.setdefault(key, payload)
        hold_paths(tables, new)
    elif old:
        del main.routes[key][source]
        if not main.routes[key]:
            del main.routes[key], main.payloads[key]
    if old:
        release_paths(tables, old)


def _answer(call: Call, values: Values) -> Outgoing:
    """Change a route of the API."""
    key = Label(values["mr_route.mr_table_id"], values["mr_route.mr_label"], bool(values["mr_route.mr_eos"]))
    if key.table_id not in call.tables.part(MplsMain).tables:
        raise RefusedError(Retval.NO_SUCH_FIB)
    paths = [unpacked(call.tables, row) for row in values["mr_route.mr_paths"]]
    is_add, is_multipath = bool(values["mr_is_add"]), bool(values["mr_is_multipath"])
    if not paths and (is_add or is_multipath):
        raise RefusedError(Retval.NO_PATHS_IN_ROUTE)
    payload = values["mr_route.mr_eos_proto"]
    change(call.tables, key, API, paths, payload, is_add=is_add, is_multipath=is_multipath)
    return call.reply()


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the routes of a table, each with the paths of its best source; VPP's own are left out."""
    main = call.tables.part(MplsRouteMain)
    for key, sources in sorted(main.routes.items()):
        if key.table_id == values["table.mt_table_id"]:
            yield call.details(
                {
                    "mr_route.mr_table_id": key.table_id,
                    "mr_route.mr_label": key.label,
                    "mr_route.mr_eos": key.is_end,
                    "mr_route.mr_eos_proto": main.payloads[key],
                    "mr_route.mr_paths": tuple(map(packed, sources[min(sources)])),
                }
            )


def _command(tables: Tables, rest: Input) -> str:
    """`mpls local-label [add|del] <label> [eos|non-eos] [table <id>] via <path>...`."""
    line = rest.line()
    is_add, is_end, table_id, label = True, False, 0, None
    paths: list[FibPath] = []
    while not line.is_at_end:
        if (number := line.number_after("table")) is not None:
            table_id = number
        elif line.take("del"):
            is_add = False
        elif line.take("add"):
            is_add = True
        elif line.take("eos"):
            is_end = True
        elif line.take("non-eos"):
            is_end = False
        elif line.take("via"):
            paths.append(read_path(tables, line, is_ipv6=False))
        elif (number := line.number()) is not None:
            label = number
        else:
            raise line.unknown("unknown input")
    if label is None:
        raise RefusedError(Retval.UNSPECIFIED, "local-label required: ")
    if not paths:
        raise RefusedError(Retval.UNSPECIFIED, "no paths")
    if table_id not in tables.part(MplsMain).tables:
        raise RefusedError(Retval.UNSPECIFIED, f"MPLS table-id {table_id} does not exist")
    key = Label(table_id, label, is_end)
    change(tables, key, CLI, paths, int(paths[0].is_ipv6), is_add=is_add, is_multipath=True)
    return ""


def _command_show(tables: Tables, line: Input) -> str:
    """`show mpls fib [table <id>] <label>`: who has a route for it, without the paths."""
    table_id = line.number_after("table") or 0
    label = line.number()
    text = ""
    for key, sources in sorted(tables.part(MplsRouteMain).routes.items()):
        if (key.table_id, key.label) == (table_id, label):
            text += f"{label}:{'eos' if key.is_end else 'neos'}/21 fib:0 index:0 locks:2\n"
            text += "".join(f"  {_NAMES[each]} refs:1 src-flags:added,\n" for each in sorted(sources))
    return text


KIND = Kind(
    changes={"mpls_route_add_del": _answer},
    queries={"mpls_route_dump": _dump},
    commands={"mpls local-label": _command, "show mpls fib": _command_show},
)
