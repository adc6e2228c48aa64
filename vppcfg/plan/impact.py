"""What a plan does to traffic, step by step and interface by interface."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from vppcfg.model.state import State
from vppcfg.plan.operations import (
    AddBondMember,
    DeleteBond,
    DeleteBridge,
    DeleteLcpPair,
    DeleteLoopback,
    DeleteSubInterface,
    DeleteTap,
    DeleteVxlan,
    JoinBridge,
    LeaveL2,
    Operation,
    RemoveAddress,
    RemoveBondMember,
    SetAdminState,
    SetCrossConnect,
    SetLinkMtu,
    SetMac,
    SetTagRewrite,
    UnsetUnnumbered,
    subject,
)
from vppcfg.plan.stages import Step


class Impact(IntEnum):
    """How badly traffic is hit, ascending."""

    NONE = 0
    FLAP = 1
    """Traffic through an interface that is up stops, for a moment or because it is to go elsewhere."""
    RECREATE = 2
    """An object goes away, to come back or not; with an LCP pair go the routes that Linux had over it."""

    @property
    def label(self) -> str:
        """Return the word that commands use for it."""
        return self.name.lower()


_REMOVING = frozenset(
    {DeleteBond, DeleteBridge, DeleteLcpPair, DeleteLoopback, DeleteSubInterface, DeleteTap, DeleteVxlan}
)
_INTERRUPTING = frozenset(
    {
        AddBondMember,
        JoinBridge,
        LeaveL2,
        RemoveAddress,
        RemoveBondMember,
        SetAdminState,
        SetCrossConnect,
        SetLinkMtu,
        SetMac,
        SetTagRewrite,
        UnsetUnnumbered,
    }
)


def impact_of(operation: Operation, observed: State) -> Impact:
    """Return what one operation does to traffic, given the state before the plan."""
    if type(operation) in _REMOVING:
        return Impact.RECREATE
    if type(operation) not in _INTERRUPTING:
        return Impact.NONE
    before = observed.interfaces.get(subject(operation))
    if before is None or not before.is_up:
        return Impact.NONE
    if isinstance(operation, SetAdminState):
        return Impact.NONE if operation.is_up else Impact.FLAP
    if isinstance(operation, SetTagRewrite) and operation.tag_rewrite == before.tag_rewrite:
        return Impact.NONE
    return Impact.FLAP


def takes_link_down(operation: Operation) -> bool:
    """Return whether an operation takes a link down, so that everything on that port feels it."""
    return isinstance(operation, SetLinkMtu) or (isinstance(operation, SetAdminState) and not operation.is_up)


def impact_by_interface(steps: Iterable[Step], observed: State) -> dict[str, Impact]:
    """Return the worst impact on each interface that feels any; a link that goes down is felt by its sub-interfaces."""
    worst: dict[str, Impact] = {}
    flapping: list[str] = []
    for step in steps:
        impact = impact_of(step.operation, observed)
        if impact is Impact.NONE:
            continue
        name = subject(step.operation)
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
