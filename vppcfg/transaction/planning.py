"""Plans that know what others have on the interfaces and tables that they touch, and what is missing afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vppcfg.dataplane import Dataplane
from vppcfg.model.attachment import Attachment
from vppcfg.model.state import State
from vppcfg.plan.operations import BringBack
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.unmanaged import holders_of, missing, touched, with_unmanaged


def plan_on(dataplane: Dataplane, observed: State, desired: State) -> Plan:
    """Return the plan from `observed`, read from `dataplane`, to `desired`, which may know what others had before.

    A plan that deletes, recreates and moves nothing asks VPP nothing more. Raise PlanProofError, DataplaneError.
    """
    plan = make_plan(observed, desired)
    holders = touched(plan) | holders_of(desired)
    if not holders:
        return plan
    there = holders & (observed.interfaces.keys() | observed.vrfs.keys())
    return with_unmanaged(plan, dataplane.unmanaged(there, plan.observed))


def not_back(before: State, dataplane: Dataplane, now: State) -> tuple[Attachment, ...]:
    """Return what others had in a former state and is missing now, by what VPP has. Raise DataplaneError."""
    if not before.unmanaged:
        return ()
    there = holders_of(before) & (now.interfaces.keys() | now.vrfs.keys())
    return missing(before, dataplane.unmanaged(there, replace(now, owned=before.owned)))


def not_carried(plan: Plan, dataplane: Dataplane, now: State) -> tuple[Attachment, ...]:
    """Return what a plan was to carry over or bring back, and is missing after it. Raise DataplaneError."""
    back = tuple(each.attachment for each in plan.operations if isinstance(each, BringBack))
    return not_back(replace(plan.desired, unmanaged=back), dataplane, now) if back else ()


def lines_for(attachments: Iterable[Attachment]) -> list[str]:
    """Return what an operator types to bring attachments back, and which of them nobody can."""
    lines: list[str] = []
    for each in attachments:
        lines += each.commands or (f"comment {{ {each.holder}: {each.label} }}",)
    return lines
