"""Creation and deletion of interfaces: one stage each for whatever VPP creates, and others for sub-interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.common.names import instance_of
from vppcfg.kinds.kind_list import VIRTUAL_INTERFACES
from vppcfg.kinds.virtual_interface import AnyVirtualInterface
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.plan.operations import (
    CreateLoopback,
    CreateSubInterface,
    DeleteLoopback,
    DeleteSubInterface,
)
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the step that deletes a doomed interface, and the one that creates a new one."""
    if name in transition.to_delete:
        yield from _deletion(transition.observed.interfaces[name], transition.observed.virtual.get(name))
    if name in transition.created:
        yield from _creation(transition.desired.interfaces[name], transition.desired.virtual.get(name))


def changes(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that change what VPP changes in place of an interface that it creates on demand."""
    after = transition.desired.virtual.get(name)
    kind = KIND_OF.get(type(after)) if after is not None else None
    if kind is not None and after is not None:
        observed = transition.observed.virtual_of(name, kind.virtual)
        yield from kind.update_steps(
            name, None if name in transition.to_delete else observed, after.merge_observed(observed)
        )


def _deletion(interface: Interface, virtual: VirtualInterface | None) -> Iterator[Step]:
    if interface.parent is not None:
        delete = DeleteSubInterface(interface=interface.name)
        yield Step(stage=Stage.DELETE_SUB_INTERFACE, operation=delete, depth=interface.depth)
    elif virtual is not None:
        yield Step(stage=Stage.DELETE_INTERFACE, operation=KIND_OF[type(virtual)].delete(interface.name, virtual))
    elif interface.kind is InterfaceKind.LOOPBACK:
        yield Step(stage=Stage.DELETE_INTERFACE, operation=DeleteLoopback(interface=interface.name))


def _creation(interface: Interface, virtual: VirtualInterface | None) -> Iterator[Step]:
    name = interface.name
    if interface.parent is not None:
        assert interface.encapsulation is not None
        create = CreateSubInterface(
            interface=name, parent=interface.parent, sub_id=interface.sub_id, encapsulation=interface.encapsulation
        )
        yield Step(stage=Stage.CREATE_SUB_INTERFACE, operation=create, depth=interface.depth)
    elif virtual is not None:
        yield Step(stage=Stage.CREATE_INTERFACE, operation=KIND_OF[type(virtual)].create(interface, virtual))
    elif interface.kind is InterfaceKind.LOOPBACK:
        loopback = CreateLoopback(interface=name, instance=instance_of(name), mac=interface.mac)
        yield Step(stage=Stage.CREATE_INTERFACE, operation=loopback)


KIND_OF: Mapping[type[VirtualInterface], AnyVirtualInterface] = {kind.virtual: kind for kind in VIRTUAL_INTERFACES}
