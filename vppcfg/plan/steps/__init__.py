"""From changes to steps. Each module has one aspect of an object; the order of steps is made in `operations/stages`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

from vppcfg.engine.kind import CreatedKind
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.kind_list import KINDS, VIRTUAL_INTERFACES
from vppcfg.kinds.virtual_interface_list import KIND_OF_VIRTUAL
from vppcfg.model.interface import FEATURES, NO_FEATURES, Interface, InterfaceKind, features_of
from vppcfg.model.state import State
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.operations.feature import Feature, SetFeature
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.plan.steps import attachment, vpp_object


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


def feature_steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that turn features off and on, those first that an interface has before it is recreated."""
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    old = features_of(before) if before is not None else NO_FEATURES
    new = features_of(after) if after is not None else NO_FEATURES
    if old == NO_FEATURES == new:
        return
    for feature, was, becomes in zip(_FEATURES, old, new, strict=True):
        yield from _steps_of(feature, transition, name, was, becomes)


FEATURE_OF: Mapping[str, Feature] = {
    attribute: feature for kind in KINDS for attribute, feature in kind.features().items()
}
"""By the attribute of an interface."""
_FEATURES = tuple(FEATURE_OF[attribute] for attribute in FEATURES)


def _steps_of(feature: Feature, transition: Transition, name: str, was: Any, becomes: Any) -> Iterator[Step]:
    old = {each.part: each for each in feature.operations(name, was)}
    new = {each.part: each for each in feature.operations(name, becomes)}
    is_broken = name in transition.to_delete or feature.is_interrupted(transition, name)
    is_broken |= any(_needs_unnamed_interface(each, transition) for each in old.values())
    if feature.is_forgotten(transition, name):
        old = {}
    for part, operation in old.items():
        if is_broken or operation.needs in transition.to_delete or not _is_replaced(operation, new.get(part)):
            for undoing in operation.undoing:
                yield Step(stage=Stage.TURN_OFF, operation=feature.completed(undoing, transition))
    for part, operation in new.items():
        if is_broken or operation.needs in transition.to_delete or old.get(part) != operation:
            yield Step(stage=feature.turn_on, operation=feature.completed(operation, transition))
        elif operation.looks_at_frames and transition.puts_into_l2(name):
            yield Step(stage=Stage.TURN_OFF_FOR_L2, operation=operation.inverse)
            yield Step(stage=Stage.TURN_ON_IN_L2, operation=feature.completed(operation, transition))


def _is_replaced(former: SetFeature, operation: SetFeature | None) -> bool:
    return operation is not None and operation.replaces(former)


def _needs_unnamed_interface(operation: SetFeature, transition: Transition) -> bool:
    """Return whether it depends on an interface without a name: turning it off turns off all of its kind."""
    return operation.needs is not None and operation.needs not in transition.observed.interfaces


_ON_INTERFACES = [kind for kind in KINDS if kind.on_interfaces]
_FEATURES_AT = KINDS.index(FEATURE_KINDS[0])
_RARER = [kind for kind in _ON_INTERFACES if not kind.is_on_most]
_ASPECTS = (
    steps,
    *(kind.interface_steps for kind in _ON_INTERFACES if kind.is_on_most),
)
"""Each takes a transition and the name of an interface, and yields what that aspect of it needs."""
_RARER_ASPECTS = (
    changes,
    *(kind.interface_steps for kind in _RARER if KINDS.index(kind) < _FEATURES_AT),
    feature_steps,
    *(kind.interface_steps for kind in _RARER if KINDS.index(kind) > _FEATURES_AT),
)
"""The same, of interfaces that have more than addresses, or are created with something of their own."""
_more_of = attrgetter(*sorted({*FEATURES}.union(*(kind.on_interfaces for kind in _RARER))))
_NO_MORE = _more_of(Interface(name="", kind=InterfaceKind.PHYSICAL))


def steps_of(transition: Transition) -> Iterator[Step]:
    """Yield the steps of every change, in no particular order but for those of one object in one stage."""
    for name in transition.touched:
        for aspect in _ASPECTS:
            yield from aspect(transition, name)
        if _has_more(transition.observed, name) or _has_more(transition.desired, name):
            for aspect in _RARER_ASPECTS:
                yield from aspect(transition, name)
    yield from vpp_object.steps(transition)
    yield from attachment.steps(transition)
    for kind in KINDS:
        yield from kind.setting_steps(transition)


def _has_more(state: State, name: str) -> bool:
    """Return whether an interface of a state has anything that the rarer aspects look at."""
    interface = state.interfaces.get(name)
    return interface is not None and (name in state.virtual or _more_of(interface) != _NO_MORE)
