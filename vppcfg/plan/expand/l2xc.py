"""Cross-connects and VLAN tag rewrites: leaving L2 mode, entering it, and pointing elsewhere within it."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.interface import Interface
from vppcfg.plan.diff import InterfaceChange
from vppcfg.plan.operations import LeaveL2, SetCrossConnect, SetTagRewrite
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, change: InterfaceChange) -> Iterator[Step]:
    """Yield the steps that take an interface out of L2 mode and put it there.

    An interface whose target is doomed leaves L2 mode for the time being, although it does not change itself:
    VPP would otherwise leave it pointing at an index that the next new interface gets.
    """
    if change.before is not None:
        yield from _leave(transition, change.before)
    if change.name in transition.doomed:
        for source in transition.sources.get(change.name, []):
            if source not in transition.difference.interfaces:
                yield from _leave(transition, transition.observed.interfaces[source])
                yield from _enter(transition, transition.desired.interfaces[source])
    if change.after is not None:
        yield from _enter(transition, change.after)


def _leave(transition: Transition, before: Interface) -> Iterator[Step]:
    """Take an interface out of L2 mode when it is doomed, or its target is, or it is to be routed."""
    if not _leaves(transition, before):
        if before.tag_rewrite is not None and before.name in transition.doomed:
            yield Step(stage=Stage.LEAVE_L2, operation=SetTagRewrite(interface=before.name, tag_rewrite=None))
        return
    if before.parent is not None:
        yield Step(stage=Stage.LEAVE_L2, operation=SetTagRewrite(interface=before.name, tag_rewrite=None))
    yield Step(stage=Stage.LEAVE_L2, operation=LeaveL2(interface=before.name))


def _leaves(transition: Transition, before: Interface) -> bool:
    if not before.is_l2:
        return False
    if before.name in transition.doomed or before.l2xc in transition.doomed:
        return True
    return not transition.desired.interfaces[before.name].is_l2


def _enter(transition: Transition, after: Interface) -> Iterator[Step]:
    """Point an interface at its target, and set its tag rewrite with that or where it differs."""
    kept = transition.kept(after.name)
    has_left = kept is not None and _leaves(transition, kept)
    current = None if kept is None or has_left else kept
    rewrite = SetTagRewrite(interface=after.name, tag_rewrite=after.tag_rewrite)
    if after.l2xc is not None and (current is None or current.l2xc != after.l2xc):
        yield Step(stage=Stage.ENTER_L2, operation=SetCrossConnect(interface=after.name, target=after.l2xc))
        yield Step(stage=Stage.ENTER_L2, operation=rewrite)
    elif (current.tag_rewrite if current else None) != after.tag_rewrite:
        yield Step(stage=Stage.ENTER_L2, operation=rewrite)
