"""`vppcfg apply`: brings a running VPP to the configuration as a transaction: all of it, or the old state again."""

from __future__ import annotations

import argparse
import logging
import sys
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers, add_adopt_option, add_config_option
from vppcfg.cli.dataplane_options import add_dataplane_options
from vppcfg.cli.transaction_options import add_change_options, add_state_dir_option, minutes
from vppcfg.errors import ExitCode, PlanRefusedError, UsageError

if TYPE_CHECKING:
    from vppcfg.cli.change import Intent
    from vppcfg.cli.workplace import Workplace
    from vppcfg.config import Loaded
    from vppcfg.model.configuration import Configuration
    from vppcfg.plan.plan import Plan

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "apply",
        help="bring VPP to the configuration",
        description=(
            "Bring VPP from its present state to the configuration, and check that it got there. When anything goes "
            "wrong, the old state is brought back."
        ),
    )
    add_config_option(parser)
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="a plan from `vppcfg plan --save`, in place of a file")
    add_dataplane_options(parser)
    add_change_options(parser)
    add_adopt_option(parser)
    parser.add_argument(
        "--confirm",
        metavar="MINUTES",
        type=minutes,
        help="bring the old state back unless `vppcfg confirm` comes within this time",
    )
    parser.add_argument(
        "--wait", action="store_true", help="with --confirm: wait for it, and exit 9 when it does not come"
    )
    parser.add_argument(
        "--force", action="store_true", help="delete most of what exists, or apply a file that was rolled back"
    )
    parser.add_argument(
        "--keep", action="store_true", help="do not go back when all steps succeed but VPP shows otherwise"
    )
    parser.add_argument(
        "--boot",
        action="store_true",
        help="for the start of the machine: wait for VPP, and apply what was applied or confirmed last",
    )
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Plan, show, ask where that is due, perform, and verify."""
    if args.wait and args.confirm is None:
        raise UsageError("--wait is for --confirm", "name the time: --confirm MINUTES")
    if args.boot:
        from vppcfg.cli.apply_boot import apply_at_boot

        return apply_at_boot(args)
    if args.plan is not None:
        from vppcfg.cli.apply_saved import apply_saved

        return apply_saved(args)
    return apply_file(args)


def apply_file(args: argparse.Namespace) -> ExitCode:
    """Apply the configuration file."""
    from vppcfg.cli.confirming import wait_for_confirmation
    from vppcfg.cli.loading import load_configuration
    from vppcfg.cli.workplace import workplace

    configuration, loaded = load_configuration(args)
    with workplace(args) as place:
        code, record = apply_loaded(configuration, loaded, place, args)
    if code is ExitCode.DONE and record and args.confirm is not None:
        return wait_for_confirmation(record, args)
    return code


def apply_loaded(
    configuration: Configuration, loaded: Loaded, place: Workplace, args: argparse.Namespace, *, is_boot: bool = False
) -> tuple[ExitCode, int]:
    """Apply a configuration; return the exit code and the number of the change, 0 for none."""
    from vppcfg.cli.change import make_change, note_unchanged
    from vppcfg.cli.obstacles import show_obstacles
    from vppcfg.config.resolve import resolve
    from vppcfg.plan.plan import make_plan

    intent = _intent(configuration, loaded, args, is_boot=is_boot)
    refuse_rolled_back(intent.source_digest, place, args)
    resolution = resolve(configuration, place.session.dataplane.observe(), adopt=args.adopt)
    code = show_obstacles(loaded.placed(resolution.problems), args)
    if code is not ExitCode.DONE:
        log.error("Nothing was changed")
        return code, 0
    plan = make_plan(resolution.observed, resolution.desired)
    if not plan.steps:
        log.info("Nothing to do")
        if is_news(intent.source_digest, place):
            note_unchanged(plan, intent, place)
        return ExitCode.DONE, 0
    guard(plan, configuration.protected, args, is_boot=is_boot)
    made = make_change(plan, intent, place, args)
    return made.code, made.record.entry.number


def _intent(configuration: Configuration, loaded: Loaded, args: argparse.Namespace, *, is_boot: bool) -> Intent:
    import os
    from hashlib import sha256

    from vppcfg.cli.change import Intent
    from vppcfg.config.source import STDIN
    from vppcfg.transaction.journal import Origin

    return Intent(
        origin=Origin.BOOT if is_boot else Origin.APPLY,
        source_name=loaded.name if loaded.name == STDIN else os.path.realpath(loaded.name),
        source_digest=sha256(loaded.source).hexdigest(),
        unmanaged=configuration.unmanaged,
        confirm_s=None if args.confirm is None else 60 * args.confirm,
        keep=args.keep,
        is_forced=args.force or is_boot,
    )


def refuse_rolled_back(digest: str, place: Workplace, args: argparse.Namespace) -> None:
    """Raise PlanRefusedError for a file that was rolled back, unless --force is given."""
    from vppcfg.transaction.accepted import was_rolled_back

    record = was_rolled_back(place.records, digest)
    if record is not None and not args.force:
        raise PlanRefusedError(
            f"this very file was rolled back (change {record.entry.number}, {record.at}); nothing was changed",
            "correct the file, or apply it all the same with --force",
        )


def is_news(digest: str, place: Workplace) -> bool:
    """Return whether the journal does not know yet that this file is in force."""
    from vppcfg.transaction.accepted import last_accepted

    last = last_accepted(place.records)
    return last is None or last.entry.source_digest != digest


def guard(plan: Plan, protected: tuple[str, ...], args: argparse.Namespace, *, is_boot: bool = False) -> None:
    """Show the plan; raise PlanRefusedError when it does more than is allowed, or when the operator says no."""
    from vppcfg.plan.impact import Impact
    from vppcfg.transaction import guard as guards

    show(plan, args)
    guards.check_impact(plan, Impact[args.max_impact.upper()])
    guards.check_protected(plan, protected)
    if is_boot and (text := guards.mass_deletion(plan)):
        log.warning("%s", text)
    elif not args.force:
        guards.check_mass_deletion(plan)
    if not is_boot:
        ask(plan, args)


def show(plan: Plan, args: argparse.Namespace) -> None:
    """Write the difference for people."""
    from vppcfg.cli.difference import painted_difference
    from vppcfg.cli.output import paint_for, write

    if args.format == "text":
        write(painted_difference(plan, paint_for(sys.stdout, args.color)), sys.stdout)


def ask(plan: Plan, args: argparse.Namespace) -> None:
    """Raise PlanRefusedError when there is somebody to ask, the impact calls for it, and they say no."""
    from vppcfg.cli.output import is_terminal
    from vppcfg.plan.impact import Impact

    if plan.impact is Impact.RECREATE and not args.yes and is_terminal(sys.stdin) and not _agrees():
        raise PlanRefusedError("not confirmed; nothing was changed", "--yes skips the question")


def _agrees() -> bool:
    from vppcfg.cli.output import write

    write("Objects are removed or recreated. Apply this? [y/N] ", sys.stderr)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
