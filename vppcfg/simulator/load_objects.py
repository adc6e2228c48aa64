"""Fills the tables of a simulated VPP with what it makes itself: loopbacks, bonds, tunnels, TAPs, bridges, lists."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vppcfg.errors import UsageError
from vppcfg.model.bond import Bond, BondMode, LoadBalance
from vppcfg.model.interface import Interface
from vppcfg.model.state import State
from vppcfg.simulator.mains import bond as bond_main
from vppcfg.simulator.port import mac_bytes, made_up_mac
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.vnet import bond

_NUMBER = re.compile(r"\d+$")
_MODES = {
    BondMode.ROUND_ROBIN: bond_main.Mode.ROUND_ROBIN,
    BondMode.ACTIVE_BACKUP: bond_main.Mode.ACTIVE_BACKUP,
    BondMode.XOR: bond_main.Mode.XOR,
    BondMode.BROADCAST: bond_main.Mode.BROADCAST,
    BondMode.LACP: bond_main.Mode.LACP,
}
_LOAD_BALANCES = {
    LoadBalance.L2: bond_main.LoadBalance.L2,
    LoadBalance.L23: bond_main.LoadBalance.L23,
    LoadBalance.L34: bond_main.LoadBalance.L34,
}
_FIRST_OWN_MAC = 0x20000
"""Where the MAC addresses begin that members of loaded bonds get back when they leave."""


def make_bond(tables: Tables, state: State, wanted: Interface, number: int) -> SwInterface | None:
    """Make a bond."""
    model = state.making(wanted.name, Bond)
    return None if model is None else bond.create(tables, _bond_wish(model, number))


def _bond_wish(model: Bond, number: int) -> bond.Wish:
    return bond.Wish(
        number=number,
        mode=_MODES[model.mode],
        load_balance=_LOAD_BALANCES[model.load_balance or LoadBalance.L2],
        has_gso=model.has_gso,
        is_numa_only=model.is_numa_only,
    )


def load_members(tables: Tables, state: State, rows: Mapping[str, SwInterface]) -> None:
    """Let members join their bonds; what a state does not say, their own MACs, is the first one's and made up."""
    for name, model in state.made_as(Bond).items():
        row = tables.bonds.of_sw(rows[name].index) if name in rows else None
        if row is None:
            continue
        for position, (member, settings) in enumerate(model.members.items()):
            if member not in rows:
                raise UsageError(f"the state has {member} as a member of {name} but no such interface")
            wanted = state.interfaces[member].mac
            is_own = position == 0 or (wanted and wanted != state.interfaces[name].mac)
            own = wanted if is_own and wanted else made_up_mac(_FIRST_OWN_MAC + rows[member].index)
            joined = bond_main.MemberRow(
                sw_if_index=rows[member].index,
                bond=row.index,
                own_mac=mac_bytes(own),
                is_passive=settings.is_passive,
                is_long_timeout=settings.is_long_timeout,
                weight=settings.weight,
            )
            tables.bonds.members[joined.sw_if_index] = joined
            row.members.append(joined.sw_if_index)
        row.mac = mac_bytes(state.interfaces[name].mac) if state.interfaces[name].mac else row.mac
