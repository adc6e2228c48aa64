"""What a plan must not do without a further word: too much impact, a protected interface, mass deletion."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from vppcfg.errors import PlanRefusedError
from vppcfg.plan.diff import Action, ObjectKind
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan
from vppcfg.record import record

FEW = 10
"""Fewer deletions than this are never a mass."""
_COUNTED = frozenset({ObjectKind.INTERFACE, ObjectKind.LCP, ObjectKind.BRIDGE})
_MOST = 5
"""Names in a message."""


@record
class Limits:
    """How far a plan may go; each guard has a word of its own that lifts it."""

    max_impact: Impact = Impact.REMOVE
    """More than this to traffic is refused."""
    override_protected: bool = False
    """Whether protected interfaces may feel the plan."""
    allow_mass_deletion: bool = False
    """Whether most of what exists may be deleted."""
    no_way_back: bool = False
    """Whether to do without a way back where there would be none."""


class Objection(NamedTuple):
    """Why a plan is refused."""

    text: str
    hint: str
    """What lifts the guard."""

    def error(self) -> PlanRefusedError:
        """Return it as the error with which nothing is changed."""
        return PlanRefusedError(f"{self.text}; nothing was changed", self.hint)


def objections(plan: Plan, protected: Collection[str], limits: Limits) -> Iterator[Objection]:
    """Yield what the guards have against a plan."""
    if plan.impact > limits.max_impact:
        yield Objection(
            f"the plan's impact is {plan.impact.label}, more than --max-impact {limits.max_impact.label}",
            f"--max-impact {plan.impact.label} allows it",
        )
    if not limits.override_protected and (text := harm(plan, protected)):
        yield Objection(text, "--override-protected does it all the same")
    if not limits.allow_mass_deletion and (text := mass_deletion(plan)):
        yield Objection(text, "--allow-mass-deletion does it all the same")


def check(plan: Plan, protected: Collection[str], limits: Limits) -> None:
    """Raise PlanRefusedError with the first thing that the guards have against a plan."""
    for objection in objections(plan, protected, limits):
        raise objection.error()


def harm(plan: Plan, protected: Collection[str]) -> str:
    """Return what to say about a plan that does anything to the services of protected interfaces; '' for any other."""
    hurt = sorted((name for name in protected if name in plan.impacts), key=lambda name: -plan.impacts[name])
    if not hurt:
        return ""
    shown = [f"{plan.impacts[name].label} on {name}" for name in hurt[:_MOST]]
    more = [f"impact on {len(hurt) - _MOST} more"] if len(hurt) > _MOST else []
    return f"the plan has impact on what the file protects: {', '.join([*shown, *more])}"


def mass_deletion(plan: Plan) -> str:
    """Return what to say about a plan that deletes more than half of what exists; '' for any other."""
    observed = plan.observed
    existing = len(observed.interfaces) + len(observed.lcps) + len(observed.bridges)
    deleted = sum(change.action is Action.DELETE and change.kind in _COUNTED for change in plan.changes)
    if deleted < FEW or 2 * deleted <= existing:
        return ""
    return f"the plan deletes {deleted} of {existing} interfaces, LCP pairs and bridges"
