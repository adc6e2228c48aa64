"""Who joins and leaves bonds, and how much each member is preferred."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.names import natural_key
from vppcfg.model.bond import Bond, Membership
from vppcfg.plan.operations import AddBondMember, RemoveBondMember, SetBondWeight
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition

_NOBODY = Bond()


def member_steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that change who belongs to a bond; nothing for any other interface.

    A member stays when it is to stay the same and neither it nor the bond is recreated.
    """
    before, after = transition.observed.virtual_of(name, Bond), transition.desired.virtual_of(name, Bond)
    if before is not None or after is not None:
        yield from _changes(transition, name, before or _NOBODY, after or _NOBODY)


def _changes(transition: Transition, name: str, before: Bond, after: Bond) -> Iterator[Step]:
    staying = {member for member in before.members if transition.staying_members.get(member) == name}
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


def _joining(member: str, bond: str, membership: Membership) -> AddBondMember:
    return AddBondMember(
        interface=member, bond=bond, is_passive=membership.is_passive, is_long_timeout=membership.is_long_timeout
    )
