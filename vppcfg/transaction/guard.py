"""What a plan must not do without a further word: too much impact, a protected interface, mass deletion."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.errors import PlanRefusedError
from vppcfg.plan.diff import Action, ObjectKind
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan

FEW = 10
"""Fewer deletions than this are never a mass."""
_COUNTED = frozenset({ObjectKind.INTERFACE, ObjectKind.LCP, ObjectKind.BRIDGE})


def check_impact(plan: Plan, allowed: Impact) -> None:
    """Raise PlanRefusedError when the plan does more to traffic than is allowed."""
    if plan.impact > allowed:
        raise PlanRefusedError(
            f"the plan's impact is {plan.impact.label}, more than --max-impact {allowed.label}; nothing was changed"
        )


def check_protected(plan: Plan, protected: Iterable[str]) -> None:
    """Raise PlanRefusedError when the plan does anything to the service of a protected interface."""
    hurt = [name for name in protected if name in plan.effects]
    if hurt:
        raise PlanRefusedError(
            f"the plan has impact on {', '.join(hurt)}, which the file protects; nothing was changed",
            "take it off the `protected` list of the file if that is what you want",
        )


def check_mass_deletion(plan: Plan) -> None:
    """Raise PlanRefusedError when the plan deletes more than half of what exists, and that is no small number."""
    text = mass_deletion(plan)
    if text:
        raise PlanRefusedError(f"{text}; nothing was changed", "--force does it all the same")


def mass_deletion(plan: Plan) -> str:
    """Return what to say about a plan that deletes more than half of what exists; '' for any other."""
    observed = plan.observed
    existing = len(observed.interfaces) + len(observed.lcps) + len(observed.bridges)
    deleted = sum(change.action is Action.DELETE and change.kind in _COUNTED for change in plan.changes)
    if deleted < FEW or 2 * deleted <= existing:
        return ""
    return f"the plan deletes {deleted} of {existing} interfaces, LCP pairs and bridges"
