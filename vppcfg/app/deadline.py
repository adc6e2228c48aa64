"""The process behind a timer: waits for the deadline, and rolls back a change that is not confirmed."""

from __future__ import annotations

import logging
import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import takewhile

from vppcfg.app.approval import Terms
from vppcfg.app.change_context import ChangeContext, locked_context
from vppcfg.app.console import Console
from vppcfg.app.rollback import NOT_CONFIRMED, MissingPortsError, first_of_interrupted, go_back, mark_rolled_back
from vppcfg.app.routing_plan import DaemonChange
from vppcfg.app.routing_rollback import DaemonsNotBackError, load_again
from vppcfg.app.target import Target
from vppcfg.common.clock import local_time
from vppcfg.common.printable import printable
from vppcfg.errors import DataplaneError, ExitCode, PlanRefusedError, StorageError, VppcfgError
from vppcfg.transaction.accepted import accepted_entry
from vppcfg.transaction.entry import UNDECIDED, Entry, Origin, Record, Status
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.lock import LockedError, holder_of
from vppcfg.transaction.process import is_another_running, is_running, machine_run
from vppcfg.transaction.watchdog import READY, await_deadline

log = logging.getLogger("root.main")


SOON_S = 2.0
"""After the first failure, which may be one of a moment."""
LONGEST_CHEAP_S = 30.0
"""While nothing is asked, because VPP is not there or another vppcfg is at work."""
FIRST_PAUSE_S = 60.0
LONGEST_PAUSE_S = 900.0
_INTERVAL_S = 1.0
"""Between two looks at whether a pause is to end early, none of which asks VPP anything."""
_MOST_CHARACTERS = 300
"""Of a reason, in the journal and on terminals."""
_WALL_S = 5
"""How long a terminal may take to take a message."""


class Retries:
    """The failures of one rollback, each of which costs the packets what reading VPP costs."""

    def __init__(self, number: int, target: Target) -> None:
        self._number = number
        self._target = target
        self._failures: Counter[str] = Counter()
        self._logged = ""
        self._cheap_s = SOON_S / 8
        self._socket = _socket_identity(target.api_socket)
        self._has_warned = False

    def pause_after(self, error: Exception, *, is_cheap: bool = False) -> float:
        """Report a failure, and return the seconds until the next try.

        They double from the second failure on for the same reason, whatever numbers are in that, and begin anew with
        another VPP. A try that `is_cheap` asks VPP nothing.
        """
        text = error.message if isinstance(error, VppcfgError) else f"{type(error).__name__}: {error}"
        if self.is_another_vpp():
            self._failures.clear()
            self._socket = _socket_identity(self._target.api_socket)
        if is_cheap or _is_cheap(error, self._target):
            self._log(text)
            self._cheap_s = min(2 * self._cheap_s, LONGEST_CHEAP_S)
            return self._cheap_s
        reason = re.sub("[0-9]+", "", text)
        self._failures[reason] += 1
        if (count := self._failures[reason]) == 1:
            self._log(text)
            return SOON_S
        pause_s = min(FIRST_PAUSE_S * (1 << min(count - 2, 10)), LONGEST_PAUSE_S)
        hint = error.hint if isinstance(error, DaemonsNotBackError) else "`vppcfg rollback` tries at once"
        self._report(text, count, pause_s, hint)
        return pause_s

    def _log(self, text: str) -> None:
        """Log a reason once: this may go on for days, and be written to a disk that is full."""
        if text != self._logged:
            log.warning("Change %d is not rolled back yet: %s", self._number, text)
        self._logged = text

    def is_another_vpp(self) -> bool:
        """Return whether the socket is another one than at the last failure, as after a start of VPP."""
        return _socket_identity(self._target.api_socket) != self._socket

    def _report(self, text: str, count: int, pause_s: float, hint: str) -> None:
        again = (local_time() + timedelta(seconds=pause_s)).isoformat(timespec="seconds")
        text = printable(text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}...")
        log.warning("Change %d is not rolled back yet: %s; the next try is at %s", self._number, text, again)
        self._note(f"its rollback failed {count} times, the next try is at {again}: {text}")
        tell_terminals(
            f"vppcfg: change {self._number} was not confirmed, and its rollback fails: {text}. "
            f"The next try is at {again}; {hint}."
        )
        self._has_warned = True

    def _note(self, text: str) -> None:
        """Write into the journal how the change stands, unless that is decided by now."""
        journal = self._target.journal()
        with suppress(VppcfgError, OSError), self._target.lock("vppcfg rollback"):
            change = journal.record(self._number)
            if change.status in UNDECIDED:
                journal.end(change, change.status, change.at, text)

    def succeeded(self) -> None:
        """Write to the terminals that were warned of failures that the old state is back."""
        if self._has_warned:
            tell_terminals(f"vppcfg: the state before change {self._number} is back.")


def pause(duration_s: float, is_over: Callable[[], bool], sleep: Callable[[float], None]) -> None:
    """Sleep so long, or until `is_over` returns True."""
    while duration_s > 0 and not is_over():
        sleep(min(duration_s, _INTERVAL_S))
        duration_s -= _INTERVAL_S


def tell_terminals(text: str) -> None:
    """Write a line to the terminals of all who are logged in and take messages, as wall(1) does where that is."""
    program = shutil.which("wall")
    if program is None:
        return
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            [program, "-t", str(_WALL_S)],
            input=f"{text}\n".encode(errors="replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=2 * _WALL_S,
            check=False,
        )


def _is_cheap(error: Exception, target: Target) -> bool:
    """Return whether a try asked VPP nothing: another vppcfg is at work, or nobody is at the socket."""
    return isinstance(error, LockedError) or (isinstance(error, DataplaneError) and not target.has_listener())


