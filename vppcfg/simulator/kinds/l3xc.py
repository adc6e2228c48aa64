"""Simulates L3 cross-connects (plugins/l3xc): all that comes in goes one way. They outlive their interface."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from vppcfg.model.l3xc import L3CrossConnect
from vppcfg.model.state import State
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.api_paths import packed, unpacked
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.fib_entries import FibPath, ordered
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds.route_change import read_path
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values


@dataclass(slots=True, kw_only=True)
class L3xcMain:
    """The paths by interface and family."""

    paths: dict[tuple[int, bool], tuple[FibPath, ...]] = field(default_factory=dict)


def _feature(is_ipv6: bool) -> arcs.Feature:
    return arcs.both("ip{}-unicast", "l3xc-input-ip{}")[is_ipv6]


def update(tables: Tables, key: tuple[int, bool], paths: Iterable[FibPath]) -> None:
    """Set the paths; the feature is turned on for an index that has none yet.

    Packets go on by the paths that a cross-connect had before (l3xc_update stacks a new one alone).
    """
    known = tables.part(L3xcMain).paths
    if key not in known:
        arcs.enable(tables, key[0], _feature(key[1]))
    known[key] = ordered(paths)


def delete(tables: Tables, key: tuple[int, bool]) -> None:
    """Take the paths out; raise RefusedError where there are none."""
    if tables.part(L3xcMain).paths.pop(key, None) is None:
        raise RefusedError(Retval.INVALID_VALUE)
    arcs.disable(tables, key[0], _feature(key[1]))


def _answer_update(call: Call, values: Values) -> None:
    key = values["l3xc.sw_if_index"], bool(values["l3xc.is_ip6"])
    interfaces.require(call.tables, key[0])
    update(call.tables, key, [unpacked(call.tables, row) for row in values["l3xc.paths"]])


def _answer_delete(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    delete(call.tables, (values["sw_if_index"], bool(values["is_ip6"])))


def _command(tables: Tables, line: Input) -> str:
    """`l3xc [add|del] <interface> [ip6] via <path>...`; the family is that of the word, not of the paths."""
    row, is_ipv6, is_add = None, False, True
    paths: list[FibPath] = []
    while not line.is_at_end:
        if (found := line.interface(tables)) is not None:
            row = found
        elif line.take_word("ip6"):
            is_ipv6 = True
        elif line.take_word("del"):
            is_add = False
        elif line.take_word("ip4") or line.take_word("add"):
            continue
        elif line.take("via"):
            paths.append(read_path(tables, line, is_ipv6=is_ipv6))
        else:
            raise line.unknown("unknown input")
    if row is None or not paths:
        return "Specify an input interface" if row is None else "Specify some paths"
    if is_add:
        update(tables, (row.index, is_ipv6), paths)
    else:
        with suppress(RefusedError):
            delete(tables, (row.index, is_ipv6))
    return ""


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for each in state.of(L3CrossConnect).values():
        paths = [
            FibPath(
                sw_if_index=rows[hop.interface].index,
                next_hop=ipaddress.ip_address(hop.gateway).packed if hop.gateway else b"",
                weight=hop.weight,
                preference=hop.preference,
                is_ipv6=":" in hop.gateway if hop.gateway else each.is_ipv6,
            )
            for hop in each.hops
        ]
        update(tables, (rows[each.interface].index, each.is_ipv6), paths)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the paths; VPP does not fill in the family (l3xc_send_details)."""
    for (sw_if_index, _), paths in call.tables.part(L3xcMain).paths.items():
        if values["sw_if_index"] in (NONE, sw_if_index):
            yield call.details({"l3xc.sw_if_index": sw_if_index, "l3xc.paths": tuple(map(packed, paths))})


KIND = Kind(
    plugin="l3xc",
    changes={"l3xc_update": _answer_update, "l3xc_del": _answer_delete},
    queries={"l3xc_dump": _dump},
    commands={"l3xc": _command},
    load=_load,
)
