"""`vppcfg confirm`: keeps a change that was applied with --confirm, and stops its timer."""

from __future__ import annotations

import argparse
import logging

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.dataplane_options import add_socket_option
from vppcfg.cli.transaction_options import add_state_dir_option
from vppcfg.errors import ExitCode, PlanRefusedError

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "confirm",
        help="keep a change that was applied with --confirm",
        description="Keep the change that was applied with --confirm, and stop the timer that would roll it back.",
    )
    add_socket_option(parser)
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Confirm. Raise PlanRefusedError when nothing waits for that, LockedError when it is being rolled back."""
    from vppcfg.cli.arming import disarm
    from vppcfg.cli.places import journal_of, lock_of, now
    from vppcfg.transaction.accepted import awaited
    from vppcfg.transaction.entry import Status

    journal = journal_of(args)
    if awaited(journal.records()) is None:
        raise PlanRefusedError("no change waits to be confirmed", "`vppcfg history` lists the changes")
    with lock_of(args, "vppcfg confirm"):
        record = awaited(journal.records())
        if record is None or record.status is not Status.WAITING:
            raise PlanRefusedError("no change waits to be confirmed", "`vppcfg history` lists the changes")
        record = journal.end(record, Status.CONFIRMED, now())
        disarm(record)
    log.info("Change %d is confirmed", record.entry.number)
    return ExitCode.DONE
