"""Creation and deletion of bonds, and who joins and leaves them."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.names import instance_of, natural_key
from vppcfg.model.bond import Bond, Membership
from vppcfg.plan.operations import AddBondMember, CreateBond, DeleteBond, RemoveBondMember, SetBondWeight
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition

_NOBODY = Bond()


def expand(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that delete and create a bond, and those that change its members."""
    before, after = transition.observed.making(name, Bond), transition.desired.making(name, Bond)
    if before is not None and name in transition.doomed:
        yield Step(stage=Stage.DELETE_INTERFACE, operation=DeleteBond(interface=name))
    if after is not None and name in transition.born:
        yield Step(stage=Stage.CREATE_INTERFACE, operation=_creation(name, after, transition))
    if before is not None or after is not None:
        yield from _members(transition, name, before or _NOBODY, after or _NOBODY)


def _creation(name: str, bond: Bond, transition: Transition) -> CreateBond:
    return CreateBond(
        interface=name,
        instance=instance_of(name),
        mode=bond.mode,
        load_balance=bond.load_balance,
        mac=transition.desired.interfaces[name].mac,
        has_gso=bond.has_gso,
        is_numa_only=bond.is_numa_only,
    )


def _members(transition: Transition, name: str, before: Bond, after: Bond) -> Iterator[Step]:
    """A member stays when it is to stay the same and neither it nor the bond is made anew."""
    doomed = transition.doomed
    staying = {
        member
        for member, membership in before.members.items()
        if name not in doomed and member not in doomed and _joins_alike(membership, after.members.get(member))
    }
    for member in sorted(before.members.keys() - staying, key=natural_key):
        remove = RemoveBondMember(interface=member, bond=name)
        yield Step(stage=Stage.REMOVE_BOND_MEMBER, operation=remove)
    for member in sorted(after.members, key=natural_key):
        membership = after.members[member]
        if member not in staying:
            yield Step(stage=Stage.ADD_BOND_MEMBER, operation=_joining(member, name, membership))
        if membership.weight != (before.members[member].weight if member in staying else 0):
            weigh = SetBondWeight(interface=member, weight=membership.weight)
            yield Step(stage=Stage.ADD_BOND_MEMBER, operation=weigh)


def _joins_alike(before: Membership, after: Membership | None) -> bool:
    """Return whether a membership differs in its weight at most, which alone can be changed."""
    return after is not None and (before.is_passive, before.is_long_timeout) == (
        after.is_passive,
        after.is_long_timeout,
    )


def _joining(member: str, bond: str, membership: Membership) -> AddBondMember:
    return AddBondMember(
        interface=member, bond=bond, is_passive=membership.is_passive, is_long_timeout=membership.is_long_timeout
    )
