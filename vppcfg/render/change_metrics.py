"""Writes how the changes of a router stand, by its journal, as metrics for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.record import record
from vppcfg.render.exposition import Labels, metric

CHANGE_METRICS: Mapping[str, tuple[str, str]] = {
    "vppcfg_journal_readable": ("gauge", "Whether the journal of changes can be read."),
    "vppcfg_last_change_number": ("gauge", "Number of the last change."),
    "vppcfg_last_change_timestamp_seconds": ("gauge", "When the last change was made, in Unix time."),
    "vppcfg_last_change_info": ("gauge", "What the last change was made for, and how it stands."),
    "vppcfg_change_unconfirmed": ("gauge", "Whether a change waits to be confirmed."),
    "vppcfg_change_deadline_timestamp_seconds": ("gauge", "Until when it is to be confirmed, in Unix time."),
    "vppcfg_change_half_way": ("gauge", "Whether a change left VPP between two states."),
}
"""Every metric of changes: its type, and what it means."""


@record
class ChangeStatus:
    """How changes stand."""

    is_readable: bool = True
    number: int = 0
    """Of the last change, 0 without any."""
    made_at_s: float = 0.0
    origin: str = ""
    outcome: str = ""
    deadline_s: float | None = None
    """Until when a change is to be confirmed, in Unix seconds; None when none waits."""
    is_half_way: bool = False


def change_lines(status: ChangeStatus) -> Iterator[str]:
    """Yield the metrics of changes; of a router without any, that there are none."""
    yield from _one("vppcfg_journal_readable", status.is_readable)
    if not status.is_readable:
        return
    yield from _one("vppcfg_last_change_number", status.number)
    if status.number:
        yield from _one("vppcfg_last_change_timestamp_seconds", status.made_at_s)
        labels = (("origin", status.origin), ("outcome", status.outcome))
        yield from _one("vppcfg_last_change_info", 1, labels)
    yield from _one("vppcfg_change_unconfirmed", status.deadline_s is not None)
    if status.deadline_s is not None:
        yield from _one("vppcfg_change_deadline_timestamp_seconds", status.deadline_s)
    yield from _one("vppcfg_change_half_way", status.is_half_way)


def _one(name: str, value: float, labels: Labels = ()) -> Iterator[str]:
    kind, text = CHANGE_METRICS[name]
    return metric(name, kind, text, [(labels, value)])
