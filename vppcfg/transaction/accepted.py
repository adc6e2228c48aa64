"""What the journal says about the past: what a boot may bring back, files that were rolled back, open ends."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from vppcfg.errors import PlanRefusedError
from vppcfg.transaction.entry import ACCEPTED, IN_FORCE, UNDECIDED, Origin, Record, Status, Timer
from vppcfg.transaction.journal import Journal


def last_accepted(records: Sequence[Record]) -> Record | None:
    """Return the last change that was confirmed, or made without a timer; a rollback by the timer is none."""
    return next(
        (
            record
            for record in reversed(records)
            if record.status in ACCEPTED and record.entry.origin is not Origin.TIMER
        ),
        None,
    )


def was_rolled_back(records: Sequence[Record], digest: str) -> Record | None:
    """Return the change to the file with this digest when the last thing that became of that file is a rollback."""
    same = [record for record in records if digest and record.entry.source_digest == digest]
    decided = [record for record in same if record.status in {*ACCEPTED, Status.ROLLED_BACK}]
    return decided[-1] if decided and decided[-1].status is Status.ROLLED_BACK else None


def awaited(records: Sequence[Record]) -> Record | None:
    """Return the change that somebody is to confirm, or whose timer is to bring the old state back."""
    return next((record for record in reversed(records) if record.timer and record.status in UNDECIDED), None)


def to_roll_back(records: Sequence[Record]) -> Record | None:
    """Return the last change that is still in force and not itself a rollback."""
    rollbacks = {Origin.ROLLBACK, Origin.TIMER}
    return next(
        (record for record in reversed(records) if record.status in IN_FORCE and record.entry.origin not in rollbacks),
        None,
    )


def settle(journal: Journal, boot_id: str, at: str, is_alive: Callable[[Timer], bool]) -> list[str]:
    """Write down how changes ended whose vppcfg did not live to do so, and return what is to be said about it.

    Call it with the lock held: nobody else is at work then. Raise PlanRefusedError while one waits for its timer.
    """
    said = []
    for record in journal.records():
        if record.status not in UNDECIDED:
            continue
        entry = record.entry
        if record.timer is not None and entry.boot_id != boot_id:
            text = "VPP was restarted before the change was confirmed"
            journal.end(record, Status.ROLLED_BACK, at, text)
            said.append(f"Change {entry.number} counts as rolled back: {text}")
        elif record.timer is not None:
            _refuse(record, is_alive(record.timer))
        elif record.status is Status.STARTED:
            journal.end(record, Status.CUT_OFF, at, "vppcfg ended in the middle of it")
            said.append(f"Change {entry.number} of {entry.made_at} was cut off; planning from what is there now")
    return said


def _refuse(record: Record, is_alive: bool) -> None:
    number = record.entry.number
    until = record.timer.deadline if record.timer else ""
    if record.status is Status.WAITING:
        late = "" if is_alive else "; its timer is gone, so nothing happens by itself"
        raise PlanRefusedError(
            f"change {number} waits to be confirmed until {until}{late}",
            "`vppcfg confirm` keeps it, `vppcfg rollback` brings the old state back",
        )
    if is_alive:
        raise PlanRefusedError(f"change {number} was cut off and is being rolled back", "try again in a moment")
    raise PlanRefusedError(
        f"change {number} was cut off and its timer is gone", "`vppcfg rollback` brings the old state back"
    )


def is_running(pid: int) -> bool:
    """Return whether there is a process with this id."""
    return Path(f"/proc/{pid}").exists() and pid != os.getpid()
