"""The steps of a plan that turn features of interfaces on and off, and what they need beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vppcfg.kinds.kind_list import KINDS
from vppcfg.kinds.l2_steps import is_put_into_l2
from vppcfg.kinds.ra_operations import RenewIpv6
from vppcfg.model.interface import FEATURES, NO_FEATURES, features_of
from vppcfg.operations.feature import Feature, SetFeature
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition


def feature_steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that turn features off and on, those first that an interface has before it is recreated."""
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    old = features_of(before) if before is not None else NO_FEATURES
    new = features_of(after) if after is not None else NO_FEATURES
    if old == NO_FEATURES == new:
        return
    if transition.renews_ipv6(name):
        yield Step(stage=Stage.RENEW_IPV6, operation=RenewIpv6(interface=name))
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
        elif operation.looks_at_frames and is_put_into_l2(transition, name):
            yield Step(stage=Stage.TURN_OFF_FOR_L2, operation=operation.inverse)
            yield Step(stage=Stage.TURN_ON_IN_L2, operation=feature.completed(operation, transition))


def _is_replaced(former: SetFeature, operation: SetFeature | None) -> bool:
    return operation is not None and operation.replaces(former)


def _needs_unnamed_interface(operation: SetFeature, transition: Transition) -> bool:
    """Return whether it depends on an interface without a name: turning it off turns off all of its kind."""
    return operation.needs is not None and operation.needs not in transition.observed.interfaces
