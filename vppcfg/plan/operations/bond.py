"""Bonds and their members."""

from __future__ import annotations

from vppcfg.model.bond import BondMode, LoadBalance
from vppcfg.record import record


@record
class CreateBond:
    """bond_create2: make `BondEthernetN`, born down and without members."""

    interface: str
    instance: int
    mode: BondMode
    load_balance: LoadBalance | None
    mac: str
    """'' for that of the first member."""
    has_gso: bool = False
    is_numa_only: bool = False


@record
class DeleteBond:
    """bond_delete: remove a bond."""

    interface: str


@record
class AddBondMember:
    """bond_add_member: make `interface` a member of `bond`; the first one gives it its MAC."""

    interface: str
    bond: str
    is_passive: bool = False
    is_long_timeout: bool = False


@record
class SetBondWeight:
    """sw_interface_set_bond_weight: how much a member is preferred in active-backup mode."""

    interface: str
    weight: int


@record
class RemoveBondMember:
    """bond_detach_member: take `interface` out of `bond`; it gets its own MAC back."""

    interface: str
    bond: str
