"""Simulates cross-connects, the return of an interface to L3, and how both are shown (vnet/l2/l2_input.c).

A change of its mode sets the L2 feature bits of an interface (learn, forward, flood) anew; bits that are set while it
is in L3 wait for the next mode (l2_api.c).
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.state import State
from vppcfg.simulator import interfaces, l2
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import BridgeFeature, SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values


def _answer(call: Call, values: Values) -> None:
    """Cross-connect an interface to another, or return it to L3."""
    row = interfaces.require(call.tables, values["rx_sw_if_index"])
    if values["enable"]:
        l2.set_xconnect(call.tables, row, interfaces.require(call.tables, values["tx_sw_if_index"]))
    else:
        l2.set_l3(call.tables, row.index)


def _dump(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show all cross-connects, also those whose target is gone."""
    for index, config in sorted(call.tables.l2.items()):
        if config.xconnect_to is not None:
            yield call.details({"rx_sw_if_index": index, "tx_sw_if_index": config.xconnect_to})


def _command_xconnect(tables: Tables, line: Input) -> None:
    """`set interface l2 xconnect <interface> <peer>`."""
    row = line.require_interface(tables)
    l2.set_xconnect(tables, row, line.require_interface(tables, "unknown peer interface"))


def _command_l3(tables: Tables, line: Input) -> None:
    """`set interface l3 <interface>`."""
    l2.set_l3(tables, line.require_interface(tables).index)


def _command_show(tables: Tables, line: Input) -> str:
    """`show mode [<interface>...]`."""
    rows: list[SwInterface] = []
    while not line.is_at_end:
        row = line.interface(tables)
        if row is None:
            raise line.unknown_word()
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


_BITS = {
    1: BridgeFeature.LEARN,
    2: BridgeFeature.FWD,
    4: BridgeFeature.FLOOD,
    8: BridgeFeature.UU_FLOOD,
    16: BridgeFeature.ARP_TERM,
}
"""Flags of l2_flags (l2_intf_feat_flags)."""
_TOLD = {**_BITS, 32: BridgeFeature.ARP_UFWD}
"""Flags that l2_interface_feat_flags_get reports."""


def set_bits(tables: Tables, sw_if_index: int, bits: int, *, is_on: bool) -> int:
    """Turn bits of an interface on or off, and return all."""
    config = tables.l2_of(sw_if_index)
    config.input_bits = config.input_bits | bits if is_on else config.input_bits & ~bits
    return config.input_bits


def _answer_bits(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    bits = sum(bit for flag, bit in _BITS.items() if values["feature_bitmap"] & flag)
    result = set_bits(call.tables, values["sw_if_index"], bits, is_on=values["is_set"])
    return call.reply(resulting_feature_bitmap=result)


def _get_bits(call: Call, values: Values) -> Outgoing:
    """Tell the bits of a member of a bridge domain; raise RefusedError for what is none."""
    interfaces.require(call.tables, values["sw_if_index"])
    config = call.tables.l2_of(values["sw_if_index"])
    if config.bridge is None:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)
    return call.reply(flags=sum(flag for flag, bit in _TOLD.items() if config.input_bits & bit))


def _command_bits(bit: int) -> Command:
    """`set interface l2 learn|forward|flood <interface> [disable]`; forward is taken for what a cross-connect does."""

    def command(tables: Tables, line: Input) -> None:
        row = line.require_interface(tables)
        set_bits(tables, row.index, bit, is_on=not line.take("disable"))

    return command


KIND = Kind(
    changes={
        "sw_interface_set_l2_xconnect": _answer,
        "l2_flags": _answer_bits,
    },
    queries={
        "l2_xconnect_dump": _dump,
        "l2_interface_feat_flags_get": _get_bits,
    },
    commands={
        "set interface l2 xconnect": _command_xconnect,
        "set interface l3": _command_l3,
        "show mode": _command_show,
        "set interface l2 learn": _command_bits(BridgeFeature.LEARN),
        "set interface l2 forward": _command_bits(BridgeFeature.XCONNECT),
        "set interface l2 flood": _command_bits(BridgeFeature.FLOOD),
    },
    load=_load,
    deleted=l2.interface_deleted,
)
