"""Simulates LACP: the state of members of bonds whose other side never answers (plugins/lacp)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds.bond_member import BondMain, BondRow, Mode
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values, fixed

_API = """
version 23.06- 2.0.0 e1609dab
import interface_index
import mac_address
request sw_interface_lacp_dump 51077d14 streams sw_interface_lacp_details
reply sw_interface_lacp_details d9a83d2f: interface_index sw_if_index, string interface_name[64], u32 rx_state, u32 \
tx_state, u32 mux_state, u32 ptx_state, string bond_interface_name[64], u16 actor_system_priority, mac_address \
actor_system, u16 actor_key, u16 actor_port_priority, u16 actor_port_number, u8 actor_state, u16 \
partner_system_priority, mac_address partner_system, u16 partner_key, u16 partner_port_priority, u16 \
partner_port_number, u8 partner_state
"""
"""VPP's messages for this, in the notation of `simulator/api_files`."""
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


KIND = Kind(plugin="lacp", api={"lacp": _API}, queries={"sw_interface_lacp_dump": _dump})
