"""One change from its plan to its exit code: recorded, guarded by a timer where asked for, made, and reported."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from signal import SIGTERM

from vppcfg import __version__
from vppcfg.app.change_context import ChangeContext
from vppcfg.app.confirming import confirm_waiting
from vppcfg.app.console import Console
from vppcfg.app.hooks import hooks_in_force, run_hook
from vppcfg.app.intent import ChangeResult, Intent
from vppcfg.app.keys import keys_for
from vppcfg.app.post_change import PostChange
from vppcfg.app.routing_accepted import persist_running
from vppcfg.app.signals import Stop, deferring
from vppcfg.app.target import now, who
from vppcfg.app.timers import start_timer, stop_timer
from vppcfg.app.unmanaged import listed_by_holder
from vppcfg.app.way_back import lines_of_way_back
from vppcfg.common.numbers import numbered
from vppcfg.errors import DataplaneError, ExitCode, PlanRefusedError, StorageError
from vppcfg.model.hooks import HookEvent
from vppcfg.model.ownership import NameGlobs
from vppcfg.plan.plan import Plan
from vppcfg.plan.unmanaged import harmful, unmanaged_changes
from vppcfg.render.diff_view import summary
from vppcfg.render.notes import omission_lines, order_lines
from vppcfg.render.plan_text import plan_text
from vppcfg.transaction.entry import ROLLBACKS, UNSTOPPABLE, Entry, Origin, Record, Status
from vppcfg.transaction.installing import digest_at, make_ready
from vppcfg.transaction.planning import not_restored
from vppcfg.transaction.process import identity_of
from vppcfg.transaction.transact import POST_CHANGE_CAUSES, Cause, Ending, Outcome, transact

log = logging.getLogger("root.main")


LOGGED_LINES = 1000
"""Of a plan that the journal cannot keep; systemd's journal has its limits too."""


def log_nothing_to_do(plan: Plan) -> None:
    """Report that a plan has no steps, and what it does not speak of."""
    log.info("Nothing to do")
    for line in (*order_lines(plan), *omission_lines(plan)):
        log.info("%s", line)


def note_unchanged(plan: Plan, intent: Intent, place: ChangeContext) -> Record:
    """Write down that a state is in force although nothing had to be done for it, so that a boot brings it back.

    Raise StorageError when that cannot be written, unless the change is a rollback or a boot.
    """
    record = _added(plan, intent, {}, place, is_needed=False)
    try:
        return place.journal.end(record, Status.APPLIED, now(), "nothing had to be changed")
    except StorageError as error:
        if intent.origin not in UNSTOPPABLE:
            raise
        log.error("How this ended could not be written into the journal: %s", error.message)
    return record


def make_change(plan: Plan, intent: Intent, place: ChangeContext, console: Console) -> ChangeResult:
    """Write the plan and the rollback down, carry the plan out or go back, and write down how it ended.

    Raise StorageError, before anything is changed, when that cannot be written, unless the change is a rollback or a
    boot: those are made all the same.
    """
    report = console.report(plan)
    with deferring(report.stopping) as stop:
        post_change = PostChange(plan, intent, place, report, stop)
        post_change.check_before()
        record = _written(plan, intent, place)
        try:
            if intent.confirm_s is not None:
                record = start_timer(record, intent.confirm_s, place.journal, place.target)
        except StorageError as error:
            place.journal.end(record, Status.REVERTED, now(), f"nothing was changed: {error.message}")
            raise

        def ended(outcome: Outcome) -> ChangeResult:
            if outcome.ending is Ending.KEPT:
                post_change.load_daemons_anyway()
            elif outcome.ending is not Ending.NEW:
                post_change.restore_daemons()
            hook_trouble = _run_after(outcome, intent, record, place)
            return _ended(record, _seen_after(outcome, plan, place), hook_trouble, stop, post_change, place)

        outcome = transact(
            plan,
            place.session,
            watcher=report,
            should_stop=stop,
            is_unmanaged=NameGlobs(intent.unmanaged).matches,
            on_bug=ended,
            keep=intent.keep,
            waiting=stop.waiting,
            post_change=lambda: post_change.run(record.entry.number),
        )
        return ended(outcome)


def _written(plan: Plan, intent: Intent, place: ChangeContext) -> Record:
    texts = {"plan.txt": plan_text(plan).lines, "reverse.txt": lines_of_way_back(plan, intent)}
    return _added(plan, intent, texts, place, is_needed=intent.confirm_s is not None)


def _added(
    plan: Plan, intent: Intent, texts: Mapping[str, Sequence[str]], place: ChangeContext, *, is_needed: bool
) -> Record:
    """Return the new entry of the journal. Raise StorageError when it cannot be written.

    What must not fail for that goes on without an entry (number 0), unless that `is_needed`, as for a timer, and what
    it does is in the log.
    """
    entry = _entry(plan, intent, place)
    if entry.install_as:
        entry = replace(entry, installs_over=digest_at(entry.install_as))
    keys = keys_for(plan, intent, place)
    place.session.use_keys(keys)
    try:
        return _with_file(
            place.journal.add(
                entry, plan.observed, plan.desired, texts, intent.source, keys, intent.hooks, intent.routing.journalled
            ),
            intent,
            place,
        )
    except PlanRefusedError as error:
        if is_needed or entry.origin not in UNSTOPPABLE:
            raise
        log.error("The journal cannot record this change, which is carried out all the same: %s", error.message)
    for name, lines in texts.items():
        log.info("%s: %s", name, numbered(len(lines), "line"))
        for line in lines[:LOGGED_LINES]:
            log.info("%s", line)
    return Record(entry=entry, status=Status.STARTED, at=entry.made_at)


