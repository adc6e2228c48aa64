"""Simulates MPLS: tables, routes, and the interfaces that take labelled packets (vnet/mpls).

Like those of IP, routes outlive the interfaces that they lead through, and share lists of paths with them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from vppcfg.model.state import State
from vppcfg.model.vpn_label import VpnLabel
from vppcfg.simulator import interfaces
from vppcfg.simulator.api_paths import packed, unpacked
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.fib_entries import FibPath, ordered, with_paths, without_paths
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds.route import API, CLI
from vppcfg.simulator.kinds.route_change import hold_paths, read_path, release_paths, survive_stale
from vppcfg.simulator.kinds.route_shown import path_text
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, to_bytes

_IS_COPIED_TO_THE_HOST = ReleaseQuirk(span="23.10-", text="the host side of an LCP pair follows in MPLS (44b3abe86ab)")
_DEFAULT = 0
_COUNTER = 256
"""VPP counts in a byte how often an interface was enabled."""


class Source(Enum):
    """Who keeps a table alive (fib_source_t)."""

    API = "API"
    CLI = "CLI"
    INTERFACE = "interface"


@dataclass(slots=True, kw_only=True)
class MplsTable:
    """One table."""

    name: bytes
    locks: dict[Source, int] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class MplsMain:
    """All tables by id, in the order in which they were made."""

    tables: dict[int, MplsTable] = field(default_factory=dict)
    enabled: dict[int, int] = field(default_factory=dict)
    """How often MPLS was enabled, 0 to 255, by sw_if_index; it outlives the interface."""


def create_table(tables: Tables, table_id: int, source: Source, name: bytes) -> None:
    """Make a table, or keep one that is there alive; its name stays."""
    created = MplsTable(name=name or f"MPLS-VRF:{table_id}".encode())
    table = tables.part(MplsMain).tables.setdefault(table_id, created)
    table.locks[source] = table.locks.get(source, 0) + 1


def delete_table(tables: Tables, table_id: int, source: Source) -> None:
    """Unlock a table; it stays as long as another source locks it."""
    main = tables.part(MplsMain)
    table = main.tables.get(table_id)
    if table is None or not table.locks.get(source):
        return
    table.locks[source] -= 1
    if not any(table.locks.values()):
        del main.tables[table_id]


def set_enabled(tables: Tables, sw_if_index: int, is_on: bool) -> None:
    """Enable MPLS once more or once less; raise RefusedError without the default table.

    Disabling it where it is not enabled enables it: the counter has no sign.
    """
    main = tables.part(MplsMain)
    if _DEFAULT not in main.tables:
        raise RefusedError(Retval.NO_SUCH_FIB, "default MPLS table must be created first")
    main.enabled[sw_if_index] = (main.enabled.get(sw_if_index, 0) + (1 if is_on else -1)) % _COUNTER
    if is_on and main.enabled[sw_if_index] == 1:
        create_table(tables, _DEFAULT, Source.INTERFACE, b"")
        _tell_host(tables, sw_if_index, is_on)
    elif not is_on and main.enabled[sw_if_index] == 0:
        delete_table(tables, _DEFAULT, Source.INTERFACE)
        _tell_host(tables, sw_if_index, is_on)


def _tell_host(tables: Tables, sw_if_index: int, is_on: bool) -> None:
    """Have the host interface of an LCP pair follow."""
    index = tables.lcp.by_phy.get(sw_if_index)
    if index is not None and tables.release.has(_IS_COPIED_TO_THE_HOST):
        set_enabled(tables, tables.lcp.pairs[index].host, is_on)


def pair_created(tables: Tables, phy_index: int) -> None:
    """Enable MPLS on the host interface of a new LCP pair when the other side has it."""
    if is_enabled(tables, phy_index):
        _tell_host(tables, phy_index, True)


def is_enabled(tables: Tables, sw_if_index: int) -> bool:
    """Return whether an interface takes labelled packets."""
    return bool(tables.part(MplsMain).enabled.get(sw_if_index))


def _answer_add_delete(call: Call, values: Values) -> None:
    """Make or delete a table; VPP refuses neither."""
    table_id = values["mt_table.mt_table_id"]
    if values["mt_is_add"]:
        create_table(call.tables, table_id, Source.API, values["mt_table.mt_name"].split(b"\0", 1)[0])
    else:
        delete_table(call.tables, table_id, Source.API)


def _dump_tables(call: Call, _values: Values) -> Iterator[Outgoing]:
    for table_id, table in call.tables.part(MplsMain).tables.items():
        yield call.details({"mt_table.mt_table_id": table_id, "mt_table.mt_name": table.name[:63]})


def _answer_enabled(call: Call, values: Values) -> None:
    """Let an interface take labelled packets, or no longer."""
    interfaces.require(call.tables, values["sw_if_index"])
    set_enabled(call.tables, values["sw_if_index"], values["enable"])


def _dump_interfaces(call: Call, values: Values) -> Iterator[Outgoing]:
    desired = values["sw_if_index"]
    for index in [row.index for row in call.tables.sw] if desired == NONE else [desired]:
        if is_enabled(call.tables, index):
            yield call.details({"sw_if_index": index})


def _command_table(tables: Tables, rest: Input) -> None:
    """`mpls table [add|del] <id> [name <name>]`."""
    line = rest.line()
    if line.is_at_end:
        return
    table_id, is_add, name = None, True, ""
    while not line.is_at_end:
        number = line.number()
        if number is not None:
            table_id = number
        elif line.take("del"):
            is_add = False
        elif line.take("add"):
            is_add = True
        elif line.take("name"):
            name = line.string() or ""
        else:
            raise line.unknown_word("parse error")
    table_id = required(table_id, "No table id")
    if is_add:
        create_table(tables, table_id, Source.CLI, to_bytes(name))
    else:
        delete_table(tables, table_id, Source.CLI)


def _command_enabled(tables: Tables, line: Input) -> None:
    """`set interface mpls <interface> enable|disable`."""
    row = line.require_interface(tables)
    is_on = line.take("enable")
    if not is_on and not line.take("disable"):
        raise RefusedError(Retval.UNSPECIFIED, "expected 'enable' or 'disable'")
    set_enabled(tables, row.index, is_on)


def _command_show(tables: Tables, line: Input) -> str:
    """`show mpls interface [<interface>]`."""
    row = line.interface(tables)
    if row is not None:
        return _shown(tables, row)
    return "".join(_shown(tables, row) for row in tables.sw if is_enabled(tables, row.index))


def _shown(tables: Tables, row: SwInterface) -> str:
    state = "enabled" if is_enabled(tables, row.index) else "disabled"
    return f"{tables.name_of(row)}\n  MPLS {state}\n"


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Make the default table and enable MPLS."""
    takers = [row for name, row in rows.items() if state.interfaces[name].has_mpls]
    if state.has_mpls_table or takers:
        create_table(tables, _DEFAULT, Source.API, b"")
    for row in takers:
        set_enabled(tables, row.index, True)
    for each in state.of(VpnLabel).values():
        path = FibPath(is_ipv6=each.is_ipv6, table_id=each.table_id)
        key = Label(_DEFAULT, each.number, is_end=True)
        change_route(tables, key, API, [path], int(each.is_ipv6), is_add=True, is_multipath=False)


