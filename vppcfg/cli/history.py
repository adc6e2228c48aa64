"""`vppcfg history`: the changes that were made to a VPP, and how each stands. Needs no VPP."""

from __future__ import annotations

import argparse
import logging
from typing import TYPE_CHECKING, Any

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import add_socket_option, add_state_dir_option, target_of
from vppcfg.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vppcfg.transaction.entry import Record, Status


log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "history",
        help="list the changes that were made",
        description="List the changes that were made to this VPP, the oldest first, and how each stands.",
    )
    add_socket_option(parser)
    add_state_dir_option(parser)
    parser.add_argument("--format", choices=["text", "json"], default="text", help="for people (default) or programs")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """List the journal."""
    import json

    from vppcfg.app.confirming import unconfirmed
    from vppcfg.cli.output import printable, say

    journal = target_of(args).journal()
    records, wrong = journal.records(), unconfirmed(journal)
    if args.format == "json":
        say(json.dumps([_document(record, records) for record in records], indent=2, ensure_ascii=False))
        return ExitCode.DONE
    if not records:
        log.info("No change was made to VPP at %s yet", args.api_socket)
    for record in records:
        is_wrong = wrong is not None and wrong.number == record.entry.number
        for line in _lines(record, records, is_well_timed=not is_wrong):
            say(printable(line))
    if wrong is not None:
        log.warning("%s", wrong.text)
    return ExitCode.DONE


def _lines(record: Record, records: Sequence[Record], *, is_well_timed: bool) -> list[str]:
    from vppcfg.transaction.accepted import beginning

    entry = record.entry
    what = f"{entry.origin.value} of {entry.source_name}" if entry.source_name else entry.origin.value
    if entry.target:
        what = f"{entry.origin.value} to before {entry.target}"
    head = f"{entry.number:>4}  {entry.made_at}  {_status(record).value}"
    lines = [head, f"      {what}, {entry.steps} step(s), by {entry.made_by}", f"      {entry.summary}"]
    first = beginning(records, record).entry.number
    if first < entry.number:
        back = f"`vppcfg rollback` goes back before {'that one' if first == entry.number - 1 else f'change {first}'}"
        lines.append(f"      went on from half-way: change {first} did not come to its end; {back}")
    if record.text:
        lines.append(f"      {record.text}")
    if record.timer is not None and record.status.value == "waiting to be confirmed":
        well = f"is rolled back at {record.timer.deadline} unless confirmed"
        lines.append(
            f"      {well if is_well_timed else f'was to be confirmed until {record.timer.deadline}; see below'}"
        )
    return lines


def _status(record: Record) -> Status:
    """Return how a change stands; one whose vppcfg is dead was cut off, also when nobody has written that down yet."""
    from vppcfg.transaction.entry import Status
    from vppcfg.transaction.lock import is_running

    is_dead = record.status is Status.STARTED and not is_running(record.entry.pid)
    return Status.CUT_OFF if is_dead else record.status


def _document(record: Record, records: Sequence[Record]) -> dict[str, Any]:
    from dataclasses import asdict

    from vppcfg.transaction.accepted import beginning
    from vppcfg.transaction.entry import UNDECIDED
    from vppcfg.transaction.watchdog import is_alive

    entry = asdict(record.entry) | {"origin": record.entry.origin.value, "unmanaged": list(record.entry.unmanaged)}
    timer = None
    if record.timer:
        lives = {"is_alive": is_alive(record.timer)} if record.status in UNDECIDED else {}
        timer = {"deadline": record.timer.deadline, "unit": record.timer.unit, "pid": record.timer.pid, **lives}
    begins_half_way = beginning(records, record) is not record
    standing = {"status": _status(record).value, "text": record.text, "at": record.at, "timer": timer}
    return {**entry, **standing, "begins_half_way": begins_half_way}
