"""Bonds and their members (vnet/bonding/cli.c)."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.birth import born
from vppcfg.model.bond import Bond, Membership
from vppcfg.model.interface import InterfaceKind, evolve
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.effects.removal import dangling
from vppcfg.plan.operations import AddBondMember, CreateBond, DeleteBond, RemoveBondMember, SetBondWeight


@refusal_of.register
def _(operation: CreateBond, draft: Draft) -> str | None:
    return None


@effect_of.register
def _(operation: CreateBond, draft: Draft) -> None:
    draft.add_interface(evolve(born(operation.interface, InterfaceKind.BOND), mac=operation.mac))
    draft.bonds[operation.interface] = Bond(
        mode=operation.mode,
        load_balance=operation.load_balance,
        has_gso=operation.has_gso,
        is_numa_only=operation.is_numa_only,
    )


@refusal_of.register
def _(operation: DeleteBond, draft: Draft) -> str | None:
    if operation.interface not in draft.bonds:
        return f"{operation.interface} is no bond"
    if draft.bonds[operation.interface].members:
        return f"{operation.interface} has members"
    return dangling(operation.interface, draft)


@effect_of.register
def _(operation: DeleteBond, draft: Draft) -> None:
    draft.remove_interface(operation.interface)
    del draft.bonds[operation.interface]


@refusal_of.register
def _(operation: AddBondMember, draft: Draft) -> str | None:
    name = operation.interface
    if operation.bond not in draft.bonds:
        return f"{operation.bond} does not exist"
    if name in draft.bond_of:
        return f"{name} is a member of {draft.bond_of[name]}"
    if name in draft.bonds:
        return f"{name} is a bond itself"
    interface = draft.interfaces[name]
    if interface.is_l2 or interface.addresses or interface.unnumbered or name in draft.lcps:
        return f"{name} is still used by itself"
    return None


@effect_of.register
def _(operation: AddBondMember, draft: Draft) -> None:
    """The first member gives the bond its MAC, which all members then have: what that will be is open."""
    bond = draft.bonds[operation.bond]
    membership = Membership(is_passive=operation.is_passive, is_long_timeout=operation.is_long_timeout)
    draft.bonds[operation.bond] = replace(bond, members={**bond.members, operation.interface: membership})
    draft.bond_of[operation.interface] = operation.bond
    draft.change(operation.interface, mac="")


@refusal_of.register
def _(operation: SetBondWeight, draft: Draft) -> str | None:
    return None if operation.interface in draft.bond_of else f"{operation.interface} is no member of a bond"


@effect_of.register
def _(operation: SetBondWeight, draft: Draft) -> None:
    name = draft.bond_of[operation.interface]
    members = dict(draft.bonds[name].members)
    members[operation.interface] = replace(members[operation.interface], weight=operation.weight)
    draft.bonds[name] = replace(draft.bonds[name], members=members)


@refusal_of.register
def _(operation: RemoveBondMember, draft: Draft) -> str | None:
    if draft.bond_of.get(operation.interface) != operation.bond:
        return f"{operation.interface} is no member of {operation.bond}"
    return None


@effect_of.register
def _(operation: RemoveBondMember, draft: Draft) -> None:
    bond = draft.bonds[operation.bond]
    members = {name: membership for name, membership in bond.members.items() if name != operation.interface}
    draft.bonds[operation.bond] = replace(bond, members=members)
    del draft.bond_of[operation.interface]
    draft.change(operation.interface, mac="")
