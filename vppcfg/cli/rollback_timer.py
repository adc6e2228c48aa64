"""What a timer runs: waits until the time is over, and brings the old state back unless somebody has confirmed."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import time
from contextlib import suppress

from vppcfg.cli.roll_back import roll_back
from vppcfg.cli.workplace import Workplace, journal_of, lock_path, workplace
from vppcfg.errors import ExitCode, VppcfgError
from vppcfg.transaction.accepted import is_running
from vppcfg.transaction.entry import UNDECIDED, Record, Status
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.lock import LockedError, holder_of
from vppcfg.transaction.watchdog import READY, await_deadline

log = logging.getLogger("root.main")

GRACE_S = 30.0
"""How long a vppcfg that is still at work at the deadline may take to go back by itself."""
PATIENCE_S = 3600.0
LONGEST_PAUSE_S = 5.0


def roll_back_unless_confirmed(args: argparse.Namespace) -> ExitCode:
    """Wait for the deadline, or for the end of the vppcfg that makes the change; return DONE when it was confirmed."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    args.yes, journal, number = True, journal_of(args), args.unless_confirmed
    if args.ready_fd is not None:
        with suppress(BrokenPipeError):  # whoever started this was killed meanwhile
            os.write(args.ready_fd, READY)
        os.close(args.ready_fd)
    await_deadline(args.deadline, lambda: _is_over(journal, number))
    deadline, pause = time.monotonic() + PATIENCE_S, 0.25
    while True:
        journal.record(number)
        try:
            return _act(number, args)
        except VppcfgError as error:
            if time.monotonic() > deadline:
                raise
            log.warning("Change %d is not rolled back yet: %s", number, error.message)
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)


def _is_over(journal: Journal, number: int) -> bool:
    """Return whether there is nothing to wait for: it was decided, or the vppcfg that makes the change is dead.

    Raise StorageError when the change is gone from the journal, UntrustedFileError when somebody has touched it: there
    is nothing to go back to.
    """
    record = journal.record(number)
    if record.status is Status.WAITING:
        return False
    return record.status is not Status.STARTED or not is_running(record.entry.pid)


def _act(number: int, args: argparse.Namespace) -> ExitCode:
    record = journal_of(args).record(number)
    if record.status not in UNDECIDED:
        return ExitCode.DONE
    try:
        with workplace(args, is_settling=False) as place:
            return _roll_back(number, place, args)
    except LockedError:
        _end_overdue(record, args)
        raise


def _roll_back(number: int, place: Workplace, args: argparse.Namespace) -> ExitCode:
    record = place.journal.record(number)
    if record.status not in UNDECIDED:
        return ExitCode.DONE
    log.warning("Change %d was not confirmed in time and is rolled back", number)
    code = roll_back(record, place, args, is_timer=True)
    if code is not ExitCode.DONE:
        raise VppcfgError(f"the way back ended with exit code {code}")
    return code


def _end_overdue(record: Record, args: argparse.Namespace) -> None:
    """Make the vppcfg that still makes the change go back by itself, and end it when it does not."""
    holder = holder_of(lock_path(args))
    if holder is None or holder.pid != record.entry.pid:
        return
    with suppress(ProcessLookupError):
        os.kill(holder.pid, signal.SIGTERM)
        until = time.monotonic() + GRACE_S
        while time.monotonic() < until and holder_of(lock_path(args)) == holder:
            time.sleep(0.1)
        if holder_of(lock_path(args)) == holder:
            log.warning("Process %d does not end and is killed", holder.pid)
            os.kill(holder.pid, signal.SIGKILL)
