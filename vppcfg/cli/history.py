"""`vppcfg history`: the changes that were made to a VPP, and how each stands. Needs no VPP."""

from __future__ import annotations

import argparse
import logging
import sys
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import add_socket_option, add_state_dir_option, change_number, target_of
from vppcfg.common.printable import json_text
from vppcfg.errors import ExitCode, PlanProofError, PlanRefusedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vppcfg.transaction.entry import Record
    from vppcfg.transaction.journal import Journal

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "history",
        help="list the changes, or show one",
        description=(
            "List the changes to this VPP, the oldest first, each with its status; with N, show the details of one."
        ),
    )
    parser.add_argument("number", metavar="N", nargs="?", type=change_number, help="the change to show")
    parser.add_argument("--file", action="store_true", help="with N: show the configuration file of that change")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show everything about each change, with ids of processes"
    )
    add_socket_option(parser)
    add_state_dir_option(parser)
    parser.add_argument("--format", choices=["text", "json"], default="text", help="for people (default) or programs")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """List the journal, or show a change or its file."""
    from vppcfg.cli.output import print_line

    journal = target_of(args).journal()
    if args.file:
        return _show_file(journal, args.number)
    records = journal.records()
    shown = records if args.number is None else [journal.record(args.number)]
    if args.format == "json":
        from vppcfg.cli.history_document import document

        print_line(json_text(document(shown, records), indent=2))
        return ExitCode.DONE
    if not records:
        log.info("No change was made to VPP at %s yet", args.api_socket)
    _show(shown, records, journal, args)
    _print_undecided(records, journal)
    return ExitCode.DONE


def _show_file(journal: Journal, number: int | None) -> ExitCode:
    from vppcfg.cli.output import is_terminal, write
    from vppcfg.common.printable import printable_lines

    if number is None:
        raise UsageError("--file is for one change", "name it: `vppcfg history N --file`")
    text = journal.source(number).decode(errors="surrogateescape")
    write(printable_lines(text) if is_terminal(sys.stdout) else text, sys.stdout)
    return ExitCode.DONE


def _show(shown: Sequence[Record], records: Sequence[Record], journal: Journal, args: argparse.Namespace) -> None:
    from vppcfg.cli.history_text import details, table
    from vppcfg.cli.output import is_terminal, print_line
    from vppcfg.common.printable import printable

    if args.number is None and not args.verbose:
        for line in table(shown, has_head=is_terminal(sys.stdout)):
            print_line(printable(line))
        return
    for record in shown:
        for line in details(record, records, is_verbose=args.verbose):
            print_line(printable(line))
        if args.number is not None:
            _show_difference(record.entry.number, journal, args)


def _show_difference(number: int, journal: Journal, args: argparse.Namespace) -> None:
    """Show what a change was to do, where the journal still has it."""
    from vppcfg.cli.difference import painted_difference
    from vppcfg.cli.output import paint_for, write
    from vppcfg.plan.plan import make_plan

    try:
        plan = make_plan(journal.before(number), journal.after(number))
    except (PlanRefusedError, PlanProofError) as error:
        log.warning("What change %d did cannot be shown: %s", number, error.message)
        return
    write("\n" + painted_difference(plan, paint_for(sys.stdout, args.color)) if plan.steps else "", sys.stdout)


def _print_undecided(records: Sequence[Record], journal: Journal) -> None:
    """Print which change waits for confirmation or was interrupted, and what to do."""
    from vppcfg.app.confirming import unconfirmed
    from vppcfg.app.interrupted_change import interrupted_change
    from vppcfg.transaction.accepted import awaited
    from vppcfg.transaction.entry import Status

    if (wrong := unconfirmed(journal)) is not None:
        log.warning("%s", wrong.text)
    elif (change := awaited(reversed(records))) is not None and change.timer and change.status is Status.WAITING:
        number, until = change.entry.number, change.timer.deadline
        log.info("Change %d will be rolled back at %s unless `vppcfg confirm` keeps it", number, until)
    if (found := interrupted_change(reversed(records))) is not None:
        log.warning("%s", found.text)
