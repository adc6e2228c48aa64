"""`vppcfg confirm`: keeps a change that was applied with --confirm, and stops its timer."""

from __future__ import annotations

import argparse
import logging

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import add_dataplane_options, add_state_dir_option, change_number, minutes, target_of
from vppcfg.errors import ExitCode

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "confirm",
        help="keep a change that was applied with --confirm",
        description="Keep the change that was applied with --confirm, and stop the timer that would roll it back.",
    )
    parser.add_argument(
        "number",
        metavar="N",
        type=change_number,
        nargs="?",
        help="number of the change: refuse when another one is waiting, succeed when it is already confirmed",
    )
    add_dataplane_options(parser)
    parser.add_argument(
        "--extend",
        metavar="MINUTES",
        type=minutes,
        help="do not confirm yet, but extend the deadline to this long from now",
    )
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Confirm. Raise PlanRefusedError when nothing waits for that, LockedError when it is being rolled back."""
    from vppcfg.app.confirming import confirm, extend

    if args.extend is not None:
        change = extend(target_of(args), 60 * args.extend, args.number)
        until = change.timer.deadline if change.timer else ""
        log.info("Change %d waits until %s to be confirmed", change.entry.number, until)
        return ExitCode.DONE
    log.info("Change %d is confirmed", confirm(target_of(args), args.number).entry.number)
    return ExitCode.DONE
