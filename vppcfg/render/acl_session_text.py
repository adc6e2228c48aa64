"""Sentences about what a plan does to the sessions of access lists with `permit+reflect`: which end, and which stay.

VPP forgets the sessions of an interface when other lists are applied to it, and keeps them when a list gets other rules
(acl_interface_set_inout_acl_list in plugins/acl/acl.c; seen on VPP 26.10).
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.names import natural_key
from vppcfg.model.acl import AclAction, AclBinding, AclRule
from vppcfg.model.state import State
from vppcfg.operations.recreate import replaced_interfaces
from vppcfg.plan.plan import Plan
from vppcfg.render.impact_reasons import listed


def acl_session_lines(plan: Plan) -> Iterator[str]:
    """Yield a line about interfaces whose sessions end, and one about lists whose new rules do not meet sessions."""
    before, after = plan.observed, plan.desired
    reflecting = {
        name for name, acl in before.acls.items() if any(rule.action is AclAction.PERMIT_REFLECT for rule in acl.rules)
    }
    if not reflecting:
        return
    replaced = replaced_interfaces(before, after)
    lost, outlived = [], set()
    for name in before.interfaces.keys() & after.interfaces.keys() - replaced.keys():
        old, new = before.interfaces[name].acls, after.interfaces[name].acls
        if reflecting.isdisjoint((*old.input, *old.output)):
            continue
        if _lists(old) == _lists(new):
            outlived |= {each for each in (*old.input, *old.output) if _denies_more(each, before, after)}
        elif _drops_answers(old, new, reflecting):
            lost.append(name)
    if lost:
        names = listed(sorted(lost, key=natural_key))
        yield f"{names}: VPP forgets sessions of permit+reflect and drops answers until the side that asked sends again"
    if outlived:
        names = listed(sorted(outlived, key=natural_key))
        yield f"sessions that run outlive the new rules of {names}; `vppctl clear acl-plugin sessions` ends all"


def _lists(acls: AclBinding) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(acls.input), frozenset(acls.output)


def _drops_answers(old: AclBinding, new: AclBinding, reflecting: set[str]) -> bool:
    """Return whether there is a list against the direction in which sessions came about."""
    return bool(
        (new.output and not reflecting.isdisjoint(old.input)) or (new.input and not reflecting.isdisjoint(old.output))
    )


def _denies_more(name: str, before: State, after: State) -> bool:
    """Return whether a list has other rules, and not only more that permit."""
    old, new = before.acls.get(name), after.acls.get(name)
    return old is not None and new is not None and not _is_extended(old.rules, new.rules)


def _is_extended(old: tuple[AclRule, ...], new: tuple[AclRule, ...]) -> bool:
    """Return whether all old rules are there, in their order, and the others permit."""
    rest = iter(old)
    awaited = next(rest, None)
    for rule in new:
        if rule == awaited:
            awaited = next(rest, None)
        elif rule.action is AclAction.DENY:
            return False
    return awaited is None
