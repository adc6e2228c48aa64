"""Creation and deletion of TAPs."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.names import instance_of
from vppcfg.model.tap import Tap
from vppcfg.plan.operations import CreateTap, DeleteTap
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that delete a doomed TAP and create a new one."""
    after = transition.desired.making(name, Tap)
    if transition.observed.making(name, Tap) is not None and name in transition.doomed:
        yield Step(stage=Stage.DELETE_INTERFACE, operation=DeleteTap(interface=name))
    if after is not None and name in transition.born:
        create = CreateTap(interface=name, instance=instance_of(name), tap=after)
        yield Step(stage=Stage.CREATE_INTERFACE, operation=create)
