"""Reads the journal of a router for metrics: its last changes, and the one that waits. Nothing is asked of VPP."""

from __future__ import annotations

import logging
from datetime import datetime
from itertools import islice

from vppcfg.app.interrupted_change import interrupted_change
from vppcfg.app.target import Target
from vppcfg.errors import VppcfgError
from vppcfg.render.change_metrics import ChangeStatus
from vppcfg.transaction.entry import Status

_log = logging.getLogger(__name__)
_LOOKED_AT = 20
"""Changes that are looked at for one that waits to be confirmed; the ones before have been decided."""


def change_status(target: Target) -> ChangeStatus:
    """Return the status of a router's changes, as far as its journal may be read."""
    journal = target.journal()
    try:
        records = list(islice(journal.newest_first(), _LOOKED_AT))
        found = interrupted_change(records) if records and not target.is_another_at_work() else None
    except VppcfgError as error:
        _log.debug("%s", error.message)
        return ChangeStatus(is_readable=False)
    if not records:
        return ChangeStatus()
    last = records[0]
    timer = next((each.timer for each in records if each.status is Status.WAITING), None)
    return ChangeStatus(
        number=last.entry.number,
        made_at_s=_seconds(last.entry.made_at),
        origin=last.entry.origin.value,
        outcome=last.status.value,
        deadline_s=_seconds(timer.deadline) if timer is not None else None,
        is_half_way=found is not None,
    )


def _seconds(text: str) -> float:
    """Return a time in Unix seconds, 0 when it is none."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        return 0.0
