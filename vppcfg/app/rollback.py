"""Brings back the state before a change: planned from what there is now, and made as a change of its own."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256

from vppcfg.app.approval import Terms, guard, pass_guards, refuse_unwanted_reload
from vppcfg.app.change_context import ChangeContext, locked_context
from vppcfg.app.changing import log_nothing_to_do, make_change, note_unchanged
from vppcfg.app.confirming import refuse_while_waiting, wait_for_confirmation
from vppcfg.app.console import Console
from vppcfg.app.hooks import journalled_hooks, run_hook
from vppcfg.app.intent import ChangeResult, Intent
from vppcfg.app.routing_accepted import persist_running, refuse_old_startup
from vppcfg.app.routing_plan import RoutingPlan, about_impact
from vppcfg.app.routing_rollback import daemon_rollback
from vppcfg.app.target import Target, now
from vppcfg.app.timers import stop_timer
from vppcfg.app.unmanaged import compare_with
from vppcfg.app.way_back import listed, log_unlike
from vppcfg.config.load import source_of
from vppcfg.entries.yaml.files import STDIN, SourceFiles, files_at, read_again
from vppcfg.errors import ConfigError, ExitCode, PlanRefusedError, StorageError
from vppcfg.model.hooks import NO_HOOKS, HookEvent
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.lists_of_others import lists_of_others
from vppcfg.model.live_state import as_others_have_it
from vppcfg.model.ownership import NameGlobs, is_foreign
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Ownership, permanent_in
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan
from vppcfg.plan.rollback import WayBack, closest_to, created_ports, prove_way_back
from vppcfg.transaction.accepted import (
    accepted_entry,
    accepted_state,
    awaited,
    beginning,
    in_force_before,
    last_interrupted,
    restores,
    to_roll_back,
)
from vppcfg.transaction.entry import IN_FORCE, INTERRUPTED, Entry, Origin, Record, Status
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.planning import plan_on, refuse_too_new

log = logging.getLogger("root.main")

NOT_CONFIRMED = "it was not confirmed in time"
_ELSEWHERE = "VPP shows something else than before it"


class MissingPortsError(PlanRefusedError):
    """VPP has lost a port that was there before."""


def roll_back(number: int | None, target: Target, terms: Terms, console: Console) -> ExitCode:
    """Bring back the state before a change, by default the last one in force.

    Raise PlanRefusedError when it is not known which that is, or when VPP has lost a port that was there; StorageError
    when it is back, and a routing daemon would start with another configuration.
    """
    with locked_context(target, "vppcfg rollback", closes_open_changes=False) as place:
        record = _chosen(number, place)
        waiting = awaited(reversed(place.records))
        if terms.confirm_s is not None and waiting is not None:
            refuse_while_waiting(waiting, place.journal, target)
        withdraws = waiting is not None and record in (waiting, beginning(place.records, waiting))
        result = go_back(record, place, terms, console, withdraws=withdraws, is_literal=number is not None)
        if result.code is ExitCode.DONE:
            refuse_old_startup(result.record, place.journal)
    if not result.is_done or terms.confirm_s is None or not result.is_waiting:
        return result.code
    code = wait_for_confirmation(result.record.entry.number, target, terms.confirm_s, console, wait=terms.wait)
    return result.code if code is ExitCode.DONE else code


def go_back(
    record: Record,
    place: ChangeContext,
    terms: Terms,
    console: Console,
    *,
    is_timer: bool = False,
    withdraws: bool = False,
    is_literal: bool = False,
    goes_without: bool = False,
) -> ChangeResult:
    """Bring back the state before a change and note that this change, and those after it, are not in force any more.

    Before a boot that was cut off that is the state which the boot was to bring back, unless `is_literal`. When the
    rollback itself must be confirmed, they stay in force until that is done. Where it `withdraws` a change that was not
    confirmed, guards only warn, and what VPP shows otherwise than before the change, also after a second try, stays.
    From half-way, nothing needs to lead there again. Raise MissingPortsError when VPP has lost a port that was there,
    unless it `goes_without`.
    """
    withdraws = withdraws or is_timer
    is_half_way = last_interrupted(reversed(place.records)) is not None
    desired = _desired(record, place, is_timer=is_timer, is_literal=is_literal)
    planned = partial(_way_back, record.entry, desired, place, goes_without=goes_without)
    way = planned()
    intent = _intent(record.entry, desired, place, terms, is_timer=is_timer)
    routing, unread = _daemons_back(record, place, is_needed=not withdraws)
    is_forced = withdraws or is_half_way or intent.is_forced
    intent = replace(intent, routing=routing, keep=withdraws, is_forced=is_forced)
    others, missing = changes_of_others(way.plan, place), ", ".join(way.target.missing)
    if others:
        log.warning("This undoes what else was changed in VPP since: %s", others)
    console.show_routing(intent.routing.steps)
    console.show_programs(intent.programs)
    result = _carried_out(way.plan, intent, place, terms, console)
    if result.is_kept:
        result = make_change(planned().plan, intent, place, console)
    if not result.is_done and not result.is_kept:
        return result
    unloaded = ", ".join(each.texts.file.kind.title for each in result.unloaded)
    if not result.is_waiting:
        notes = [NOT_CONFIRMED if is_timer else "", f"undone with it: {others}" if others else ""]
        notes += [f"without {missing}, which VPP has lost" if missing else "", _ELSEWHERE if result.is_kept else ""]
        notes += [f"{unloaded} could not be brought back with VPP" if unloaded else ""]
        mark_rolled_back(record, place.records, place.journal, *notes)
    if unread or compare_with(desired, place.session.dataplane):
        log.error("What vppcfg manages is as before change %d; the rest is not", record.entry.number)
        result = replace(result, code=ExitCode.STRANDED)
    elif unloaded:
        log.error(
            "VPP is in the state before change %d, but %s could not be brought back", record.entry.number, unloaded
        )
    elif result.is_kept:
        log.error("The state before change %d is back, but for what differs", record.entry.number)
    else:
        log.info("The state before change %d is back", record.entry.number)
    if not is_timer:
        _warn_of_file(place.records, record.entry.number)
    return result


def _daemons_back(record: Record, place: ChangeContext, *, is_needed: bool) -> tuple[RoutingPlan, bool]:
    """Return what brings routing daemons back, and whether that cannot be known: VPP must come back all the same.

    Raise PlanRefusedError then where it `is_needed`.
    """
    try:
        return daemon_rollback(record, place.records, place.journal), False
    except PlanRefusedError as error:
        if is_needed:
            raise
        log.error("Routing daemons stay as they are: %s", error.message)
        return RoutingPlan(), True


def _carried_out(plan: Plan, intent: Intent, place: ChangeContext, terms: Terms, console: Console) -> ChangeResult:
    """Make a rollback; guards only warn where it is to keep what differs."""
    if not plan.steps and not intent.routing.steps:
        log_nothing_to_do(plan)
        record = note_unchanged(plan, intent, place)
        persist_running(record.entry.number, place.journal)
        trouble = run_hook(intent.hooks, HookEvent.AFTER_ROLLBACK, record.entry.number, place)
        if not trouble:
            return ChangeResult(code=ExitCode.DONE, record=record)
        with suppress(StorageError):
            record = place.journal.end(record, record.status, now(), f"{record.text}; {trouble}")
        return ChangeResult(code=ExitCode.HOOK_FAILED, record=record)
    if intent.keep:
        pass_guards(plan, _protected(place), terms, console, place.session.dataplane)
    else:
        for objection in about_impact(intent.routing, terms.limits):
            raise objection.error()
        guard(plan, _protected(place), terms, console, place.session.dataplane, must_show=False)
        refuse_unwanted_reload(intent.routing, plan, console)
    return make_change(plan, intent, place, console)


def _warn_of_file(records: Sequence[Record], number: int) -> None:
    """Report when the file of the last change that was rolled back still is as it was."""
    made = [each for each in records if each.entry.number >= number and each.entry.origin is Origin.APPLY]
    if not made or not made[-1].is_own or made[-1].entry.source_name in {"", STDIN}:
        return
    files = files_at(made[-1].entry.source_name)
    try:
        source = source_of(files, read_again)
    except ConfigError:
        return
    if sha256(source).hexdigest() == made[-1].entry.source_digest:
        here = ""
        with suppress(FileNotFoundError):  # the current folder is gone
            here = f"{os.getcwd()}{os.sep}"
        names = SourceFiles(names=tuple(name.removeprefix(here) for name in files.names))
        log.warning("%s still holds what was rolled back: correct it before you apply it again", names)


def _chosen(number: int | None, place: ChangeContext) -> Record:
    """Return the change to go back before. Raise PlanRefusedError when there is none, or it cannot be known."""
    if number is not None:
        return place.journal.record(number)
    record = to_roll_back(place.records)
    if record is None:
        raise PlanRefusedError("no change is in force that could be rolled back", "`vppcfg history` lists the changes")
    lost = place.journal.last_lost()
    if lost > record.entry.number:
        raise PlanRefusedError(
            f"change {lost} came last and cannot be read, so it is not known what to go back to; nothing was changed",
            f"`vppcfg rollback {record.entry.number}` goes back before change {record.entry.number}",
        )
    return first_of_interrupted(record, place.records)


def first_of_interrupted(record: Record, records: Sequence[Record]) -> Record:
    """Return the change to go back before when one is rolled back: what went on from half-way belongs to what began."""
    first = beginning(records, record)
    if first.entry.number < record.entry.number:
        log.info(
            "Change %d went on from change %d, which did not come to its end: both are rolled back",
            record.entry.number,
            first.entry.number,
        )
    return first


def _way_back(entry: Entry, desired: State, place: ChangeContext, *, goes_without: bool) -> WayBack:
    """Return the way to the state before a change. Raise PlanRefusedError where VPP cannot have it."""
    observed = place.session.dataplane.observe()
    created, ours = _created(entry, desired, observed, place), _configured(entry, observed, place)
    desired = replace(desired, owned=desired.owned | _owned_since(entry, place))
    left = _left_by_last(place) if lists_of_others(desired) else None
    target = closest_to(desired, observed, NameGlobs(entry.unmanaged).matches, created, ours, left)
    if target.missing and not goes_without:
        raise MissingPortsError(
            f"VPP has lost what was there before change {entry.number}: {', '.join(target.missing)}",
            "bring the port back, or correct the file and apply it",
        )
    for name in target.missing:
        log.warning("VPP has lost %s: the state before change %d comes back without it", name, entry.number)
    for name in target.others:
        log.warning("VPP has lost %s, which vppcfg does not manage: what led there before does not come back", name)
    for kind, found in permanent_in(observed.objects).items():
        for name in sorted(found.keys() - desired.of(kind).keys()):
            log.warning("VPP cannot remove %s: it stays until VPP restarts", found[name].label)
    way = prove_way_back(target, partial(plan_on, place.session.dataplane, observed))
    log_unlike(way)
    refuse_too_new(way.plan)
    return way


def _owned_since(entry: Entry, place: ChangeContext) -> Ownership:
    """Return what the file owned of objects without a mark in a change or one since, as far as that can be read."""
    owned: Ownership = frozenset()
    for number in (record.entry.number for record in place.records if record.entry.number >= entry.number):
        with suppress(PlanRefusedError):
            owned |= place.journal.before(number).owned
    return owned


def _configured(entry: Entry, observed: State, place: ChangeContext) -> State | None:
    """Return the state that a change was to reach, None where nothing that is there may be another one's."""
    if not any(interface.live or is_foreign(interface.tag) for interface in observed.interfaces.values()):
        return None
    try:
        return place.journal.after(entry.number)
    except PlanRefusedError:
        return None


