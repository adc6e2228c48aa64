"""Creation and deletion of VXLAN tunnels."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.names import instance_of
from vppcfg.model.vxlan import Vxlan
from vppcfg.plan.operations import CreateVxlan, DeleteVxlan
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that delete a doomed tunnel and create a new one."""
    before, after = transition.observed.making(name, Vxlan), transition.desired.making(name, Vxlan)
    if before is not None and name in transition.doomed:
        delete = DeleteVxlan(
            interface=name, instance=instance_of(name), local=before.local, remote=before.remote, vni=before.vni
        )
        yield Step(stage=Stage.DELETE_INTERFACE, operation=delete)
    if after is not None and name in transition.born:
        create = CreateVxlan(
            interface=name, instance=instance_of(name), local=after.local, remote=after.remote, vni=after.vni
        )
        yield Step(stage=Stage.CREATE_INTERFACE, operation=create)
