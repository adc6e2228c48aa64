"""Simulates cross-connects, the return of an interface to L3, and how both are shown (vnet/l2/l2_input.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.state import State
from vppcfg.simulator import interfaces, l2
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values


def _answer(call: Call, values: Values) -> Outgoing:
    """Cross-connect an interface to another, or return it to L3."""
    row = interfaces.require(call.tables, values["rx_sw_if_index"])
    if values["enable"]:
        l2.set_xconnect(call.tables, row, interfaces.require(call.tables, values["tx_sw_if_index"]))
    else:
        l2.set_l3(call.tables, row.index)
    return call.reply()


def _dump(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show all cross-connects, also those whose target is gone."""
    for index, config in sorted(call.tables.l2.items()):
        if config.xconnect_to is not None:
            yield call.details({"rx_sw_if_index": index, "tx_sw_if_index": config.xconnect_to})


def _command_xconnect(tables: Tables, line: Input) -> str:
    """`set interface l2 xconnect <interface> <peer>`."""
    row = line.require_interface(tables)
    l2.set_xconnect(tables, row, line.require_interface(tables, "unknown peer interface"))
    return ""


def _command_l3(tables: Tables, line: Input) -> str:
    """`set interface l3 <interface>`."""
    l2.set_l3(tables, line.require_interface(tables).index)
    return ""


def _command_show(tables: Tables, line: Input) -> str:
    """`show mode [<interface>...]`."""
    rows: list[SwInterface] = []
    while not line.is_at_end:
        row = line.interface(tables)
        if row is None:
            line.skip_space()
            raise line.unknown()
        rows.append(row)
    return "".join(_shown(tables, row) for row in rows or tables.sw)


def _shown(tables: Tables, row: SwInterface) -> str:
    config = tables.l2.get(row.index)
    name = tables.name_of(row)
    if config is not None and config.bridge is not None:
        bd_id = tables.bridges.domains[config.bridge].bd_id
        shown = NONE if bd_id is None else bd_id
        return f"l2 bridge {name} bd_id {shown}{' bvi' if config.is_bvi else ''} shg {config.group}\n"
    if config is not None and config.xconnect_to is not None:
        target = tables.sw.get(config.xconnect_to)
        return f"l2 xconnect {name} {tables.name_of(target) if target else 'DELETED'}\n"
    return f"l3 {name}  \n"


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for name, row in rows.items():
        desired = state.interfaces[name].l2xc
        target = tables.named(desired) if desired is not None else None
        if target is not None:
            l2.set_xconnect(tables, row, target)


KIND = Kind(
    changes={"sw_interface_set_l2_xconnect": _answer},
    queries={"l2_xconnect_dump": _dump},
    commands={
        "set interface l2 xconnect": _command_xconnect,
        "set interface l3": _command_l3,
        "show mode": _command_show,
    },
    load=_load,
    deleted=l2.interface_deleted,
)
