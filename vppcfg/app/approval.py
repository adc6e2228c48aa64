"""Decides whether a plan may be carried out: limits on its impact, objections of the journal, the approval."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import field, replace
from typing import TYPE_CHECKING

from vppcfg.app.change_context import ChangeContext
from vppcfg.app.confirming import undecided
from vppcfg.app.console import Console
from vppcfg.app.routing_accepted import is_corrected
from vppcfg.app.routing_plan import RoutingPlan
from vppcfg.app.target import Target
from vppcfg.dataplane import Dataplane, is_restarted
from vppcfg.errors import ExitCode, PlanProofError, PlanRefusedError, UsageError
from vppcfg.model.checks import Check
from vppcfg.model.ownership import NameGlobs
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan
from vppcfg.plan.rollback import rollback_plan
from vppcfg.plan.unmanaged import harmful, unmanaged_changes
from vppcfg.record import record
from vppcfg.transaction import guard as guards
from vppcfg.transaction.accepted import awaited, was_rolled_back
from vppcfg.transaction.entry import UNDECIDED, Record, Status
from vppcfg.transaction.folders import how_to_get_in, why_unusable
from vppcfg.transaction.guard import Limits, Objection
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.lock import holder_text

if TYPE_CHECKING:
    from vppcfg.app.plan_rehearsal import RehearsalTerms

__all__ = [
    "Limits",
    "Terms",
    "file_objections",
    "guard",
    "pass_guards",
    "refuse_rolled_back",
    "refuse_unwanted_reload",
    "rollback_objections",
    "target_objections",
]

log = logging.getLogger("root.main")


@record
class Terms:
    """The options of a change: what it may do, and how it is accepted."""

    limits: Limits = field(default_factory=Limits)
    again: bool = False
    """Whether to apply a file that was rolled back."""
    keep: bool = False
    """Whether to keep a state that differs from the desired one although every operation succeeded."""
    adopt: bool = False
    """Whether to take over interfaces with the tag of another program."""
    confirm_s: float | None = None
    """Seconds after which an unconfirmed change is rolled back; None to accept it at once."""
    wait: bool = False
    """Whether to return only when the change is confirmed or rolled back."""
    has_checks: bool = False
    """Whether the checks of the file decide on the change."""
    more_checks: tuple[Check, ...] = ()
    """Checks beside those of the file."""
    holds: bool = False
    """Whether the operator confirms even after good checks (`--hold`)."""
    comment: str = ""
    """The operator's remark, for the journal."""
    install_as: str = ""
    """The path to which the file is copied once the change is accepted; '' to copy it nowhere."""
    rehearsal: RehearsalTerms | None = None
    """How the plan is rehearsed before it is carried out; None for not at all."""


def refuse_rolled_back(digest: str, place: ChangeContext, terms: Terms) -> None:
    """Raise PlanRefusedError for a file that was rolled back, unless it is to be applied again."""
    for objection in file_objections(digest, reversed(place.records), terms, place.journal):
        raise objection.error()


def file_objections(digest: str, newest_first: Iterable[Record], terms: Terms, journal: Journal) -> Iterator[Objection]:
    """Yield what the journal has against a file; nothing where a file of a routing daemon was corrected since."""
    change = None if terms.again else was_rolled_back(newest_first, digest)
    if change is not None and not is_corrected(change.entry.number, journal):
        yield Objection(
            f"this very file was rolled back (change {change.entry.number}, {change.at})",
            "correct the file, or apply it all the same with --again",
        )


