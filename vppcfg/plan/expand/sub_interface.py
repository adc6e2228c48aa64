"""Creation and deletion of sub-interfaces."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.plan.diff import InterfaceChange
from vppcfg.plan.operations import CreateSubInterface, DeleteSubInterface
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, change: InterfaceChange) -> Iterator[Step]:
    """Yield the steps that delete a doomed sub-interface and create a new one."""
    before, after = change.before, change.after
    if before is not None and change.name in transition.doomed:
        delete = DeleteSubInterface(interface=change.name)
        yield Step(stage=Stage.DELETE_SUB_INTERFACE, operation=delete, depth=before.depth)
    if after is not None and change.name in transition.born:
        assert after.parent is not None and after.encapsulation is not None
        create = CreateSubInterface(
            interface=after.name, parent=after.parent, sub_id=after.sub_id, encapsulation=after.encapsulation
        )
        yield Step(stage=Stage.CREATE_SUB_INTERFACE, operation=create, depth=after.depth)
