"""The steps of a plan that create and delete interfaces, as their kind declares it."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.engine.kind import CreatedKind
from vppcfg.kinds.kind_list import KINDS, VIRTUAL_INTERFACES
from vppcfg.kinds.virtual_interface_list import KIND_OF_VIRTUAL
from vppcfg.model.interface import Interface
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.operations.stages import Step
from vppcfg.operations.transition import Transition


def steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the step that deletes a doomed interface, and the one that creates a new one."""
    if name in transition.to_delete:
        interface, virtual = transition.observed.interfaces[name], transition.observed.virtual.get(name)
        if (kind := _created_kind(interface, virtual)) is not None:
            yield kind.deletion(interface, virtual)
    if name in transition.created:
        interface, virtual = transition.desired.interfaces[name], transition.desired.virtual.get(name)
        if (kind := _created_kind(interface, virtual)) is not None:
            yield kind.creation(interface, virtual)


def changes(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that change what VPP changes in place of an interface that it creates on demand."""
    after = transition.desired.virtual.get(name)
    kind = KIND_OF_VIRTUAL.get(type(after)) if after is not None else None
    if kind is not None and after is not None:
        observed = transition.observed.virtual_of(name, kind.virtual)
        yield from kind.update_steps(
            name, None if name in transition.to_delete else observed, after.merge_observed(observed)
        )


def _created_kind(interface: Interface, virtual: VirtualInterface | None) -> CreatedKind | None:
    """Return what VPP creates: a sub-interface, what needs more than a name, or a loopback; None of a port."""
    if virtual is not None and interface.parent is None:
        return KIND_OF_VIRTUAL[type(virtual)]
    return _CREATED.get(interface.kind)


_CREATED = {kind.kind: kind for kind in KINDS if isinstance(kind, CreatedKind) and kind not in VIRTUAL_INTERFACES}
