"""What follows from the changes in the journal: which was accepted last, rolled back, waits, or was interrupted.

A boot applies what was accepted last; a file that was rolled back is not applied again unasked.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from vppcfg.dataplane import is_restarted
from vppcfg.errors import PlanRefusedError, StorageError
from vppcfg.model.state import State
from vppcfg.transaction.accepted_copy import Accepted
from vppcfg.transaction.entry import (
    ACCEPTED,
    IN_FORCE,
    INTERRUPTED,
    ROLLBACKS,
    UNDECIDED,
    Entry,
    Origin,
    Record,
    Status,
)
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.process import is_another_running

_log = logging.getLogger(__name__)


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


def accepted_entry(records: Sequence[Record], copy: Accepted | None) -> Entry | None:
    """Return the change that a boot applies: the last accepted one that can be read, or the copy of a later one."""
    last = last_accepted(records)
    if copy is None or (last is not None and last.entry.number >= copy.entry.number):
        return last.entry if last else None
    known = next((record for record in records if record.entry.number == copy.entry.number), None)
    if known is not None and known.status not in {Status.STARTED, Status.CUT_OFF}:  # those: it could not be noted
        return last.entry if last else None
    return copy.entry


def accepted_state(entry: Entry, journal: Journal, copy: Accepted | None) -> State | None:
    """Return the state that an accepted change was made for; None, with a warning, when nothing has it any more."""
    try:
        return journal.after(entry.number)
    except PlanRefusedError as error:
        _log.warning("The state of change %d cannot be read from its entry: %s", entry.number, error.message)
    if copy is None or copy.entry.number != entry.number:
        return None
    try:
        return copy.state()
    except ValueError as error:
        _log.warning("The state of change %d cannot be read from its copy: %s", entry.number, error)
        return None


def file_in_force(newest_first: Iterable[Record], boot_id: str) -> int | None:
    """Return the number of the last change that made VPP what a file sets, and that no rollback has undone.

    None where nothing was accepted in this run of VPP (`boot_id`), or the journal keeps no such change any more.
    """
    newest_first = iter(newest_first)
    is_of_run = False
    for record in newest_first:
        if record.status not in ACCEPTED:
            continue
        if not is_of_run and is_restarted(record.entry.boot_id, boot_id):
            return None
        is_of_run = True
        if record.entry.origin in ROLLBACKS:
            former = in_force_before(record.entry.target, [*reversed([*newest_first]), record])
            return former.entry.number if former is not None else None
        if record.entry.origin is not Origin.BOOT:
            return record.entry.number
    return None


def in_force_before(number: int, records: Sequence[Record]) -> Record | None:
    """Return the accepted change whose configuration was in force when a change was made, also if it was undone since.

    A rollback of a rollback leads to what that had undone.
    """
    undone_by: dict[int, int] = {}
    for rollback in reversed(records):
        if rollback.entry.origin in ROLLBACKS and rollback.status in {*ACCEPTED, Status.ROLLED_BACK}:
            undone_by |= dict.fromkeys(range(rollback.entry.target, rollback.entry.number), rollback.entry.number)
    former = [
        replace(record, status=Status.APPLIED) if undone_by.get(record.entry.number, 0) >= number else record
        for record in records
        if record.entry.number < number and record.status in {*ACCEPTED, Status.ROLLED_BACK}
    ]
    return last_accepted(former)


def was_rolled_back(newest_first: Iterable[Record], digest: str) -> Record | None:
    """Return the change to the file with this digest when the last thing that became of that file is a rollback."""
    for record in newest_first:
        if digest and record.entry.source_digest == digest and record.status in {*ACCEPTED, Status.ROLLED_BACK}:
            return record if record.status is Status.ROLLED_BACK else None
    return None


def awaited(newest_first: Iterable[Record]) -> Record | None:
    """Return the change that waits for confirmation, or whose timer has yet to roll it back.

    While it waits nothing else is made but attempts to roll it back, so what came before is not looked at. One that was
    rolled back by a vppcfg that did not live to write that down does not wait.
    """
    for record in newest_first:
        if record.timer and record.status in UNDECIDED:
            return record
        if record.entry.origin not in ROLLBACKS or record.status in ACCEPTED:
            return None
    return None


def to_roll_back(records: Sequence[Record]) -> Record | None:
    """Return the last change in force that an operator requested: no rollback, and no boot.

    A boot and a reconciling watch bring back what was accepted; what was there before them is a VPP without a
    configuration, or what others had changed. A rollback that waits to be confirmed is a wish that can be withdrawn.
    """
    waiting = awaited(reversed(records))
    if waiting is not None:
        return waiting
    restoring = {*ROLLBACKS, Origin.BOOT, Origin.RECONCILE}
    return next(
        (record for record in reversed(records) if record.status in IN_FORCE and record.entry.origin not in restoring),
        None,
    )


def beginning(records: Sequence[Record], last: Record) -> Record:
    """Return the first of the changes that are one with `last`, which went on from where they ended half-way.

    The state before it is settled: it was accepted, or found where nothing had been cut off. When it is a boot that
    `restores`, the state that the boot was to bring back is. Changes that were undone left everything as they had
    found it, so they are passed over. A rollback that waits for confirmation has ended what was half-way: to withdraw
    it leads there again.
    """
    if last.entry.origin in ROLLBACKS and last.status is Status.WAITING:
        return last
    first = last
    for record in reversed([other for other in records if other.entry.number < last.entry.number]):
        if record.status in INTERRUPTED:
            first = record
        elif record.status is not Status.REVERTED:
            break
        if first is record and restores(records, record):
            break
    return first


def restores(records: Sequence[Record], record: Record) -> bool:
    """Return whether a change is a boot that was to bring back what was accepted, rather than to apply a first file."""
    if record.entry.origin is not Origin.BOOT:
        return False
    return last_accepted([other for other in records if other.entry.number < record.entry.number]) is not None


def last_interrupted(newest_first: Iterable[Record]) -> Record | None:
    """Return the change that left VPP between two states, as far as the journal has it; None when VPP is settled.

    One that is under way, or whose timer brings the old state back, is none.
    """
    for record in newest_first:
        if record.status is Status.REVERTED:
            continue
        is_under_way = record.status is Status.STARTED and is_another_running(record.entry.pid, record.entry.process)
        return record if record.status in INTERRUPTED and record.timer is None and not is_under_way else None
    return None


def rolled_back_unnoted(records: Sequence[Record]) -> list[Record]:
    """Return the changes that a rollback has undone without recording it, so that they stand as in force."""
    found = {}
    for rollback in records:
        if rollback.entry.origin in ROLLBACKS and rollback.status in ACCEPTED:
            for record in records:
                number = record.entry.number
                if rollback.entry.target <= number < rollback.entry.number and record.status in IN_FORCE:
                    found[number] = record
    return list(found.values())


def close_open_changes(
    journal: Journal, records: Sequence[Record], boot_id: str, at: str, refuse: Callable[[Record], object]
) -> list[Record]:
    """Write down the outcome of changes whose vppcfg was killed, and return all changes as they stand then.

    Call it with the lock held. `refuse` is to raise PlanRefusedError for a change that waits for its timer.
    """
    unnoted = {record.entry.number for record in rolled_back_unnoted(records)}
    return [
        _decided(record, journal, boot_id, at, refuse, is_back=record.entry.number in unnoted) for record in records
    ]


def _decided(
    record: Record, journal: Journal, boot_id: str, at: str, refuse: Callable[[Record], object], *, is_back: bool
) -> Record:
    if is_back:
        return _ended(journal, record, Status.ROLLED_BACK, at, record.text)
    if record.status not in UNDECIDED:
        return record
    if record.timer is not None and is_restarted(record.entry.boot_id, boot_id):
        text = "VPP was restarted before the change was confirmed"
        _log.warning("Change %d counts as rolled back: %s", record.entry.number, text)
        return _ended(journal, record, Status.ROLLED_BACK, at, text)
    if record.timer is not None:
        refuse(record)
    if record.status is Status.STARTED:
        return _ended(journal, record, Status.CUT_OFF, at, "vppcfg ended in the middle of it")
    return record


def _ended(journal: Journal, record: Record, status: Status, at: str, text: str) -> Record:
    """Write down how a change ended, and report it when that is not possible, as on a full disk."""
    try:
        return journal.end(record, status, at, text)
    except StorageError as error:
        _log.warning(
            "Change %d is %s, but the journal could not be updated: %s",
            record.entry.number,
            status.value,
            error.message,
        )
    return replace(record, status=status, at=at, text=text)
