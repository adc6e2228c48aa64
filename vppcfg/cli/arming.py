"""The timer of a change that must be confirmed: started, looked after, and started again when it is gone."""

from __future__ import annotations

import argparse
import logging
import os
from contextlib import suppress
from datetime import datetime, timedelta

from vppcfg.cli.places import lock_of, own_command
from vppcfg.errors import PlanRefusedError, StorageError
from vppcfg.record import record
from vppcfg.transaction import watchdog
from vppcfg.transaction.accepted import awaited
from vppcfg.transaction.entry import Record, Status
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.lock import LockedError

log = logging.getLogger("root.main")

_AT_ONCE_S = 0.1
_SOON = "try again in a moment"


@record
class Unconfirmed:
    """What is wrong with a change that waits to be confirmed."""

    number: int
    deadline: str
    is_overdue: bool
    """Whether the old state should be back by now."""
    text: str


def armed(change: Record, after_s: float, journal: Journal, args: argparse.Namespace) -> Record:
    """Start the timer of a change, before anything is changed. Raise StorageError."""
    deadline = (datetime.now().astimezone() + timedelta(seconds=after_s)).isoformat(timespec="seconds")
    timer = watchdog.arm(_watch(change.entry.number, after_s, deadline, journal, args))
    try:
        return journal.arm(change, timer)
    except StorageError:
        watchdog.disarm(timer)
        raise


def armed_again(change: Record, journal: Journal, args: argparse.Namespace) -> Record:
    """Start the timer of a change anew, for what is left of its time; at once when that is over. Raise StorageError.

    Call it with the lock held, so that no two do it.
    """
    if change.timer is None:
        return change
    after_s = max(_AT_ONCE_S, watchdog.left_s(change.timer, datetime.now().astimezone()))
    timer = watchdog.arm_again(_watch(change.entry.number, after_s, change.timer.deadline, journal, args))
    try:
        return journal.arm(change, timer)
    except StorageError as error:  # it runs all the same, and finds its change by the number
        log.warning("The journal does not know the new timer: %s", error.message)
        return change


def disarm(change: Record) -> None:
    """Stop a change's timer, if it has one."""
    if change.timer is not None:
        with suppress(ProcessLookupError):
            watchdog.disarm(change.timer)


def refuse_while_waiting(change: Record, journal: Journal, args: argparse.Namespace) -> None:
    """Raise PlanRefusedError for a change that waits for its timer, which is started again when it is gone.

    Call it with the lock held.
    """
    number, is_waiting = change.entry.number, change.status is Status.WAITING
    until = change.timer.deadline if change.timer else ""
    what = f"change {number} " + (f"waits to be confirmed until {until}" if is_waiting else "was cut off")
    decide = "`vppcfg confirm` keeps it, `vppcfg rollback` brings the old state back"
    if change.timer is None or watchdog.is_alive(change.timer):
        if is_waiting:
            raise PlanRefusedError(what, decide)
        raise PlanRefusedError(f"{what} and is being rolled back", _SOON)
    try:
        armed_again(change, journal, args)
    except StorageError as error:
        text = f"{what}; its timer is gone and cannot be started again: {error.message}"
        raise PlanRefusedError(text, decide if is_waiting else "`vppcfg rollback` brings the old state back") from error
    if is_waiting and not _is_overdue(change):
        raise PlanRefusedError(f"{what}; its timer was gone and was started again", decide)
    if is_waiting:
        what = f"change {number} was not confirmed until {until}"
    raise PlanRefusedError(f"{what}, and its timer was gone; it was started again and brings the old state back", _SOON)


def unconfirmed(journal: Journal) -> Unconfirmed | None:
    """Return what is wrong with the change that waits to be confirmed, and what to do; None when nothing is.

    Nothing is written. Raise StorageError when the journal cannot be read.
    """
    change = awaited(journal.records())
    if change is None or change.timer is None:
        return None
    is_alive, is_overdue = watchdog.is_alive(change.timer), _is_overdue(change)
    if is_alive and not is_overdue:
        return None
    if is_alive:
        return _unconfirmed(change, "its timer is still at work to bring the old state back")
    decide = "`vppcfg confirm` keeps the new state, `vppcfg rollback` brings the old one back"
    return _unconfirmed(change, f"its timer is gone, so nothing happens by itself: {decide}")


def attend(journal: Journal, args: argparse.Namespace) -> Unconfirmed | None:
    """Do what `unconfirmed` does, and start a timer that is gone again where that is possible.

    One whose time is over brings the old state back at once. Raise StorageError when the journal cannot be read.
    """
    found = unconfirmed(journal)
    if found is None:
        return None
    try:
        with lock_of(args, f"vppcfg {args.command}"):
            change = awaited(journal.records())
            if change is None or change.timer is None or watchdog.is_alive(change.timer):
                return found
            armed_again(change, journal, args)
    except LockedError:
        return found
    except PlanRefusedError as error:
        log.warning("The timer of change %d cannot be started again: %s", found.number, error.message)
        return found
    return _unconfirmed(change, "its timer was gone and was started again")


def _unconfirmed(change: Record, text: str) -> Unconfirmed:
    number, deadline, is_overdue = (
        change.entry.number,
        change.timer.deadline if change.timer else "",
        _is_overdue(change),
    )
    what = "was not confirmed until" if is_overdue else "waits to be confirmed until"
    return Unconfirmed(
        number=number, deadline=deadline, is_overdue=is_overdue, text=f"Change {number} {what} {deadline}; {text}"
    )


def _is_overdue(change: Record) -> bool:
    return change.timer is not None and watchdog.left_s(change.timer, datetime.now().astimezone()) < 0


def _watch(number: int, after_s: float, deadline: str, journal: Journal, args: argparse.Namespace) -> watchdog.Watch:
    return watchdog.Watch(
        command=[*own_command(), "rollback", "--unless-confirmed", str(number), *_place_options(args)],
        name=watchdog.unit_name(os.path.realpath(args.api_socket), number),
        after_s=after_s,
        deadline=deadline,
        log=journal.folder / f"{number:06}" / "timer.log",
    )


def _place_options(args: argparse.Namespace) -> list[str]:
    socket, state_dir = os.path.realpath(args.api_socket), os.path.realpath(args.state_dir)
    words = ["--api-socket", socket, "--state-dir", state_dir]
    return [*words, "--vpp-json-dir", os.path.realpath(args.vpp_json_dir)] if args.vpp_json_dir else words