_NAMES = {API: "API", CLI: "CLI"}
_FAMILIES = {0: "ip4", 1: "ip6"}
"""What packets behind their last label are taken for (dpo_proto_t)."""


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


def change_route(
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


def _answer_route(call: Call, values: Values) -> None:
    """Change a route of the API."""
    key = Label(values["mr_route.mr_table_id"], values["mr_route.mr_label"], bool(values["mr_route.mr_eos"]))
    if key.table_id not in call.tables.part(MplsMain).tables:
        raise RefusedError(Retval.NO_SUCH_FIB)
    paths = [unpacked(call.tables, row) for row in values["mr_route.mr_paths"]]
    is_add, is_multipath = bool(values["mr_is_add"]), bool(values["mr_is_multipath"])
    if not paths and (is_add or is_multipath):
        raise RefusedError(Retval.NO_PATHS_IN_ROUTE)
    payload = values["mr_route.mr_eos_proto"]
    change_route(call.tables, key, API, paths, payload, is_add=is_add, is_multipath=is_multipath)


def _dump_routes(call: Call, values: Values) -> Iterator[Outgoing]:
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


def _command_route(tables: Tables, rest: Input) -> None:
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
    label = required(label, "local-label required: ")
    if not paths:
        raise RefusedError(Retval.UNSPECIFIED, "no paths")
    if table_id not in tables.part(MplsMain).tables:
        raise RefusedError(Retval.UNSPECIFIED, f"MPLS table-id {table_id} does not exist")
    key = Label(table_id, label, is_end)
    change_route(tables, key, CLI, paths, int(paths[0].is_ipv6), is_add=is_add, is_multipath=True)


def _command_show_routes(tables: Tables, line: Input) -> str:
    """`show mpls fib [table <id>] <label>`: who has a route for it, by which paths, and what VPP does with packets."""
    table_id = line.number_after("table") or 0
    label = line.number()
    main = tables.part(MplsRouteMain)
    text = ""
    for key, sources in sorted(main.routes.items()):
        if (key.table_id, key.label) == (table_id, label):
            text += f"{label}:{'eos' if key.is_end else 'neos'}/21 fib:0 index:0 locks:2\n"
            for place, (source, paths) in enumerate(sorted(sources.items())):
                flags = "added,contributing,active," if not place else "added,"
                text += f"  {_NAMES[source]} refs:1 src-flags:{flags}\n    path-list:[1] locks:2 uPRF-list:1\n"
                text += "".join(path_text(tables, path, path.is_ipv6) for path in paths)
            text += "\n forwarding:   mpls-eos-chain\n"
            if key.is_end and main.payloads[key] in _FAMILIES:
                text += f"    [0] [@6]: mpls-disposition:[0]:[{_FAMILIES[main.payloads[key]]}, pipe]\n"
    return text


KIND = Kind(
    quirks=(_IS_COPIED_TO_THE_HOST,),
    changes={
        "mpls_table_add_del": _answer_add_delete,
        "sw_interface_set_mpls_enable": _answer_enabled,
        "mpls_route_add_del": _answer_route,
    },
    queries={
        "mpls_table_dump": _dump_tables,
        "mpls_interface_dump": _dump_interfaces,
        "mpls_route_dump": _dump_routes,
    },
    commands={
        "mpls table": _command_table,
        "set interface mpls": _command_enabled,
        "show mpls interface": _command_show,
        "mpls local-label": _command_route,
        "show mpls fib": _command_show_routes,
    },
    load=_load,
)
