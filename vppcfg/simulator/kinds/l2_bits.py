"""Simulates the L2 feature bits of an interface: learn, forward, flood (vnet/l2/l2_api.c, l2_input.c).

A change of its mode sets these anew; bits that are set while it is in L3 wait for the next mode.
"""

from __future__ import annotations

from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import BridgeFeature, Tables
from vppcfg.simulator.wire import Outgoing, Values

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


def _answer(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    bits = sum(bit for flag, bit in _BITS.items() if values["feature_bitmap"] & flag)
    result = set_bits(call.tables, values["sw_if_index"], bits, is_on=values["is_set"])
    return call.reply(resulting_feature_bitmap=result)


def _get(call: Call, values: Values) -> Outgoing:
    """Tell the bits of a member of a bridge domain; raise RefusedError for what is none."""
    interfaces.require(call.tables, values["sw_if_index"])
    config = call.tables.l2_of(values["sw_if_index"])
    if config.bridge is None:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)
    return call.reply(flags=sum(flag for flag, bit in _TOLD.items() if config.input_bits & bit))


def _command(bit: int) -> Command:
    """`set interface l2 learn|forward|flood <interface> [disable]`; forward is taken for what a cross-connect does."""

    def command(tables: Tables, line: Input) -> str:
        row = line.require_interface(tables)
        set_bits(tables, row.index, bit, is_on=not line.take("disable"))
        return ""

    return command


KIND = Kind(
    changes={"l2_flags": _answer},
    queries={"l2_interface_feat_flags_get": _get},
    commands={
        "set interface l2 learn": _command(BridgeFeature.LEARN),
        "set interface l2 forward": _command(BridgeFeature.XCONNECT),
        "set interface l2 flood": _command(BridgeFeature.FLOOD),
    },
)
