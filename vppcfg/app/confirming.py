"""Changes that must be confirmed: their timer, and the operator's confirmation."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from vppcfg.app.routing_accepted import confirm_running, persist_running, refuse_old_startup
from vppcfg.app.signals import Terminated
from vppcfg.app.target import Target, now
from vppcfg.app.timers import extend_timer, restart_timer, stop_timer
from vppcfg.common.clock import local_time
from vppcfg.dataplane import is_restarted
from vppcfg.errors import DataplaneError, ExitCode, NotNowError, PlanRefusedError, StorageError, VppcfgError
from vppcfg.record import record
from vppcfg.transaction import watchdog
from vppcfg.transaction.accepted import awaited, rolled_back_unnoted
from vppcfg.transaction.entry import Record, Status, Timer
from vppcfg.transaction.guard import Objection
from vppcfg.transaction.installing import install_or_discard, is_waiting, refuse_misplaced
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.lock import LockedError
from vppcfg.transaction.session import Session

if TYPE_CHECKING:
    from vppcfg.app.console import Console

log = logging.getLogger("root.main")

INTERVAL_S = 0.25
"""Between two looks whether a change was confirmed."""
_CONSENT = frozenset({"yes", "confirm"})
"""What is typed to keep a change; Enter alone is typed too easily."""
_SOON = "try again in a moment"
_DECIDE = "`vppcfg confirm` keeps it, `vppcfg rollback` brings the old state back"


@record
class Unconfirmed:
    """What is wrong with a change that waits to be confirmed."""

    number: int
    deadline: str
    is_overdue: bool
    """Whether the old state should be back by now."""
    text: str


def confirm(target: Target, number: int | None = None) -> Record:
    """Keep the change that waits, stop its timer, and return it. Raise what `waiting_change` raises.

    With a number, no other change is kept, and one that is confirmed already is returned as it is. Raise StorageError
    when the change is kept, and its file or a startup file of a routing daemon cannot be put in place.
    """
    if number is not None and awaited((journal := target.journal()).newest_first()) is None:
        change = journal.record(number)
        if change.status is Status.CONFIRMED:
            _put_file(change, target)
            return change
    with waiting_change(target, number) as (change, journal):
        change = confirm_waiting(change, journal)
    refuse_misplaced(change)
    refuse_old_startup(change, journal)
    return change


def confirm_waiting(change: Record, journal: Journal, text: str = "") -> Record:
    """Keep a change that waits, stop its timer, and return it. Call it with the lock held. Raise StorageError."""
    change = journal.end(change, Status.CONFIRMED, now(), text)
    stop_timer(change)
    note_rolled_back(journal)
    persist_running(change.entry.number, journal)
    return change


def _put_file(change: Record, target: Target) -> None:
    """Put the file of a change in place when a former vppcfg did not. Raise StorageError when that cannot be done."""
    if is_waiting(change.entry):
        with target.lock("vppcfg confirm"):
            install_or_discard(change)
        refuse_misplaced(change)


def extend(target: Target, after_s: float, number: int | None = None) -> Record:
    """Let the change that waits do so for this many seconds from now on, and return it.

    Raise what `waiting_change` raises, and StorageError when there is no other timer to be had.
    """
    with waiting_change(target, number) as (change, journal):
        later = extend_timer(change, after_s, journal, target)
        confirm_running(change.entry.number, journal)
        return later


@contextmanager
def waiting_change(target: Target, number: int | None = None) -> Iterator[tuple[Record, Journal]]:
    """Yield the change that waits to be confirmed, and its journal, with the lock held.

    Raise PlanRefusedError when none waits, or another one than `number`, or VPP was restarted since, so that it is not
    in force any more; DataplaneError when VPP does not answer; LockedError when it is being rolled back.
    """
    nothing = PlanRefusedError("no change waits to be confirmed", "`vppcfg history` lists the changes")
    journal = target.journal()
    if awaited(journal.newest_first()) is None:
        raise nothing
    with target.lock("vppcfg confirm"):
        change = awaited(journal.newest_first())
        if change is None or change.status is not Status.WAITING:
            raise nothing
        if number is not None and change.entry.number != number:
            raise PlanRefusedError(
                f"change {change.entry.number} waits to be confirmed, and not change {number}", "nothing was confirmed"
            )
        _refuse_restarted(change, journal, target)
        yield change, journal


def note_rolled_back(journal: Journal) -> None:
    """Write down what a rollback that is accepted has undone; report it when that cannot be written."""
    for change in rolled_back_unnoted(journal.records()):
        try:
            journal.end(change, Status.ROLLED_BACK, now())
        except StorageError as error:
            number = change.entry.number
            log.error("Change %d is rolled back, but the journal could not be updated: %s", number, error.message)


def _refuse_restarted(change: Record, journal: Journal, target: Target) -> None:
    """Raise PlanRefusedError when the VPP that a change was made for is gone, DataplaneError when that is not known."""
    number, until = change.entry.number, change.timer.deadline if change.timer else ""
    by_itself = f"the state before it comes back at {until}, or at once with `vppcfg rollback`"
    try:
        with Session(target.connect) as session:
            was_restarted = is_restarted(change.entry.boot_id, session.boot_id)
    except DataplaneError as error:
        raise DataplaneError(
            f"change {number} is not confirmed, since it is unknown whether VPP survived it: {error.message}", by_itself
        ) from error
    if not was_restarted:
        return
    text = "VPP was restarted before the change was confirmed"
    with suppress(StorageError):
        journal.end(change, change.status, now(), text)
    raise PlanRefusedError(f"{text}, so change {number} counts as rolled back and cannot be confirmed", by_itself)


def wait_for_confirmation(number: int, target: Target, window_s: float, console: Console, *, wait: bool) -> ExitCode:
    """Print how to confirm a change; with `wait`, return once that is decided: DONE, or NOT_CONFIRMED."""
    change = target.journal().record(number)
    if change.timer is None:
        return ExitCode.DONE
    log.warning("Change %d will be rolled back at %s unless `vppcfg confirm` keeps it", number, change.timer.deadline)
    log.info("The rollback also reverts what others change in VPP until then")
    if wait and console.listens():
        log.warning("Type yes to keep it, here or with `vppcfg confirm` elsewhere")
    if not wait:
        return ExitCode.DONE
    try:
        change = _decided(change, target, window_s, console)
    except (KeyboardInterrupt, Terminated):
        log.warning("No longer waiting; the timer keeps running: `vppcfg confirm` or `vppcfg rollback`")
        raise
    if change.status is Status.CONFIRMED:
        log.info("Change %d is confirmed", number)
        return ExitCode.DONE
    if change.status is Status.ROLLED_BACK:
        log.error("Change %d was not confirmed and is rolled back: %s", number, change.text)
        return ExitCode.NOT_CONFIRMED
    log.error("Change %d was not confirmed, and the state before it is not back: it is %s", number, change.status.value)
    return ExitCode.STRANDED


def _decided(change: Record, target: Target, window_s: float, console: Console) -> Record:
    journal, began = target.journal(), time.monotonic()
    with console.waiting(window_s) as waited:
        while change.status is Status.WAITING:
            time.sleep(INTERVAL_S)
            waited(time.monotonic() - began)
            if console.typed() in _CONSENT:
                _confirm_here(target)
            change = journal.record(change.entry.number)
    return change


def _confirm_here(target: Target) -> None:
    """Confirm as `vppcfg confirm` does, and report why when that is not possible; the wait goes on."""
    try:
        confirm(target)
    except VppcfgError as error:
        log.error("%s", error.message)


def refuse_while_waiting(change: Record, journal: Journal, target: Target) -> None:
    """Raise PlanRefusedError for a change that waits for its timer, which is started again when it is gone.

    Call it with the lock held.
    """
    found = undecided(change)
    if change.timer is not None and not watchdog.is_alive(change.timer):
        try:
            restart_timer(change, journal, target)
        except StorageError as error:
            text = f"{found.text} and cannot be started again: {error.message}"
            hint = _DECIDE if change.status is Status.WAITING else "`vppcfg rollback` brings the old state back"
            raise PlanRefusedError(text, hint) from error
        found = undecided(change, timer_is="was gone and was started again")
    raise (NotNowError if found.code is ExitCode.NOT_NOW else PlanRefusedError)(found.text, found.hint)


def undecided(change: Record, *, timer_is: str = "is gone") -> Objection:
    """Return why nothing else may be changed while a change waits for its timer; NOT_NOW when it is to be undone.

    `timer_is` describes the outcome of a timer that runs no more.
    """
    is_waiting = change.status is Status.WAITING
    until = change.timer.deadline if change.timer else ""
    what = f"change {change.entry.number} " + (f"waits to be confirmed until {until}" if is_waiting else "was cut off")
    if change.timer is None or watchdog.is_alive(change.timer):
        if is_waiting:
            return Objection(what, _DECIDE)
        # A timer of systemd sleeps until then, and a process of its own has noticed.
        when = f"is rolled back at {until}" if change.timer and change.timer.unit else "is being rolled back"
        return Objection(f"{what} and {when}", _SOON, ExitCode.NOT_NOW)
    if is_waiting and not _is_overdue(change.timer):
        return Objection(f"{what}; its timer {timer_is}", _DECIDE)
    if is_waiting:
        what = f"change {change.entry.number} was not confirmed until {until}"
    return Objection(f"{what} and is to be rolled back; its timer {timer_is}", _SOON, ExitCode.NOT_NOW)


def unconfirmed(journal: Journal) -> Unconfirmed | None:
    """Return what is wrong with the change that waits to be confirmed, and what to do; None when nothing is.

    Nothing is written. Raise StorageError when the journal cannot be read.
    """
    change = awaited(journal.newest_first())
    if change is None or change.timer is None:
        return None
    number, is_alive = change.entry.number, watchdog.is_alive(change.timer)
    if is_alive and not _is_overdue(change.timer):
        return None
    if is_alive:
        why = f": {change.text}" if change.text else ""
        return _unconfirmed(number, change.timer, f"its timer is still at work to bring the old state back{why}")
    decide = "`vppcfg confirm` keeps the new state, `vppcfg rollback` brings the old one back"
    return _unconfirmed(number, change.timer, f"its timer is gone, so nothing happens by itself: {decide}")


def rearm_unconfirmed(journal: Journal, target: Target) -> Unconfirmed | None:
    """Do what `unconfirmed` does, and start a timer that is gone again where that is possible.

    One whose time is over brings the old state back at once. Raise StorageError when the journal cannot be read.
    """
    found = unconfirmed(journal)
    if found is None:
        return None
    try:
        with target.lock("vppcfg watch"):
            change = awaited(journal.newest_first())
            if change is None or change.timer is None or watchdog.is_alive(change.timer):
                return found
            restart_timer(change, journal, target)
    except LockedError:
        return found
    except PlanRefusedError as error:
        log.warning("The timer of change %d cannot be started again: %s", found.number, error.message)
        return found
    return _unconfirmed(change.entry.number, change.timer, "its timer was gone and was started again")


def _unconfirmed(number: int, timer: Timer, text: str) -> Unconfirmed:
    is_overdue = _is_overdue(timer)
    what = "was not confirmed until" if is_overdue else "waits to be confirmed until"
    return Unconfirmed(
        number=number,
        deadline=timer.deadline,
        is_overdue=is_overdue,
        text=f"Change {number} {what} {timer.deadline}; {text}",
    )


def _is_overdue(timer: Timer) -> bool:
    return watchdog.remaining_s(timer, local_time()) < 0
