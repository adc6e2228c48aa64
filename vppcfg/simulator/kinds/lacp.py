"""Simulates LACP: the state of members of bonds whose other side never answers (plugins/lacp)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds.bond_member import BondMain, BondRow, Mode
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values, fixed

_DEFAULTED = 2
"""State of a member's receiving side without a partner (plugins/lacp/rx_machine.h)."""
_ACTOR_STATE, _PARTNER_STATE = 199, 2
_SYSTEM_PRIORITY, _PORT_PRIORITY = 0xFFFF, 255


def _dump(call: Call, _values: Values) -> Iterator[Outgoing]:
    """Show the members of LACP bonds."""
    for row in call.tables.part(BondMain).bonds:
        for position, index in enumerate(row.members if row.mode is Mode.LACP else (), 1):
            yield call.details(_details(call.tables, row, index, position))


def _details(tables: Tables, bond: BondRow, sw_if_index: int, position: int) -> Values:
    key = bond.sw_if_index & 0xFFFF
    return {
        "sw_if_index": sw_if_index,
        "interface_name": fixed(tables.hw[tables.sw[sw_if_index].hw_index].name, 64),
        "rx_state": _DEFAULTED,
        "bond_interface_name": fixed(tables.hw[bond.hw_index].name, 64),
        "actor_system_priority": _SYSTEM_PRIORITY,
        "actor_system": bond.mac,
        "actor_key": key,
        "actor_port_priority": _PORT_PRIORITY,
        "actor_port_number": position,
        "actor_state": _ACTOR_STATE,
        "partner_system_priority": _SYSTEM_PRIORITY,
        "partner_key": key,
        "partner_port_priority": _PORT_PRIORITY,
        "partner_port_number": position,
        "partner_state": _PARTNER_STATE,
    }


KIND = Kind(plugin="lacp", queries={"sw_interface_lacp_dump": _dump})
