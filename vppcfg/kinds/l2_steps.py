"""The steps of a plan into L2 mode and out of it: cross-connects, bridge domains, VLAN tag rewrites."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.kinds.l2_operations import JoinBridge, LeaveL2, SetCrossConnect, SetTagRewrite
from vppcfg.model.interface import Interface
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition


def steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that take an interface out of L2 mode and put it there.

    An interface whose target is deleted leaves L2 mode for the time being, although it does not change itself:
    VPP would otherwise leave it pointing at an index that the next new interface gets.
    """
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    if before is not None:
        yield from _leave(transition, before)
    if after is not None:
        yield from _enter(transition, after)


def steps_of_new(transition: Transition) -> Iterator[Step]:
    """Yield the steps that rid new interfaces of the cross-connects of deleted ones that had their indexes."""
    for name, interface in transition.desired.interfaces.items():
        if transition.kept(name) is None and not interface.is_l2:
            yield Step(stage=Stage.ENTER_L2, operation=LeaveL2(interface=name, is_new=True))


def is_put_into_l2(transition: Transition, name: str) -> bool:
    """Return whether an interface that stays is put into L2 mode, from routing or out of another place in L2 mode.

    On the way VPP forgets that features are to look at its frames, and still shows them as they were: an access list
    that stays bound does nothing any more (vnet/l2/l2_input.c, set_int_l2_mode).
    """
    kept, after = transition.kept(name), transition.desired.interfaces.get(name)
    if kept is None or after is None or not after.is_l2:
        return False
    return not kept.is_l2 or leaves_l2(transition, kept)


def _membership(interface: Interface) -> tuple[int | None, bool, int]:
    return interface.bridge, interface.is_bvi, interface.split_horizon_group


def _leave(transition: Transition, before: Interface) -> Iterator[Step]:
    """Take an interface out of L2 mode when it is deleted, or its target is, or it is to be something else."""
    if not leaves_l2(transition, before):
        if before.tag_rewrite is not None and before.name in transition.to_delete:
            yield Step(stage=Stage.LEAVE_L2, operation=SetTagRewrite(interface=before.name, tag_rewrite=None))
        return
    if before.parent is not None:
        yield Step(stage=Stage.LEAVE_L2, operation=SetTagRewrite(interface=before.name, tag_rewrite=None))
    yield Step(stage=Stage.LEAVE_L2, operation=LeaveL2(interface=before.name))


def leaves_l2(transition: Transition, before: Interface) -> bool:
    """Return whether an interface leaves L2 mode during the change; a cross-connect gets another target in place."""
    if not before.is_l2:
        return False
    if before.name in transition.to_delete or before.l2xc in transition.to_delete:
        return True
    after = transition.desired.interfaces[before.name]
    return _membership(before) != _membership(after) or (before.l2xc is None) != (after.l2xc is None)


def _enter(transition: Transition, after: Interface) -> Iterator[Step]:
    """Put an interface where it belongs, and set its tag rewrite with that or where it differs."""
    kept = transition.kept(after.name)
    current = None if kept is None or leaves_l2(transition, kept) else kept
    rewrite = SetTagRewrite(interface=after.name, tag_rewrite=after.tag_rewrite)
    is_same = (current.tag_rewrite if current else None) == after.tag_rewrite
    if after.l2xc is not None and (current is None or current.l2xc != after.l2xc):
        yield Step(stage=Stage.ENTER_L2, operation=SetCrossConnect(interface=after.name, target=after.l2xc))
        yield Step(stage=Stage.ENTER_L2, operation=rewrite)
    elif after.bridge is not None and (current is None or current.bridge != after.bridge):
        yield from _join(after, after.bridge)
        if not after.is_bvi or not is_same:
            yield Step(stage=Stage.JOIN_AS_BVI if after.is_bvi else Stage.JOIN_BRIDGE, operation=rewrite)
    elif not is_same:
        yield Step(stage=Stage.ENTER_L2, operation=rewrite)


def _join(after: Interface, bd_id: int) -> Iterator[Step]:
    join = JoinBridge(
        interface=after.name, bd_id=bd_id, is_bvi=after.is_bvi, split_horizon_group=after.split_horizon_group
    )
    yield Step(stage=Stage.JOIN_AS_BVI if after.is_bvi else Stage.JOIN_BRIDGE, operation=join)
