"""What a plan does to traffic, interface by interface. What one operation does is said by the operation itself."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.model.state import State
from vppcfg.plan.operations import Impact, Operation, SetAdminState, SetLinkMtu
from vppcfg.plan.stages import Step

__all__ = ["Impact", "impact_by_interface", "takes_link_down"]


def takes_link_down(operation: Operation) -> bool:
    """Return whether an operation takes a link down, so that everything on that port feels it."""
    return isinstance(operation, SetLinkMtu) or (isinstance(operation, SetAdminState) and not operation.is_up)


def impact_by_interface(steps: Iterable[Step], observed: State) -> dict[str, Impact]:
    """Return the worst impact on each interface that feels any; a link that goes down is felt by its sub-interfaces."""
    worst: dict[str, Impact] = {}
    flapping: list[str] = []
    for step in steps:
        impact = step.operation.impact_on(observed)
        if impact is Impact.NONE:
            continue
        name = step.operation.subject
        if impact > worst.get(name, Impact.NONE):
            worst[name] = impact
        if impact is Impact.FLAP and takes_link_down(step.operation):
            flapping.append(name)
    if flapping:
        children = observed.sub_interfaces_by_parent()
        for child in (child for name in flapping for child in children.get(name, ())):
            if observed.interfaces[child].is_up:
                worst.setdefault(child, Impact.FLAP)
    return worst