def _created(entry: Entry, desired: State, observed: State, place: ChangeContext) -> frozenset[str]:
    """Return the ports that a change and those since were to make, if there are any without our mark.

    What is lost of where they were to lead is passed over.
    """
    without_mark = (name for name in observed.virtual if observed.interfaces[name].kind is InterfaceKind.PHYSICAL)
    created: frozenset[str] = frozenset()
    if all(name in desired.interfaces for name in without_mark):
        return created
    for number in (record.entry.number for record in place.records if record.entry.number >= entry.number):
        with suppress(PlanRefusedError):
            created |= created_ports(desired, place.journal.after(number))
    return created


def _desired(record: Record, place: ChangeContext, *, is_timer: bool, is_literal: bool) -> State:
    """Return the state before a change; for a timer, when that is lost, the one that was accepted last before it."""
    entry = record.entry
    try:
        if restores(place.records, record) and not is_literal:
            return place.journal.after(entry.number)
        return place.journal.before(entry.number)
    except PlanRefusedError as error:
        if not is_timer:
            raise
        copy = place.journal.accepted()
        former = accepted_entry([other for other in place.records if other.entry.number < entry.number], copy)
        state = accepted_state(former, place.journal, copy) if former else None
        if former is None or state is None:
            raise
        log.warning("%s", error.message)
        log.warning("What was accepted before change %d (change %d) is brought back", entry.number, former.number)
        return state


