"""A plan for programs: one versioned JSON document; docs/plan.schema.json is its JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from vppcfg.common.printable import json_text
from vppcfg.model.announcement import Announcement
from vppcfg.model.attachment import Attachment
from vppcfg.model.interface import Interface
from vppcfg.model.problem import Problem
from vppcfg.model.vpp_object import VppObject
from vppcfg.operations.change import Action, Change
from vppcfg.operations.operation import Operation
from vppcfg.plan.address_order import displaced_by, promoted_by
from vppcfg.plan.announcements import announcements, can_announce
from vppcfg.plan.impact import Impact
from vppcfg.plan.linux_gaps import AddressGap, address_gaps
from vppcfg.plan.plan import Plan
from vppcfg.plan.state_document import document_of, plain
from vppcfg.plan.unmanaged import Survival, UnmanagedChange, unmanaged_changes
from vppcfg.render.impact_text import impact_document
from vppcfg.render.notes import live_document
from vppcfg.render.pause_text import pause_document
from vppcfg.render.plan_text import cli_line

FORMAT_VERSION = 2
"""Grows when a reader of the former one would misread the document."""

ApiCall = Callable[[Operation], tuple[str, Mapping[str, Any]]]
"""Returns the name of the API message of an operation, and its arguments with interfaces by name."""


def plan_document(
    plan: Plan,
    problems: Iterable[Problem],
    api_call: ApiCall,
    refusals: Iterable[str] = (),
    routing: Iterable[Any] = (),
    routing_impact: Impact = Impact.NONE,
    programs: Iterable[Any] = (),
    rehearsal: Any = None,
) -> str:
    """Return the document of a plan: what was observed, what is desired, why, how, and its impact on traffic.

    `routing` has what routing daemons load with it, `programs` what is run on the machine, `rehearsal` what one has
    shown; without any the document does not mention them.
    """
    impacts = _impacts_by_object(plan)
    document = {
        "format_version": FORMAT_VERSION,
        "impact": max(plan.impact, routing_impact).label,
        **impact_document(plan),
        "summary": {action.value: sum(change.action is action for change in plan.changes) for action in Action},
        "problems": [_problem(problem) for problem in problems],
        "refusals": list(refusals),
        "unmanaged": [_unmanaged(change, each) for change in unmanaged_changes(plan) for each in change.attachments],
        "changes": [_change(change, impacts) for change in plan.changes],
        "live_addresses": live_document(plan),
        "displaced_addresses": [plain(each) for each in displaced_by(plan)],
        "promoted_addresses": [plain(each) for each in promoted_by(plan)],
        "announcements": [_announcement(each, plan) for each in announcements(plan)],
        "pauses": pause_document(plan),
        "not_looked_for": list(plan.observed.facts.left_out),
        "operations": [_operation(position, plan, api_call) for position in range(len(plan.steps))],
        "observed": document_of(plan.observed),
        "desired": document_of(plan.desired),
    }
    if gaps := address_gaps(plan):
        document["address_gaps"] = [_gap(each) for each in gaps]
    if loaded := list(routing):
        document["routing"] = loaded
    if run := list(programs):
        document["programs"] = run
    if rehearsal is not None:
        document["rehearsal"] = rehearsal
    return json_text(document, indent=2) + "\n"


def _unmanaged(change: UnmanagedChange, attachment: Attachment) -> dict[str, Any]:
    return {
        "holder": attachment.holder,
        "what": attachment.label,
        "outcome": change.survival.name.lower(),
        "reason": change.reason,
        "rollback": change.survival is not Survival.LOST or attachment.is_restorable,
        "commands": list(attachment.commands),
    }


def _gap(gap: AddressGap) -> dict[str, Any]:
    return {
        "interface": gap.interface,
        "device": gap.device,
        "family": "ipv6" if gap.is_ipv6 else "ipv4",
        "first_step": gap.first,
        "last_step": gap.last,
    }


def _announcement(announcement: Announcement, plan: Plan) -> dict[str, Any]:
    return {
        "interface": announcement.interface,
        "address": announcement.address or None,
        "is_sent": can_announce(plan.observed),
        "cli": announcement.cli(),
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {"rule": problem.rule, "path": list(problem.path), "text": problem.text}


def _change(change: Change[Any], impacts: Mapping[str, Impact]) -> dict[str, Any]:
    return {
        "action": change.action.value,
        "kind": _kind_of(change),
        "name": change.name,
        "impact": impacts.get(change.name, Impact.NONE).label,
        "forced_by": change.forced_by,
        "attributes": [
            {"name": attribute.name, "old": plain(attribute.old), "new": plain(attribute.new)}
            for attribute in change.attributes
        ],
    }


def _kind_of(change: Change[Any]) -> str:
    """Return the kind of an interface, or of the object that is none."""
    either = change.after if change.after is not None else change.before
    if isinstance(either, Interface):
        return either.kind.value
    return either.noun if isinstance(either, VppObject) else change.kind.value


def _impacts_by_object(plan: Plan) -> dict[str, Impact]:
    """Return the worst impact on each object, or of it on others."""
    worst = dict(plan.impacts)
    for position, impact in plan.step_impacts.items():
        subject = plan.steps[position].operation.subject
        worst[subject] = max(impact, worst.get(subject, Impact.NONE))
    return worst


def _operation(position: int, plan: Plan, api_call: ApiCall) -> dict[str, Any]:
    step = plan.steps[position]
    message, arguments = api_call(step.operation)
    return {
        "phase": step.stage.phase.value,
        "type": type(step.operation).__name__,
        "subject": step.operation.subject,
        "cli": cli_line(step.operation, plan.observed.facts.version),
        "api": {"message": message, "arguments": dict(arguments)},
        "impact": plan.step_impacts.get(position, Impact.NONE).label,
    }
