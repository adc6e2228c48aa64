"""The history for programs: one JSON object, which docs/history.schema.json describes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vppcfg.transaction.accepted import beginning
from vppcfg.transaction.entry import UNDECIDED, Record, Status
from vppcfg.transaction.process import is_another_running

FORMAT_VERSION = 1
"""Grows when a reader of the former one would misread it."""


def document(shown: Sequence[Record], records: Sequence[Record]) -> dict[str, Any]:
    """Return what `history --format json` shows: the changes `shown`, of all that there are."""
    return {"format_version": FORMAT_VERSION, "changes": [_change(record, records) for record in shown]}


def status_of(record: Record) -> Status:
    """Return the status of a change: of a dead process it was interrupted, even if the journal lacks that."""
    is_dead = record.status is Status.STARTED and not is_another_running(record.entry.pid, record.entry.process)
    return Status.CUT_OFF if is_dead else record.status


def _change(record: Record, records: Sequence[Record]) -> dict[str, Any]:
    from vppcfg.common.documents import plain

    first = beginning(records, record)
    return {
        **plain(record.entry),
        "status": status_of(record).value,
        "text": record.text,
        "at": record.at,
        "timer": _timer(record),
        "begins_half_way": first is not record,
    }


def _timer(record: Record) -> dict[str, Any] | None:
    from vppcfg.transaction.watchdog import is_alive

    timer = record.timer
    if timer is None:
        return None
    lives = {"is_alive": is_alive(timer)} if record.status in UNDECIDED else {}
    return {"deadline": timer.deadline, "unit": timer.unit, "pid": timer.pid, **lives}
