"""Starts, restarts, extends and stops the timers that roll back changes which are not confirmed."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from vppcfg.app.target import Target, own_command
from vppcfg.common.clock import local_time
from vppcfg.errors import PlanRefusedError, StorageError
from vppcfg.routing_daemons.daemon import written_folders
from vppcfg.transaction import watchdog
from vppcfg.transaction.entry import Record
from vppcfg.transaction.journal import Journal

log = logging.getLogger("root.main")

_AT_ONCE_S = 0.1


def start_timer(change: Record, after_s: float, journal: Journal, target: Target) -> Record:
    """Start the timer of a change, before anything is changed, and return the change with it. Raise StorageError."""
    deadline = _deadline(after_s)
    timer = watchdog.arm(_watch(change.entry.number, after_s, deadline, journal, target))
    try:
        return journal.arm(change, timer)
    except StorageError:
        watchdog.disarm(timer)
        raise


def restart_timer(change: Record, journal: Journal, target: Target) -> Record:
    """Start the timer of a change anew, for what is left of its time; at once when that is over. Raise StorageError.

    Call it with the lock held, so that no two do it.
    """
    if change.timer is None:
        return change
    after_s = max(_AT_ONCE_S, watchdog.remaining_s(change.timer, local_time()))
    timer = watchdog.rearm(_watch(change.entry.number, after_s, change.timer.deadline, journal, target))
    try:
        return journal.arm(change, timer)
    except StorageError as error:  # it runs all the same, and finds its change by the number
        log.warning("The new timer could not be written into the journal: %s", error.message)
        return change


def stop_timer(change: Record) -> None:
    """Stop a change's timer, if it has one."""
    if change.timer is not None:
        with suppress(ProcessLookupError):
            watchdog.disarm(change.timer)


def extend_timer(change: Record, after_s: float, journal: Journal, target: Target) -> Record:
    """Give a change that waits so many seconds from now on, whatever is left of its time. Raise StorageError.

    There is a timer at every moment: the new one is there, and written down, before the former one goes, which waits
    for the new deadline as well should it be left over.
    """
    deadline = _deadline(after_s)
    watch = _watch(change.entry.number, after_s, deadline, journal, target)
    timer = watchdog.arm(replace(watch, name=f"{watch.name}-{int(watchdog.seconds_since_boot())}"))
    try:
        later = journal.arm(change, timer)
    except StorageError:
        watchdog.disarm(timer)
        raise
    stop_timer(change)
    return later


def _deadline(after_s: float) -> str:
    return (local_time() + timedelta(seconds=after_s)).isoformat(timespec="seconds")


def _watch(number: int, after_s: float, deadline: str, journal: Journal, target: Target) -> watchdog.TimerWatch:
    return watchdog.TimerWatch(
        command=[*own_command(), "rollback", "--unless-confirmed", str(number), *target.options()],
        name=watchdog.unit_name(os.path.realpath(target.api_socket), number),
        after_s=after_s,
        deadline=deadline,
        log=journal.folder / f"{number:06}" / "timer.log",
        group=journal.folder.stat().st_gid,
        folders=[Path(os.path.realpath(each)) for each in _folders(number, journal, target)],
    )


def _folders(number: int, journal: Journal, target: Target) -> Iterator[str]:
    """Yield where the rollback writes: the journal, the lock, and what routing daemons start with."""
    yield from (target.state_dir, target.run_dir)
    with suppress(PlanRefusedError):  # of texts that cannot be read it loads none
        for texts in journal.routing(number).texts:
            yield from written_folders(texts.file)
