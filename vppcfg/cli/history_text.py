"""The text of `vppcfg history`: a line for each change, and everything about one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from vppcfg.app.interrupted_change import purpose
from vppcfg.cli.history_document import status_of
from vppcfg.transaction.accepted import beginning
from vppcfg.transaction.entry import ACCEPTED, Entry, Origin, Record, Status
from vppcfg.transaction.installing import is_waiting

_GAP = "  "


_HEAD = ("no", "when", "who", "what", "outcome", "impact", "comment")


def table(records: Sequence[Record], *, has_head: bool) -> list[str]:
    """Return a line for each change: number, when, who, what, status, impact on traffic, comment."""
    rows = [_HEAD] if has_head and records else []
    rows += [
        (
            str(record.entry.number),
            _minute(record.entry.made_at),
            record.entry.made_by,
            _kind(record.entry),
            status_of(record).value,
            record.entry.impact,
            record.entry.comment,
        )
        for record in records
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(6)] if rows else []
    return [_line(row, widths) for row in rows]


def _line(row: tuple[str, ...], widths: Sequence[int]) -> str:
    number, *others = (text.ljust(width) for text, width in zip(row, widths, strict=False))
    return _GAP.join((row[0].rjust(max(3, len(number))), *others, row[6])).rstrip()


def _kind(entry: Entry) -> str:
    return f"{entry.origin.value} {entry.target}" if entry.target else entry.origin.value


def _minute(text: str) -> str:
    """Return a time without its seconds and zone, as it is if it is none."""
    try:
        return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return text


def details(record: Record, records: Sequence[Record], *, is_verbose: bool) -> list[str]:
    """Return everything about a change but its states; ids of processes and runs only when it `is_verbose`."""
    entry, status = record.entry, status_of(record)
    rows = [
        ("made", f"{entry.made_at} by {entry.made_by}"),
        ("what", purpose(entry)),
        ("comment", entry.comment),
        ("outcome", status.value + (f": {record.text}" if record.text else "")),
        ("since", record.at if record.at != entry.made_at else ""),
        ("steps", f"{entry.steps}; {entry.summary}"),
        ("began", _beginning(record, records)),
        *(("lost", text) for text in entry.lost),
    ]
    if entry.install_as:
        rows.append(("file", f"{entry.install_as}, {_file_is(record)}"))
    if record.timer is not None and status is Status.WAITING:
        rows.append(("until", f"{record.timer.deadline}; `vppcfg confirm` keeps it, else the old state comes back"))
    if is_verbose:
        rows += _ids(record)
    return [f"change {entry.number}", *(f"  {name:<8} {text}" for name, text in rows if text)]


def _file_is(record: Record) -> str:
    """Print the outcome of the file that was to be put in place with a change."""
    if is_waiting(record.entry):
        accepted = "accepted, but the file is not in place yet"
        return accepted if record.status in ACCEPTED else "which is replaced when the change is confirmed"
    return "put in place when the change was accepted" if record.status in ACCEPTED else "which was not replaced"


def _beginning(record: Record, records: Sequence[Record]) -> str:
    """Print where a change began when that was half-way."""
    first = beginning(records, record).entry
    if first.number == record.entry.number:
        return ""
    where = "to what that boot was for" if first.origin is Origin.BOOT else f"before change {first.number}"
    return f"half-way, since change {first.number} did not come to its end; `vppcfg rollback` goes back {where}"


def _ids(record: Record) -> list[tuple[str, str]]:
    entry, timer = record.entry, record.timer
    rows = [
        ("vppcfg", f"{entry.made_with}, process {entry.pid}"),
        ("VPP", f"{entry.version}, {entry.boot_id}"),
        ("file", f"sha256 {entry.source_digest}" if entry.source_digest else ""),
        ("replaced", f"sha256 {entry.installs_over}" if entry.installs_over else ""),
    ]
    if timer is not None:
        rows.append(("timer", timer.unit or f"process {timer.pid}"))
    return rows
