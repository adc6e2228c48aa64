"""`vppcfg rollback [N]`: plans from what is there now to the state before change N, and applies that."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.dataplane_options import add_dataplane_options
from vppcfg.cli.transaction_options import add_change_options, add_state_dir_option, change_number
from vppcfg.errors import ExitCode, PlanRefusedError

if TYPE_CHECKING:
    from vppcfg.cli.workplace import Workplace
    from vppcfg.transaction.entry import Record


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "rollback",
        help="bring back the state before a change",
        description=(
            "Bring VPP back to the state before a change. What the change did is not replayed backwards: the way is "
            "planned from what VPP has now."
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
    add_change_options(parser)
    add_state_dir_option(parser)
    parser.add_argument("--unless-confirmed", metavar="N", type=change_number, help=argparse.SUPPRESS)
    parser.add_argument("--deadline", metavar="S", type=float, default=0.0, help=argparse.SUPPRESS)
    parser.add_argument("--ready-fd", metavar="FD", type=int, help=argparse.SUPPRESS)
    parser.set_defaults(run=run, keep=False)


def run(args: argparse.Namespace) -> ExitCode:
    """Roll back, at once or when nobody confirms in time."""
    from vppcfg.cli.workplace import workplace

    if args.unless_confirmed is not None:
        from vppcfg.cli.rollback_timer import roll_back_unless_confirmed

        return roll_back_unless_confirmed(args)
    from vppcfg.cli.roll_back import roll_back

    with workplace(args, is_settling=False) as place:
        return roll_back(_chosen(place, args), place, args)


def _chosen(place: Workplace, args: argparse.Namespace) -> Record:
    from vppcfg.cli.roll_back import whole
    from vppcfg.transaction.accepted import to_roll_back

    if args.number is not None:
        return place.journal.record(args.number)
    record = to_roll_back(place.records)
    lost = place.journal.last_lost()
    if record is not None and lost > record.entry.number:
        raise PlanRefusedError(
            f"change {lost} came last and cannot be read, so it is not known what to go back to; nothing was changed",
            f"`vppcfg rollback {record.entry.number}` goes back before change {record.entry.number}",
        )
    if record is None:
        raise PlanRefusedError("no change is in force that could be rolled back", "`vppcfg history` lists the changes")
    return whole(record, place)
