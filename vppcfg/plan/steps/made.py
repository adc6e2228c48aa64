"""Creation and deletion of interfaces: one stage each for whatever VPP makes, and others for sub-interfaces.

A new kind of interface has a function in `CREATE` and one in `DELETE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from vppcfg.common.names import instance_of
from vppcfg.kinds.kind_list import VIRTUAL_INTERFACES
from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.making import Making
from vppcfg.plan.operations import (
    CreateBond,
    CreateInterface,
    CreateLoopback,
    CreateSubInterface,
    DeleteBond,
    DeleteInterface,
    DeleteLoopback,
    DeleteSubInterface,
)
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the step that deletes a doomed interface, and the one that creates a new one."""
    if name in transition.doomed:
        yield from _deletion(transition.observed.interfaces[name], transition.observed.made.get(name))
    if name in transition.created:
        yield from _creation(transition.desired.interfaces[name], transition.desired.made.get(name))


def changes(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that change what VPP changes in place of an interface that it creates on demand."""
    after = transition.desired.made.get(name)
    kind = _KIND_OF.get(type(after)) if after is not None else None
    if kind is not None and after is not None:
        observed = transition.observed.making(name, kind.making)
        yield from kind.changes(name, None if name in transition.doomed else observed, after.beside(observed))


def _deletion(interface: Interface, making: Making | None) -> Iterator[Step]:
    if interface.parent is not None:
        delete = DeleteSubInterface(interface=interface.name)
        yield Step(stage=Stage.DELETE_SUB_INTERFACE, operation=delete, depth=interface.depth)
    elif making is not None:
        yield Step(stage=Stage.DELETE_INTERFACE, operation=DELETE[type(making)](interface.name, making))
    elif interface.kind is InterfaceKind.LOOPBACK:
        yield Step(stage=Stage.DELETE_INTERFACE, operation=DeleteLoopback(interface=interface.name))


def _creation(interface: Interface, making: Making | None) -> Iterator[Step]:
    name = interface.name
    if interface.parent is not None:
        assert interface.encapsulation is not None
        create = CreateSubInterface(
            interface=name, parent=interface.parent, sub_id=interface.sub_id, encapsulation=interface.encapsulation
        )
        yield Step(stage=Stage.CREATE_SUB_INTERFACE, operation=create, depth=interface.depth)
    elif making is not None:
        yield Step(stage=Stage.CREATE_INTERFACE, operation=CREATE[type(making)](interface, making))
    elif interface.kind is InterfaceKind.LOOPBACK:
        loopback = CreateLoopback(interface=name, instance=instance_of(name), mac=interface.mac)
        yield Step(stage=Stage.CREATE_INTERFACE, operation=loopback)


def _create_bond(interface: Interface, bond: Bond) -> CreateBond:
    return CreateBond(
        interface=interface.name,
        instance=instance_of(interface.name),
        mode=bond.mode,
        load_balance=bond.load_balance,
        mac=interface.mac,
        has_gso=bond.has_gso,
        is_numa_only=bond.is_numa_only,
    )


def _delete_bond(name: str, bond: Bond) -> DeleteBond:
    return DeleteBond(interface=name)


_KIND_OF = {kind.making: kind for kind in VIRTUAL_INTERFACES}
CREATE: Mapping[type[Making], Callable[[Interface, Any], CreateInterface]] = {
    Bond: _create_bond,
    **{kind.making: kind.create for kind in VIRTUAL_INTERFACES},
}
"""What creates an interface of each kind, given how it is to be."""
DELETE: Mapping[type[Making], Callable[[str, Any], DeleteInterface]] = {
    Bond: _delete_bond,
    **{kind.making: kind.delete for kind in VIRTUAL_INTERFACES},
}
"""What deletes an interface of each kind, given its name and what it was made with."""
