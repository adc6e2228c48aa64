"""GSO: cutting large packets that leave an interface (vnet/gso, vnet/feature).

Of the features on an interface's output this is the only one here, so it alone decides how far VPP tells the truth.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.retval import Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values, cstring

_GSO = """
version 23.06- 1.0.0 81a73026
import interface_index
request feature_gso_enable_disable 5501adee: interface_index sw_if_index, bool enable_disable
reply feature_gso_enable_disable_reply e8d4e804: i32 retval
"""
_FEATURE = """
version 23.06-24.10 1.0.2 8a6e6da1
version 25.06- 1.0.2 30d6f180
import interface_index
request feature_is_enabled 55db09e2 25.06-: string arc_name[64], string feature_name[64], interface_index sw_if_index
bare feature_is_enabled_reply 03f284b5 25.06-: u32 client_index, u32 context, i32 retval, bool is_enabled
"""
_ON_PATH = {
    ("ip4-output", "gso-ip4"): True,
    ("ip6-output", "gso-ip6"): True,
    ("ip4-output", "interface-output"): False,
    ("ip6-output", "interface-output"): False,
}
"""What can be asked about, and whether it is GSO."""


@dataclass(slots=True, kw_only=True)
class GsoMain:
    """How often GSO was enabled on each index (vnet_config_t has a feature as often)."""

    enabled: dict[int, int] = field(default_factory=dict)
    known: int = 0
    """How many indexes the vector of configurations has; it never shrinks."""


def set_enabled(tables: Tables, sw_if_index: int, is_on: bool) -> None:
    """Enable GSO once more or once less; nothing happens where it is not enabled and should be less so."""
    main = tables.part(GsoMain)
    count = main.enabled.get(sw_if_index, 0)
    if is_on:
        main.known = max(main.known, sw_if_index + 1)
        main.enabled[sw_if_index] = count + 1
    elif count:
        main.enabled[sw_if_index] = count - 1


def _answer_enable(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    set_enabled(call.tables, values["sw_if_index"], values["enable_disable"])
    return call.reply()


def _answer_is_enabled(call: Call, values: Values) -> Outgoing:
    """Say yes, too, of what VPP does not know and of indexes beyond the vector: the codes for these are not zero."""
    index, main = values["sw_if_index"], call.tables.part(GsoMain)
    if not call.tables.sw.has(index):
        return call.reply(retval=Retval.INVALID_SW_IF_INDEX)
    is_gso = _ON_PATH.get((cstring(values["arc_name"]), cstring(values["feature_name"])))
    is_on = is_gso is None or index >= main.known or (is_gso and bool(main.enabled.get(index)))
    return call.reply(is_enabled=is_on)


def _command(tables: Tables, rest: Input) -> str:
    """`set interface feature gso <interface> [enable|disable]`; VPP says nothing of what it does not understand."""
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


def _forget(tables: Tables, sw_if_index: int) -> None:
    tables.part(GsoMain).enabled.pop(sw_if_index, None)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for name, row in rows.items():
        if state.interfaces[name].has_gso:
            set_enabled(tables, row.index, True)


KIND = Kind(
    api={"gso": _GSO, "feature": _FEATURE},
    changes={"feature_gso_enable_disable": _answer_enable},
    queries={"feature_is_enabled": _answer_is_enabled},
    commands={"set interface feature gso": _command},
    deleted=_forget,
    load=_load,
)
