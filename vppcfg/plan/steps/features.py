"""What is turned on and off on interfaces: features and access lists, with what each needs beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.model.acl import Acl, AclBinding
from vppcfg.model.bridge import StaticMac
from vppcfg.model.interface import FEATURES, NO_FEATURES, features_of
from vppcfg.plan.change import Change
from vppcfg.plan.feature import Feature, SetFeature
from vppcfg.plan.operations import (
    BindAcls,
    CreateAcl,
    DeleteAcl,
    RenewIpv6,
    ReplaceAcl,
    SetStaticMac,
)
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.steps.l2 import is_put_into_l2
from vppcfg.plan.transition import Transition

_NO_ACLS = AclBinding()


def acl_steps(change: Change[Acl]) -> Iterator[Step]:
    """Yield the step that makes, rewrites or deletes an access list."""
    name, before, after = change.name, change.before, change.after
    index = before.index if before else None
    if after is None:
        yield Step(stage=Stage.DELETE_ACL, operation=DeleteAcl(acl=name, index=index))
    elif before is None:
        yield Step(stage=Stage.WRITE_ACL, operation=CreateAcl(acl=name, rules=after.rules, tag=after.tag))
    else:
        rewrite = ReplaceAcl(acl=name, rules=after.rules, tag=after.tag, index=index)
        yield Step(stage=Stage.WRITE_ACL, operation=rewrite)


def acl_binding_steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that set which access lists an interface applies.

    They are taken off before the interface is put into L2 mode: the first frame that a cross-connect sends to one with
    lists that still routes ends VPP 26.10. Bound again, they look at frames too.
    """
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    if before is not None and before.acls and name in transition.to_delete:
        yield Step(stage=Stage.TURN_OFF, operation=BindAcls(interface=name, binding=_NO_ACLS))
    kept = transition.kept(name)
    is_changed = after is not None and kept is not None and after.acls != kept.acls
    gets_frames = is_put_into_l2(transition, name) or (is_changed and name in transition.targets)
    if kept is not None and kept.acls and gets_frames:
        yield Step(stage=Stage.TURN_OFF_FOR_L2, operation=BindAcls(interface=name, binding=_NO_ACLS))
        if after is not None and after.acls:
            yield Step(stage=Stage.TURN_ON_IN_L2, operation=BindAcls(interface=name, binding=after.acls))
    elif after is not None and after.acls != (kept.acls if kept else _NO_ACLS):
        yield Step(stage=Stage.BIND_ACLS, operation=BindAcls(interface=name, binding=after.acls))


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


def _static_macs(name: str, macs: tuple[StaticMac, ...]) -> Iterable[SetFeature]:
    return [SetStaticMac(interface=name, bd_id=each.bd_id, mac=each.mac, is_on=True) for each in macs]


def _by_its_kind(name: str, value: object) -> Iterable[SetFeature]:
    """Return nothing: the steps of some features are a matter of several interfaces, and of their kind alone."""
    return ()


FEATURE_OF: Mapping[str, Feature] = {
    "static_macs": Feature(_static_macs),
    "policy_routes": Feature(_by_its_kind),
    **{kind.attribute: kind.in_plans() for kind in FEATURE_KINDS},
}
"""By the attribute of an interface."""
_FEATURES = tuple(FEATURE_OF[attribute] for attribute in FEATURES)


def _steps_of(feature: Feature, transition: Transition, name: str, was: Any, becomes: Any) -> Iterator[Step]:
    old = {each.part: each for each in feature.operations(name, was)}
    new = {each.part: each for each in feature.operations(name, becomes)}
    is_broken = name in transition.to_delete or feature.is_interrupted(transition, name)
    is_broken |= any(_hangs_on_nothing(each, transition) for each in old.values())
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


def _hangs_on_nothing(operation: SetFeature, transition: Transition) -> bool:
    """Return whether it hangs on an interface that nobody can name: turning it off turns off all of its kind."""
    return operation.needs is not None and operation.needs not in transition.observed.interfaces