def _with_file(record: Record, intent: Intent, place: ChangeContext) -> Record:
    """Make the file ready that is to be put in place later. Raise StorageError, the entry ended, when it cannot be."""
    if not record.entry.install_as:
        return record
    try:
        make_ready(record.entry, intent.source)
    except StorageError as error:
        place.journal.end(record, Status.REVERTED, now(), f"nothing was changed: {error.message}")
        raise
    return record


def _entry(plan: Plan, intent: Intent, place: ChangeContext) -> Entry:
    return Entry(
        number=0,
        origin=intent.origin,
        made_at=now(),
        made_by=who(),
        made_with=__version__,
        boot_id=place.session.boot_id,
        version=plan.observed.facts.version,
        impact=max(plan.impact, intent.routing.impact).label,
        steps=len(plan.steps),
        summary=summary(plan),
        source_name=intent.source_name,
        source_digest=intent.source_digest,
        install_as=intent.install_as,
        target=intent.target,
        comment=intent.comment,
        unmanaged=intent.unmanaged,
        lost=tuple(map(str, harmful(unmanaged_changes(plan)))),
        protected=intent.protected,
        pid=os.getpid(),
        process=identity_of(os.getpid()),
    )


def _run_after(outcome: Outcome, intent: Intent, record: Record, place: ChangeContext) -> str:
    """Run the hook for a state that is back, that of the configuration which is in force again; return why it failed.

    A boot that failed has brought back a VPP without a configuration, which has none.
    """
    is_back = intent.origin in ROLLBACKS if outcome.ending is Ending.NEW else outcome.ending is Ending.OLD
    if not is_back or intent.origin is Origin.BOOT:
        return ""
    hooks = intent.hooks if outcome.ending is Ending.NEW else hooks_in_force(place)
    return run_hook(hooks, HookEvent.AFTER_ROLLBACK, record.entry.number, place)


def _seen_after(outcome: Outcome, plan: Plan, place: ChangeContext) -> Outcome:
    """Return how VPP stands after the hook, which may have brought back what others had."""
    if outcome.ending is not Ending.OLD or not outcome.not_restored:
        return outcome
    dataplane = place.session.dataplane
    with suppress(DataplaneError):
        return replace(outcome, not_restored=not_restored(plan.observed, dataplane, dataplane.observe()))
    return outcome


def _code_of(outcome: Outcome, hook_trouble: str, stop: Stop) -> ExitCode:
    if outcome.failure is None:
        return ExitCode.HOOK_FAILED if hook_trouble else ExitCode.DONE
    if outcome.ending is Ending.KEPT:
        return ExitCode.DIFFERENT
    if outcome.ending is not Ending.OLD:
        return ExitCode.STRANDED
    if outcome.not_restored:
        return ExitCode.STRANDED
    if outcome.failure.cause is Cause.STOPPED:
        return ExitCode.TERMINATED if stop.number == SIGTERM else ExitCode.INTERRUPTED
    return ExitCode.DIFFERENT if outcome.failure.cause is Cause.DIFFERENT else ExitCode.ROLLED_BACK


def _ended(
    record: Record, outcome: Outcome, hook_trouble: str, stop: Stop, post_change: PostChange, place: ChangeContext
) -> ChangeResult:
    """Write down how it ended, and report it; a disk that is full by now does not change what VPP has."""
    status, text = _status_of(outcome, has_timer=record.timer is not None)
    code, status, text = post_change.verdict(_code_of(outcome, hook_trouble, stop), status, text)
    if hook_trouble:
        text = "; ".join(part for part in (text, hook_trouble) if part)
        outcome = replace(outcome, trouble=outcome.trouble or hook_trouble)
    if status in {Status.REVERTED, Status.STRANDED}:
        stop_timer(record)
    try:
        if status is Status.CONFIRMED:
            record = confirm_waiting(record, place.journal, text)
        else:
            record = place.journal.end(record, status, now(), text)
        if status is Status.APPLIED:
            persist_running(record.entry.number, place.journal, post_change.unloaded)
    except StorageError as error:
        log.error("How this ended could not be written into the journal: %s", error.message)
    post_change.report.ended(outcome, record, code, place.journal.folder)
    return ChangeResult(code=code, record=record, comparison=post_change.comparison, unloaded=post_change.unloaded)


def _status_of(outcome: Outcome, *, has_timer: bool) -> tuple[Status, str]:
    failure = outcome.failure
    text = "" if failure is None else failure.text if failure.cause in POST_CHANGE_CAUSES else failure.cause.value
    if outcome.ending is Ending.NEW:
        return (Status.WAITING if has_timer else Status.APPLIED), text
    if outcome.ending is Ending.KEPT:
        return (Status.WAITING if has_timer else Status.APPLIED), f"{text}; kept"
    if outcome.ending is Ending.OLD:
        return (
            Status.REVERTED,
            f"{text}; not back: {listed_by_holder(outcome.not_restored)}" if outcome.not_restored else text,
        )
    if outcome.ending is Ending.LOST:
        return Status.STRANDED, f"{text}; {outcome.trouble}"
    return (Status.CUT_OFF if has_timer else Status.STRANDED), f"{text}; {outcome.trouble}"