def target_objections(digest: str, target: Target, boot_id: str, terms: Terms) -> Iterator[Objection]:
    """Yield why `apply` would refuse a file before it plans, in the order of its checks.

    The reasons: another vppcfg at work, a journal that cannot be written, a change that waits to be confirmed, a file
    that was rolled back. A change that waited when VPP was restarted counts as rolled back, which only `apply` writes
    down. Without read access to the journal its reasons are left out.
    """
    holder = target.who_is_at_work()
    if holder is not None:
        hint = "wait for it to end, and plan again: what VPP has may be half-way"
        yield Objection(holder_text(holder), hint, ExitCode.NOT_NOW)
    journal = target.journal()
    if reason := why_unusable(journal.folder):
        yield Objection(f"cannot use {journal.folder}: {reason}", how_to_get_in(reason))
    try:
        change = awaited(journal.newest_first())
        if change is not None and not is_restarted(change.entry.boot_id, boot_id):
            yield undecided(change)
        settled = (_as_decided(each, boot_id) for each in journal.newest_first())
        yield from file_objections(digest, settled, terms, journal)
    except PlanRefusedError as error:
        log.warning("What the journal has against the file is not known: %s", error.message)


def _as_decided(change: Record, boot_id: str) -> Record:
    is_open = change.timer is not None and change.status in UNDECIDED
    is_gone = is_open and is_restarted(change.entry.boot_id, boot_id)
    return replace(change, status=Status.ROLLED_BACK) if is_gone else change


def rollback_objections(plan: Plan, unmanaged: tuple[str, ...], limits: Limits) -> Iterator[Objection]:
    """Yield an objection when the change could not be rolled back."""
    try:
        if not limits.no_way_back:
            rollback_plan(plan, NameGlobs(unmanaged).matches)
    except PlanProofError as error:
        yield Objection(f"there would be no way back: {error.message}", "--no-way-back does it all the same")


def guard(
    plan: Plan,
    protected: Collection[str],
    terms: Terms,
    console: Console,
    dataplane: Dataplane,
    *,
    must_show: bool = True,
) -> None:
    """Show the plan; raise PlanRefusedError when it does more than is allowed, or when the operator declines.

    Raise UsageError when it cannot be shown, as on a full disk, unless it need not be. Raise DataplaneError when VPP
    does not report what a guard must know.
    """
    with nullcontext() if must_show else suppress(UsageError):
        console.show_plan(plan)
    refuse_objections(plan, protected, terms.limits, dataplane)
    if plan.impact is not Impact.NONE and not console.agrees(plan):
        raise PlanRefusedError("not confirmed; nothing was changed", "--yes skips the question")


def refuse_objections(plan: Plan, protected: Collection[str], limits: Limits, dataplane: Dataplane) -> None:
    """Raise PlanRefusedError when a guard objects to a plan. Raise DataplaneError as `guard` does."""
    guards.check(plan, protected, limits)
    for objection in guards.about_unmanaged(plan, protected, limits):
        raise objection.error()
    for objection in guards.final_objections(plan, dataplane):
        raise objection.error()


def refuse_unwanted_reload(routing: RoutingPlan, plan: Plan, console: Console) -> None:
    """Raise PlanRefusedError when the operator does not agree to what routing daemons lose; VPP's plan asks itself."""
    if plan.impact is Impact.NONE and routing.impact > Impact.POLICY and not console.agrees_to_reload(routing.steps):
        raise PlanRefusedError("not confirmed; nothing was changed", "--yes skips the question")


def pass_guards(plan: Plan, protected: Collection[str], terms: Terms, console: Console, dataplane: Dataplane) -> None:
    """Show the plan, and log what the guards object to, where what was accepted comes back.

    The operator is not asked; only more impact than allowed is refused, by PlanRefusedError.
    """
    with suppress(UsageError):  # standard output may be a file on a full disk
        console.show_plan(plan)
    guards.check(plan, (), replace(terms.limits, allow_mass_deletion=True))
    texts = [
        guards.harm(plan, protected),
        guards.mass_deletion(plan),
        *(f"the plan takes away what vppcfg does not manage: {each}" for each in harmful(unmanaged_changes(plan))),
    ]
    texts += [f"{each.text} ({each.hint})" for each in guards.final_objections(plan, dataplane)]
    for text in texts:
        if text:
            log.warning("%s", text[0].upper() + text[1:])
