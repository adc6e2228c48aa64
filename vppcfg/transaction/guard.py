"""What a plan must not do without a further word: too much impact, a protected interface, mass deletion."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.errors import PlanRefusedError
from vppcfg.model.state import State
from vppcfg.plan.diff import Action, ObjectKind
from vppcfg.plan.impact import Impact, takes_link_down
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
    """Raise PlanRefusedError when the plan takes a protected interface, or a port below it, down, or recreates it."""
    hurt = _taken_down(plan)
    for name in protected:
        below = _with_parents(name, plan.observed)
        found = next((place for place in below if place in hurt), None)
        if found is not None:
            what = "removes or recreates" if hurt[found] is Impact.RECREATE else "takes down"
            which = f"{found}, which" if found == name else f"{found}, the port of {name}, which"
            raise PlanRefusedError(
                f"the plan {what} {which} is protected; nothing was changed",
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


def _taken_down(plan: Plan) -> dict[str, Impact]:
    """Return the interfaces that go down or away, with the worse of both."""
    hurt: dict[str, Impact] = {}
    for step in plan.steps:
        operation, name = step.operation, step.operation.subject
        before = plan.observed.interfaces.get(name)
        if before is None:
            continue
        if before.is_up and takes_link_down(operation):
            hurt.setdefault(name, Impact.FLAP)
    for name, impact in plan.impacts.items():
        if impact is Impact.RECREATE:
            hurt[name] = impact
    return hurt


def _with_parents(name: str, state: State) -> tuple[str, ...]:
    interface = state.interfaces.get(name)
    if interface is None or interface.parent is None:
        return (name,)
    return name, *_with_parents(interface.parent, state)
