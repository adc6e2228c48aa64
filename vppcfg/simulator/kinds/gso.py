"""Simulates GSO: cutting large packets that leave an interface (vnet/gso)."""

from __future__ import annotations

from vppcfg.model.state import State
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_FEATURES = (*arcs.both("ip{}-output", "gso-ip{}"), *arcs.both("l2-output-ip{}", "gso-l2-ip{}"))


def set_enabled(tables: Tables, sw_if_index: int, is_on: bool) -> None:
    """Enable GSO once more or once less; nothing happens where it is not enabled and should be less so."""
    arcs.set_features(tables, sw_if_index, _FEATURES, is_on=is_on)


def _answer_enable(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    set_enabled(call.tables, values["sw_if_index"], values["enable_disable"])
    return call.reply()


def _command(tables: Tables, rest: Input) -> str:
    """`set interface feature gso <interface> [enable|disable]`; VPP reports nothing of what it does not understand."""
    line, row, is_on = rest.line(), None, False
    while not line.is_at_end:
        if (found := line.interface(tables)) is not None:
            row = found
        elif line.take("enable"):
            is_on = True
        elif line.take("disable"):
            is_on = False
        else:
            return ""
    if row is not None:
        set_enabled(tables, row.index, is_on)
    return ""


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for name, row in rows.items():
        if state.interfaces[name].has_gso:
            set_enabled(tables, row.index, True)


KIND = Kind(
    changes={"feature_gso_enable_disable": _answer_enable},
    commands={"set interface feature gso": _command},
    load=_load,
)
