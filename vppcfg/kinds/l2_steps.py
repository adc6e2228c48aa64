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


def _leave(transition: Transition, before: Interface) -> Iterator[Step]:
    """Take an interface out of L2 mode when it is deleted, or its target is, or it is to be something else."""
    if not transition.leaves_l2(before):
        if before.tag_rewrite is not None and before.name in transition.to_delete:
            yield Step(stage=Stage.LEAVE_L2, operation=SetTagRewrite(interface=before.name, tag_rewrite=None))
        return
    if before.parent is not None:
        yield Step(stage=Stage.LEAVE_L2, operation=SetTagRewrite(interface=before.name, tag_rewrite=None))
    yield Step(stage=Stage.LEAVE_L2, operation=LeaveL2(interface=before.name))


def _enter(transition: Transition, after: Interface) -> Iterator[Step]:
    """Put an interface where it belongs, and set its tag rewrite with that or where it differs."""
    kept = transition.kept(after.name)
    current = None if kept is None or transition.leaves_l2(kept) else kept
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
