"""Creation and deletion of loopbacks."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.names import instance_of
from vppcfg.model.interface import InterfaceKind
from vppcfg.plan.operations import CreateLoopback, DeleteLoopback
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that delete a doomed loopback and create a new one."""
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    if before is not None and before.kind is InterfaceKind.LOOPBACK and name in transition.doomed:
        yield Step(stage=Stage.DELETE_INTERFACE, operation=DeleteLoopback(interface=name))
    if after is not None and after.kind is InterfaceKind.LOOPBACK and name in transition.born:
        create = CreateLoopback(interface=name, instance=instance_of(name), mac=after.mac)
        yield Step(stage=Stage.CREATE_INTERFACE, operation=create)
