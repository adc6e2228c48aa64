"""`vppcfg rollback [N]`: plans from what is there now to the state before change N, and applies that."""

from __future__ import annotations

import argparse

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    add_change_options,
    add_confirm_options,
    add_dataplane_options,
    add_reading_option,
    add_state_dir_option,
    change_number,
    check_confirm_options,
    target_of,
    terms_of,
)
from vppcfg.errors import ExitCode


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "rollback",
        help="bring back the state before a change",
        description=(
            "Bring VPP back to the state before a change. The plan is computed from what VPP has now; the steps of "
            "the change are not replayed backwards."
        ),
    )
    parser.add_argument(
        "number",
        metavar="N",
        nargs="?",
        type=change_number,
        help="number of the change (default: the last one in force); `vppcfg history` lists them",
    )
    add_dataplane_options(parser)
    add_reading_option(parser)
    add_change_options(parser)
    add_confirm_options(parser)
    add_state_dir_option(parser)
    parser.add_argument("--unless-confirmed", metavar="N", type=change_number, help=argparse.SUPPRESS)
    parser.add_argument("--deadline", metavar="S", type=float, default=0.0, help=argparse.SUPPRESS)
    parser.add_argument("--ready-fd", metavar="FD", type=int, help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Roll back, at once or at the deadline of an unconfirmed change."""
    check_confirm_options(args)
    from vppcfg.cli.console import terminal_for

    target, console = target_of(args), terminal_for(args)
    if args.unless_confirmed is not None:
        from vppcfg.app.deadline import roll_back_unless_confirmed

        number = args.unless_confirmed
        return roll_back_unless_confirmed(number, target, console, moment_s=args.deadline, ready_fd=args.ready_fd)
    from vppcfg.app.rollback import roll_back

    return roll_back(args.number, target, terms_of(args), console)
