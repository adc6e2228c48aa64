"""Reports what others configured and is missing after a change or rollback, with the commands that bring it back."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from vppcfg.common.printable import printable
from vppcfg.dataplane import Dataplane, is_restarted
from vppcfg.model.attachment import Attachment, by_holder, counted, in_order
from vppcfg.model.state import State
from vppcfg.transaction.entry import ACCEPTED
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.planning import not_restored, restore_commands

log = logging.getLogger("root.main")


def log_missing(missing: Sequence[Attachment]) -> None:
    """Write what is missing into the log, by interface and table, and what an operator types to bring it back."""
    if not missing:
        return
    log.error("Not back is what others had configured: %s", printable(listed_by_holder(missing)))
    log.error("These commands bring it back, as far as they are known:")
    for line in restore_commands(missing):
        log.error("    %s", printable(line))


def listed_by_holder(attachments: Iterable[Attachment]) -> str:
    """Return attachments in one line: `loop10: NAT44 inside; loop11: 2 routes of CLI`."""
    grouped = by_holder(in_order(attachments))
    return "; ".join(f"{holder}: {counted(in_order(same))}" for holder, same in grouped.items())


def lost_protection(
    accepted: State | None, dataplane: Dataplane, observe: Callable[[], State]
) -> tuple[Attachment, ...]:
    """Return the IPsec that interfaces had in the state that was accepted last, and have no more.

    VPP is asked, and observed, only where there was some. Raise DataplaneError.
    """
    guards = tuple(each for each in accepted.unmanaged if each.guards) if accepted is not None else ()
    if accepted is None or not guards:
        return ()
    return not_restored(replace(accepted, unmanaged=guards), dataplane, observe())


def unprotected_text(lost: Iterable[Attachment]) -> str:
    """Return notes on interfaces that have lost their IPsec."""
    names = ", ".join(sorted({each.holder for each in lost}))
    return f"{names} may send in clear text: not there is {listed_by_holder(lost)}"


def accepted_in(journal: Journal, boot_id: str, seen: dict[int, State | None]) -> State | None:
    """Return the state that was accepted last in a run of VPP, None where there is none; `seen` keeps it by change.

    Raise PlanRefusedError when the journal cannot be read.
    """
    last = next((each for each in journal.newest_first() if each.status in ACCEPTED), None)
    if last is None or is_restarted(last.entry.boot_id, boot_id):
        return None
    number = last.entry.number
    if number not in seen:
        seen.clear()
        seen[number] = journal.after(number)
    return seen[number]


def compare_with(before: State, dataplane: Dataplane) -> tuple[Attachment, ...]:
    """Return, and write into the log, what others had in a former state and is missing now. Raise DataplaneError."""
    missing = not_restored(before, dataplane, dataplane.observe()) if before.unmanaged else ()
    log_missing(missing)
    return missing
