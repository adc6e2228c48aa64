"""Admin state and tag of any interface."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.interface import Interface
from vppcfg.plan.diff import InterfaceChange
from vppcfg.plan.expand.mtu import is_shut_for_link_mtu
from vppcfg.plan.operations import SetAdminState, SetTag
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, change: InterfaceChange) -> Iterator[Step]:
    """Yield the steps that shut a doomed interface, mark a new one, and set state and tag of one that stays."""
    before, after = change.before, change.after
    if before is not None and change.name in transition.doomed and before.is_up:
        yield _admin_state(Stage.SHUT, before, is_up=False)
    if after is None:
        return
    kept = transition.kept(change.name)
    was_up = kept is not None and kept.is_up and not is_shut_for_link_mtu(kept, after)
    if after.is_up and not was_up:
        yield _admin_state(Stage.ADMIN_UP, after, is_up=True)
    elif was_up and not after.is_up:
        yield _admin_state(Stage.ADMIN_DOWN, after, is_up=False)
    if after.tag != (kept.tag if kept else ""):
        stage = Stage.TAG if kept else Stage.MARK
        yield Step(stage=stage, operation=SetTag(interface=after.name, tag=after.tag), depth=after.depth)


def _admin_state(stage: Stage, interface: Interface, *, is_up: bool) -> Step:
    operation = SetAdminState(interface=interface.name, is_up=is_up)
    return Step(stage=stage, operation=operation, depth=interface.depth)
