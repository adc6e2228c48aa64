"""The message about a change that did not come to its end, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.dataplane import is_restarted
from vppcfg.record import record
from vppcfg.transaction.accepted import last_interrupted
from vppcfg.transaction.entry import ROLLBACKS, Entry, Origin, Record, Status


@record
class InterruptedChange:
    """A change that left VPP between two states."""

    number: int
    text: str


def interrupted_change(newest_first: Iterable[Record], boot_id: str = "") -> InterruptedChange | None:
    """Return the message when the last change was cut off or failed half-way; None when VPP is in a settled state.

    `boot_id` is the run of VPP, '' when it is not known. Raise StorageError when the journal cannot be read.
    """
    found = last_interrupted(newest_first)
    if found is None:
        return None
    entry = found.entry
    became = "failed half-way" if found.status is Status.STRANDED else "was cut off"
    what = f"Change {entry.number} ({purpose(entry)}, {entry.made_at}) {became}"
    if boot_id and is_restarted(entry.boot_id, boot_id):
        return InterruptedChange(
            number=entry.number,
            text=f"{what}, and VPP was restarted since: `vppcfg apply` brings it to the file, `vppcfg apply --boot` to "
            "what was accepted last",
        )
    text = f"{what}: VPP may be between the old state and the new one; {_advice(entry)}"
    return InterruptedChange(number=entry.number, text=text)


def purpose(entry: Entry) -> str:
    """Return in some words what a change was made for."""
    if entry.target:
        who = "rollback by the timer" if entry.origin is Origin.TIMER else "rollback"
        return f"{who} to before change {entry.target}"
    return f"{entry.origin.value} of {entry.source_name}" if entry.source_name else entry.origin.value


def _advice(entry: Entry) -> str:
    if entry.origin in ROLLBACKS:
        return f"`vppcfg rollback {entry.target}` goes on with it, `vppcfg apply` brings VPP to the file"
    if entry.origin is Origin.BOOT:
        return "`vppcfg apply --boot` goes on with it, `vppcfg apply` brings VPP to the file"
    return "`vppcfg apply` continues to the file, `vppcfg rollback` returns to the state before it"
