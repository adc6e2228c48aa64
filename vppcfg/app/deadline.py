"""The process behind a timer: waits for the deadline, and rolls back a change that is not confirmed."""

from __future__ import annotations

import logging
import os
import signal
import time
from contextlib import suppress
from dataclasses import replace

from vppcfg.app.approval import Terms
from vppcfg.app.change_context import ChangeContext, locked_context
from vppcfg.app.console import Console
from vppcfg.app.retrying import Retries, pause
from vppcfg.app.rollback import NOT_CONFIRMED, MissingPortsError, first_of_interrupted, go_back, mark_rolled_back
from vppcfg.app.target import Target
from vppcfg.errors import ExitCode, PlanRefusedError, StorageError, VppcfgError
from vppcfg.transaction.accepted import accepted_entry
from vppcfg.transaction.entry import UNDECIDED, Record, Status
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.lock import LockedError, holder_of
from vppcfg.transaction.process import is_another_running, is_running, machine_run
from vppcfg.transaction.watchdog import READY, await_deadline

log = logging.getLogger("root.main")

GRACE_S = 30.0
"""How long a vppcfg that is still at work at the deadline may take to go back by itself."""
_PATIENCE = 2
"""Tries for which ports may be missing, as they are for a moment when VPP starts: then the rest comes back."""
_MISHAPS = (VppcfgError, OSError, ValueError, TypeError, LookupError, AttributeError, AssertionError, RuntimeError)
"""What is tried again: also errors in vppcfg itself, since nothing else rolls back."""


def roll_back_unless_confirmed(
    number: int, target: Target, console: Console, *, moment_s: float = 0.0, ready_fd: int | None = None
) -> ExitCode:
    """Wait for the deadline, or for the end of the vppcfg that makes the change; return DONE when it was confirmed.

    `moment_s` is the deadline in seconds since the machine's boot; `ready_fd` is written to when this waits for it. It
    goes on until the change is decided, however long VPP does not answer or the disk is full. Raise StorageError when
    the change is gone from the journal.
    """
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if ready_fd is not None:
        with suppress(BrokenPipeError):  # whoever started this was killed meanwhile
            os.write(ready_fd, READY)
        os.close(ready_fd)
    change = PendingChange(target.journal(), number)
    await_deadline(moment_s, change.is_over)
    while (later_s := change.deadline_s()) > moment_s:  # `vppcfg confirm --extend`
        moment_s = later_s
        await_deadline(moment_s, change.is_over)
    retries = Retries(number, target)
    while True:
        change.look()
        try:
            code = _act(change, target, console)
        except _MISHAPS as error:
            change.missed_ports += isinstance(error, MissingPortsError)
            pause_s = retries.pause_after(error, is_cheap=change.is_back)
            pause(pause_s, lambda: retries.is_another_vpp() or change.is_decided(), time.sleep)
        else:
            if change.is_back:
                retries.succeeded()
            return code


class PendingChange:
    """The change that a timer waits for, remembered in case its entry in the journal cannot be read any more."""

    def __init__(self, journal: Journal, number: int) -> None:
        self.journal = journal
        self.number = number
        self.is_back = False
        """Whether the old state is back, and only to be noted."""
        self.known: Record | None = None
        self.missed_ports = 0
        """How often the old state could not come back because VPP lacked a port."""

    def look(self) -> Record | None:
        """Return how it stands, None when that cannot be read. Raise StorageError when it is gone from the journal."""
        try:
            self.known = self.journal.record(self.number)
        except PlanRefusedError:
            if not self.journal.knows(self.number):
                raise
            return None
        return self.known

    def deadline_s(self) -> float:
        """Return when its time is over by the journal, 0 when it does not wait in this run of the machine."""
        found = self.look()
        if found is None or found.timer is None or found.status is not Status.WAITING:
            return 0.0
        return found.timer.moment_s if found.timer.machine_run == machine_run() else 0.0

    def is_decided(self) -> bool:
        """Return whether somebody has confirmed it or rolled it back, as far as that can be read."""
        found = self.look()
        return found is not None and found.status not in UNDECIDED

    def is_over(self) -> bool:
        """Return whether there is nothing to wait for: it was decided, or the vppcfg that makes the change is dead."""
        found = self.look()
        if found is None or found.status is Status.WAITING:
            return False
        return found.status is not Status.STARTED or not is_another_running(found.entry.pid, found.entry.process)


def _act(change: PendingChange, target: Target, console: Console) -> ExitCode:
    if change.is_decided():
        return ExitCode.DONE
    if change.is_back:
        return _note(change, target)
    found = change.known
    try:
        with locked_context(target, "vppcfg rollback", closes_open_changes=False) as place:
            return _roll_back(change, place, console)
    except LockedError:
        if found is not None:
            _end_overdue(found, target)
        raise


def _roll_back(change: PendingChange, place: ChangeContext, console: Console) -> ExitCode:
    found = change.look()
    if found is not None and found.status not in UNDECIDED:
        return ExitCode.DONE
    if found is None and any(other.entry.number > change.number for other in place.records):
        log.warning("Change %d cannot be read, and a later one was made: nothing is rolled back", change.number)
        return ExitCode.DONE
    record = first_of_interrupted(found or change.known or _stand_in(change.number, place), place.records)
    log.warning("Change %d was not confirmed in time and is rolled back", change.number)
    goes_without = change.missed_ports >= _PATIENCE
    result = go_back(record, place, Terms(), console, is_timer=True, goes_without=goes_without)
    if not result.is_done and not result.is_kept:
        raise VppcfgError(f"the way back ended with exit code {result.code}")
    change.is_back = True
    _demand_noted(found, place.journal)
    return ExitCode.DIFFERENT if result.is_kept else ExitCode.DONE


def _note(change: PendingChange, target: Target) -> ExitCode:
    """Write down that the old state is back, which VPP is not asked for."""
    journal = target.journal()
    with target.lock("vppcfg rollback"):
        records = journal.records()
        if (found := change.look()) is not None:
            mark_rolled_back(first_of_interrupted(found, records), records, journal, NOT_CONFIRMED)
        _demand_noted(found, journal)
    return ExitCode.DONE


def _demand_noted(found: Record | None, journal: Journal) -> None:
    if found is not None and journal.record(found.entry.number).status in UNDECIDED:
        raise StorageError("the old state is back, but that could not be written into the journal")


def _stand_in(number: int, place: ChangeContext) -> Record:
    """Return what is known of a change whose entry cannot be read: it followed what was accepted last."""
    former = accepted_entry(place.records, place.journal.accepted())
    if former is None:
        raise StorageError(f"change {number} cannot be read, nor anything that was accepted before it")
    return Record(entry=replace(former, number=number), status=Status.WAITING)


def _end_overdue(record: Record, target: Target) -> None:
    """Make the vppcfg that still makes the change go back by itself, and end it when it does not.

    The lock names whatever process a member of the group has written into it: only who made the entry is ended.
    """
    holder, entry = holder_of(target.lock_path()), record.entry
    if not record.is_own or not entry.process or not is_running(entry.pid, entry.process):
        return
    if holder is None or holder.pid != entry.pid:
        return
    with suppress(ProcessLookupError):
        os.kill(holder.pid, signal.SIGTERM)
        until = time.monotonic() + GRACE_S
        while time.monotonic() < until and holder_of(target.lock_path()) == holder:
            time.sleep(0.1)
        if holder_of(target.lock_path()) == holder:
            log.warning("Process %d does not end and is killed", holder.pid)
            os.kill(holder.pid, signal.SIGKILL)
