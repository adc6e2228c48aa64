"""`vppcfg diff N`: what is different between now and the state before change N, or what the change itself did."""

from __future__ import annotations

import argparse
import sys

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import add_dataplane_options, add_state_dir_option, change_number, target_of
from vppcfg.errors import ExitCode


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "diff",
        help="show what `rollback N` would change",
        description=(
            "Show what `vppcfg rollback N` would change: the difference from what VPP has now to the state before "
            "change N. Changes nothing."
        ),
    )
    parser.add_argument("number", metavar="N", type=change_number, help="number of the change, see `vppcfg history`")
    parser.add_argument("--change", action="store_true", help="show what the change itself was to do; needs no VPP")
    add_dataplane_options(parser)
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Show the difference."""
    import logging

    from vppcfg.cli.difference import painted_difference
    from vppcfg.cli.output import paint_for, write
    from vppcfg.model.ownership import NameGlobs
    from vppcfg.plan.going_back import closest_to
    from vppcfg.plan.plan import make_plan

    journal = target_of(args).journal()
    entry = journal.record(args.number).entry
    before = journal.before(args.number)
    if args.change:
        plan = make_plan(before, journal.after(args.number))
    else:
        with target_of(args).connect() as dataplane:
            observed = dataplane.observe()
        plan = make_plan(observed, closest_to(before, observed, NameGlobs(entry.unmanaged).matches).state)
    if not plan.steps:
        logging.getLogger("root.main").info("No difference")
    write(painted_difference(plan, paint_for(sys.stdout, args.color)), sys.stdout)
    return ExitCode.DONE
