"""`vppcfg history`: the changes that were made to a VPP, and how each stands. Needs no VPP."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.dataplane_options import add_socket_option
from vppcfg.cli.transaction_options import add_state_dir_option
from vppcfg.errors import ExitCode

if TYPE_CHECKING:
    from vppcfg.transaction.entry import Record


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
    import logging

    from vppcfg.cli.output import printable, say
    from vppcfg.cli.workplace import journal_of

    records = journal_of(args).records()
    if args.format == "json":
        say(json.dumps([_document(record) for record in records], indent=2, ensure_ascii=False))
        return ExitCode.DONE
    if not records:
        logging.getLogger("root.main").info("No change was made to VPP at %s yet", args.api_socket)
    for record in records:
        for line in _lines(record):
            say(printable(line))
    return ExitCode.DONE


def _lines(record: Record) -> list[str]:
    entry = record.entry
    what = f"{entry.origin.value} of {entry.source_name}" if entry.source_name else entry.origin.value
    if entry.target:
        what = f"{entry.origin.value} to before {entry.target}"
    head = f"{entry.number:>4}  {entry.made_at}  {record.status.value}"
    lines = [head, f"      {what}, {entry.steps} step(s), by {entry.made_by}", f"      {entry.summary}"]
    if record.text:
        lines.append(f"      {record.text}")
    if record.timer is not None and record.status.value == "waiting to be confirmed":
        lines.append(f"      is rolled back at {record.timer.deadline} unless confirmed")
    return lines


def _document(record: Record) -> dict[str, Any]:
    from dataclasses import asdict

    entry = asdict(record.entry) | {"origin": record.entry.origin.value, "unmanaged": list(record.entry.unmanaged)}
    timer = asdict(record.timer) if record.timer else None
    return {**entry, "status": record.status.value, "text": record.text, "at": record.at, "timer": timer}