def _intent(entry: Entry, desired: State, place: ChangeContext, terms: Terms, *, is_timer: bool) -> Intent:
    former = in_force_before(entry.number, place.records)
    is_known = former is not None and _is_as_after(former, desired, place)
    return Intent(
        origin=Origin.TIMER if is_timer else Origin.ROLLBACK,
        source_name=former.entry.source_name if former and is_known else "",
        source_digest=former.entry.source_digest if former and is_known else "",
        target=entry.number,
        is_forced=is_timer or terms.limits.no_way_back,
        unmanaged=entry.unmanaged,
        confirm_s=terms.confirm_s,
        comment=terms.comment,
        protected=former.entry.protected if former and is_known else _protected(place),
        hooks=journalled_hooks(former.entry.number, place.journal) if former is not None else NO_HOOKS,
        foreign_reason=partial(place.journal.foreign_reason, entry.number),
    )


def _is_as_after(former: Record, state: State, place: ChangeContext) -> bool:
    """Return whether a state is what a former change led to, as far as the journal can be read."""
    try:
        after = place.journal.after(former.entry.number)
        return not any(diff(state, as_others_have_it(after, state)))
    except PlanRefusedError:
        return False


def _protected(place: ChangeContext) -> tuple[str, ...]:
    """Return the interfaces that the file protects which is in force now, as far as the journal can be read."""
    last = next((record for record in reversed(place.records) if record.status in IN_FORCE), None)
    return last.entry.protected if last is not None else ()


