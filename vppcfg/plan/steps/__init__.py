"""From changes to steps. Each module has one aspect of an object; the order of steps is made in `operations/stages`."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.kind_list import KINDS
from vppcfg.model.interface import FEATURES, Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.operations.stages import Step
from vppcfg.operations.transition import Transition
from vppcfg.plan.steps import (
    attachment,
    features,
    virtual_interface,
    vpp_object,
)

_ON_INTERFACES = [kind for kind in KINDS if kind.on_interfaces]
_FEATURES_AT = KINDS.index(FEATURE_KINDS[0])
_RARER = [kind for kind in _ON_INTERFACES if not kind.is_on_most]
_ASPECTS = (
    virtual_interface.steps,
    *(kind.interface_steps for kind in _ON_INTERFACES if kind.is_on_most),
)
"""Each takes a transition and the name of an interface, and yields what that aspect of it needs."""
_RARER_ASPECTS = (
    virtual_interface.changes,
    *(kind.interface_steps for kind in _RARER if KINDS.index(kind) < _FEATURES_AT),
    features.feature_steps,
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