def _socket_identity(path: str) -> tuple[int, int] | None:
    """Return what distinguishes a socket from one that another process makes in its place, None for no socket."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_ctime_ns


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
    change.wait_until(moment_s)
    retries = Retries(number, target)
    while True:
        while change.is_extended():
            change.wait_until(change.deadline_s())
        change.look()
        try:
            code = _act(change, target, console)
        except _MISHAPS as error:
            change.missed_ports += isinstance(error, MissingPortsError)
            is_cheap = change.is_back and not isinstance(error, DaemonsNotBackError)
            pause_s = retries.pause_after(error, is_cheap=is_cheap)
            pause(pause_s, lambda: retries.is_another_vpp() or change.needs_nothing_now(), time.sleep)
        else:
            if code is None:
                continue
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
        self.unloaded: tuple[DaemonChange, ...] = ()
        """Routing daemons that are not back, though VPP is."""
        self.last_number = number
        """The last change in the journal when VPP came back."""
        self.known: Record | None = None
        self.waited_s = 0.0
        """The deadline that was waited for last, in seconds since the machine's boot."""
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

    def wait_until(self, moment_s: float) -> None:
        """Return at a deadline, or as soon as there is nothing to wait for."""
        self.waited_s = moment_s
        await_deadline(moment_s, self.is_over)

    def is_extended(self) -> bool:
        """Return whether `vppcfg confirm --extend` has given it more time than was waited for."""
        return self.deadline_s() > self.waited_s

    def is_decided(self) -> bool:
        """Return whether somebody has confirmed it or rolled it back, as far as that can be read."""
        found = self.look()
        return found is not None and found.status not in UNDECIDED

    def needs_nothing(self) -> bool:
        """Return whether there is nothing left to try: it was decided, or another change decides on daemons by now."""
        if not self.unloaded:
            return self.is_decided()
        with suppress(StorageError):
            newer = takewhile(lambda other: other.entry.number > self.last_number, self.journal.newest_first())
            return any(other.entry.origin not in {Origin.TIMER, Origin.RECONCILE} for other in newer)
        return False

    def needs_nothing_now(self) -> bool:
        """Return whether there is nothing left to try, for now at least."""
        return self.needs_nothing() or self.is_extended()

    def is_over(self) -> bool:
        """Return whether there is nothing to wait for: it was decided, or the vppcfg that makes the change is dead."""
        found = self.look()
        if found is None or found.status is Status.WAITING:
            return False
        return found.status is not Status.STARTED or not is_another_running(found.entry.pid, found.entry.process)


def _act(change: PendingChange, target: Target, console: Console) -> ExitCode | None:
    """Bring the old state back, and return how that ended; None where the change got more time meanwhile."""
    if change.needs_nothing():
        return ExitCode.DONE
    if change.is_back:
        return _finish(change, target)
    found = change.known
    try:
        with locked_context(target, "vppcfg rollback", closes_open_changes=False) as place:
            return _roll_back(change, place, console)
    except LockedError:
        if found is not None:
            _end_overdue(found, target)
        raise


def _roll_back(change: PendingChange, place: ChangeContext, console: Console) -> ExitCode | None:
    found = change.look()
    if found is not None and found.status not in UNDECIDED:
        return ExitCode.DONE
    if change.is_extended():
        return None
    if found is None and any(_is_later(other.entry, change.number) for other in place.records):
        log.warning("Change %d cannot be read, and a later one was made: nothing is rolled back", change.number)
        return ExitCode.DONE
    record = first_of_interrupted(found or change.known or _stand_in(change.number, place), place.records)
    log.warning("Change %d was not confirmed in time and is rolled back", change.number)
    goes_without = change.missed_ports >= _PATIENCE
    result = go_back(record, place, Terms(), console, is_timer=True, goes_without=goes_without)
    if not result.is_done and not result.is_kept:
        raise VppcfgError(f"the way back ended with exit code {result.code}")
    change.is_back, change.unloaded = True, result.unloaded
    change.last_number = max((change.number, *(other.entry.number for other in place.records)))
    _demand_noted(found, place.journal)
    if result.unloaded:
        raise DaemonsNotBackError("a routing daemon does not run what it ran before")
    return ExitCode.DIFFERENT if result.is_kept else ExitCode.DONE


def _is_later(entry: Entry, number: int) -> bool:
    """Return whether a change was made after another one, and is no attempt of a timer to roll that back."""
    return entry.number > number and not (entry.origin is Origin.TIMER and entry.target == number)


def _finish(change: PendingChange, target: Target) -> ExitCode:
    """Write down that the old state is back, which VPP is not asked for, and bring back the daemons that are not."""
    journal = target.journal()
    with target.lock("vppcfg rollback"):
        records = journal.records()
        if change.needs_nothing():
            return ExitCode.DONE
        if (found := change.look()) is not None and found.status in UNDECIDED:
            mark_rolled_back(first_of_interrupted(found, records), records, journal, NOT_CONFIRMED)
        _demand_noted(found, journal)
        load_again(change.unloaded)
    return ExitCode.DONE


def _demand_noted(found: Record | None, journal: Journal) -> None:
    if found is not None and journal.record(found.entry.number).status in UNDECIDED:
        raise StorageError("the old state is back, but that could not be written into the journal")


def _stand_in(number: int, place: ChangeContext) -> Record:
    """Return what is known of a change whose entry cannot be read: it followed what was accepted last."""
    former = accepted_entry(place.records, place.journal.accepted())
    if former is None:
        raise StorageError(f"change {number} cannot be read, nor anything that was accepted before it")
    # Where it goes back to is decided by its origin: a boot would stand for the state that it brought back.
    return Record(entry=replace(former, number=number, origin=Origin.APPLY, target=0), status=Status.WAITING)


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
