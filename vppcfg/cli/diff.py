"""`vppcfg diff`: the file against VPP, what a change did, two accepted states, or what a rollback would do."""

from __future__ import annotations

import argparse
import logging
import sys
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    DEFAULT_CONFIG,
    add_adopt_option,
    add_config_option,
    add_dataplane_options,
    add_reading_option,
    add_state_dir_option,
    change_number,
    files_of,
    target_of,
)
from vppcfg.errors import ExitCode, PlanRefusedError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vppcfg.app.routing_plan import DaemonChange
    from vppcfg.plan.plan import Plan
    from vppcfg.transaction.journal import Journal

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "diff",
        help="show the difference between VPP and the file, or before and after a change",
        description=(
            "Show a difference as entries of the file. Without a number: from VPP's state to the file. With one: what "
            "that change did. With two: from the state after the first change to the state after the second. Changes "
            "nothing."
        ),
    )
    parser.add_argument("number", metavar="N", type=_number, nargs="?", help="a change, see `vppcfg history`")
    parser.add_argument("other", metavar="M", type=_number, nargs="?", help="another change")
    parser.add_argument(
        "--rollback", action="store_true", help="with N: what `vppcfg rollback N` would change, from what VPP has now"
    )
    add_config_option(parser)
    add_dataplane_options(parser)
    add_reading_option(parser)
    add_adopt_option(parser)
    parser.add_argument("--detailed-exitcode", action="store_true", help="exit 2 when something differs, 0 when not")
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def _number(text: str) -> int:
    """Return the number of a change in an argument. Raise ArgumentTypeError, with a hint for a file without -c."""
    try:
        return change_number(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}; a configuration file is named with -c") from error


def run(args: argparse.Namespace) -> ExitCode:
    """Show the difference."""
    if args.number is None and args.rollback:
        raise UsageError("--rollback needs the number of a change", "`vppcfg history` lists the changes")
    if args.number is not None and (args.config != DEFAULT_CONFIG or args.adopt):
        raise UsageError("name a change or a configuration, not both", "`vppcfg diff -c FILE` compares a file with VPP")
    if args.other is not None and args.rollback:
        raise UsageError("--rollback goes with one change", "`vppcfg diff --rollback N`")
    if args.number is None:
        return _compare_file(args)
    from vppcfg.plan.plan import make_plan

    journal = target_of(args).journal()
    if args.other is not None:
        return _compare_changes(journal, args)
    if args.rollback:
        return _show_plan(_rollback_plan(journal, args), args)
    return _show_plan(make_plan(journal.before(args.number), journal.after(args.number)), args)


def _compare_file(args: argparse.Namespace) -> ExitCode:
    """Show what `apply` would change; exit 5 or 4 when something stands between the file and VPP."""
    from vppcfg.app.journaled_states import applied_file
    from vppcfg.app.loading import load_configuration
    from vppcfg.app.planning import propose, show_obstacles
    from vppcfg.app.routing_plan import NO_DAEMONS
    from vppcfg.cli.console import terminal_for
    from vppcfg.cli.plan import refused_programs, routing_of
    from vppcfg.transaction.guard import Limits

    console = terminal_for(args)
    configuration, loaded = load_configuration(files_of(args), console)
    target, routing = target_of(args), NO_DAEMONS
    journal = target.journal()
    with target.connect() as dataplane:
        observed, applied = dataplane.observe(), applied_file(journal, dataplane.boot_id)
        proposal = propose(configuration, loaded, observed, adopt=args.adopt, applied=applied)
        plan = proposal.plan_on(dataplane) if proposal.resolution.is_possible else None
        if plan is not None:
            running = None if refused_programs(configuration, loaded) else dataplane
            routing = routing_of(plan, configuration, journal, Limits(), running)
    code = _show_plan(plan, args, routing.steps) if plan is not None else ExitCode.DONE
    obstacles = show_obstacles(proposal, loaded.name, console)
    for objection in routing.objections:
        log.error("%s; %s", objection.text, objection.hint)
    codes = (obstacles, *(each.code for each in routing.objections))
    return next((each for each in codes if each is not ExitCode.DONE), code)


def _compare_changes(journal: Journal, args: argparse.Namespace) -> ExitCode:
    """Show how the states after two changes differ. Raise PlanRefusedError when one of them was not accepted."""
    from vppcfg.cli.difference import painted_states
    from vppcfg.cli.output import paint_for, write
    from vppcfg.transaction.entry import ACCEPTED

    for number in (args.number, args.other):
        status = journal.record(number).status
        if status not in ACCEPTED:
            raise PlanRefusedError(
                f"change {number} was not accepted, it is: {status.value}", f"`vppcfg diff {number}` shows what it did"
            )
    before, after = journal.after(args.number), journal.after(args.other)
    text = painted_states(before, after, paint_for(sys.stdout, args.color))
    write(text, sys.stdout)
    return _code(is_different=bool(text), args=args)


def _rollback_plan(journal: Journal, args: argparse.Namespace) -> Plan:
    """Return the plan from what VPP has to where a rollback would lead."""
    from functools import partial

    from vppcfg.model.ownership import NameGlobs
    from vppcfg.plan.rollback import closest_to, created_ports, prove_way_back
    from vppcfg.transaction.entry import INTERRUPTED
    from vppcfg.transaction.planning import plan_on

    record, before, after = journal.record(args.number), journal.before(args.number), journal.after(args.number)
    created, is_unmanaged = created_ports(before, after), NameGlobs(record.entry.unmanaged).matches
    left = None if record.status in INTERRUPTED else after  # an interrupted change may not have got there
    with target_of(args).connect() as dataplane:
        observed = dataplane.observe()
        target = closest_to(before, observed, is_unmanaged, created, after, left)
        return prove_way_back(target, partial(plan_on, dataplane, observed)).plan


def _show_plan(plan: Plan, args: argparse.Namespace, steps: Sequence[DaemonChange] = ()) -> ExitCode:
    from vppcfg.cli.console import routing_text
    from vppcfg.cli.difference import painted_difference
    from vppcfg.cli.output import paint_for, write
    from vppcfg.render.notes import omission_lines

    write(painted_difference(plan, paint_for(sys.stdout, args.color)), sys.stdout)
    write("".join(f"{line}\n" for line in routing_text(steps)), sys.stdout)
    for line in omission_lines(plan) if not plan.steps else ():
        log.info("%s", line)
    return _code(is_different=bool(plan.steps or steps), args=args)


def _code(*, is_different: bool, args: argparse.Namespace) -> ExitCode:
    if not is_different:
        log.info("No difference")
    return ExitCode.CHANGES_PENDING if is_different and args.detailed_exitcode else ExitCode.DONE