def changes_of_others(plan: Plan, place: ChangeContext) -> str:
    """Return what a rollback undoes that no change has made, '' for nothing, or where that cannot be known.

    That is what differs from where the change led that is in force, and is touched by the rollback.
    """
    left = _left_by_last(place)
    since = diff(plan.observed, as_others_have_it(left, plan.observed)) if left is not None else ()
    touched = {(change.kind, change.name) for change in plan.changes}
    return listed(change for change in since if (change.kind, change.name) in touched)


def _left_by_last(place: ChangeContext) -> State | None:
    """Return where the change led that is in force, None where it did not get there, or that cannot be read."""
    last = next((record for record in reversed(place.records) if record.status in IN_FORCE), None)
    if last is None or last.status in INTERRUPTED:
        return None
    try:
        return place.journal.after(last.entry.number)
    except PlanRefusedError:
        return None


def mark_rolled_back(record: Record, records: Sequence[Record], journal: Journal, *notes: str) -> None:
    """Write down what is not in force any more, and stop its timer; report it when that cannot be written."""
    text = "; ".join(filter(None, notes))
    for other in records:
        if other.entry.number < record.entry.number or other.status not in IN_FORCE:
            continue
        try:
            journal.end(other, Status.ROLLED_BACK, now(), text)
        except StorageError as error:
            number = other.entry.number
            log.error("Change %d is rolled back, but the journal could not be updated: %s", number, error.message)
        else:
            stop_timer(other)
