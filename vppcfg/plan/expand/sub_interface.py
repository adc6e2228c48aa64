"""Creation and deletion of sub-interfaces."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.plan.operations import CreateSubInterface, DeleteSubInterface
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that delete a doomed sub-interface and create a new one."""
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    if before is not None and before.parent is not None and name in transition.doomed:
        delete = DeleteSubInterface(interface=name)
        yield Step(stage=Stage.DELETE_SUB_INTERFACE, operation=delete, depth=before.depth)
    if after is not None and after.parent is not None and name in transition.born:
        assert after.encapsulation is not None
        create = CreateSubInterface(
            interface=name, parent=after.parent, sub_id=after.sub_id, encapsulation=after.encapsulation
        )
        yield Step(stage=Stage.CREATE_SUB_INTERFACE, operation=create, depth=after.depth)
