"""What stands between a plan and its being made: guards, the difference shown, and a question where one is due."""

from __future__ import annotations

import argparse
import logging
import sys
from contextlib import nullcontext, suppress

from vppcfg.cli.difference import painted_difference
from vppcfg.cli.output import is_terminal, paint_for, write
from vppcfg.cli.workplace import Workplace
from vppcfg.errors import PlanRefusedError, UsageError
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan
from vppcfg.transaction import guard as guards
from vppcfg.transaction.accepted import was_rolled_back

log = logging.getLogger("root.main")


def refuse_rolled_back(digest: str, place: Workplace, args: argparse.Namespace) -> None:
    """Raise PlanRefusedError for a file that was rolled back, unless --force is given."""
    record = was_rolled_back(place.records, digest)
    if record is not None and not args.force:
        raise PlanRefusedError(
            f"this very file was rolled back (change {record.entry.number}, {record.at}); nothing was changed",
            "correct the file, or apply it all the same with --force",
        )


def guard(plan: Plan, protected: tuple[str, ...], args: argparse.Namespace, *, is_boot: bool = False) -> None:
    """Show the plan; raise PlanRefusedError when it does more than is allowed, or when the operator says no."""
    with suppress(UsageError) if is_boot else nullcontext():
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
    if args.format == "text":
        write(painted_difference(plan, paint_for(sys.stdout, args.color)), sys.stdout)


def ask(plan: Plan, args: argparse.Namespace) -> None:
    """Raise PlanRefusedError when there is somebody to ask, the impact calls for it, and they say no."""
    if plan.impact is Impact.RECREATE and not args.yes and is_terminal(sys.stdin) and not _agrees():
        raise PlanRefusedError("not confirmed; nothing was changed", "--yes skips the question")


def _agrees() -> bool:
    write("Objects are removed or recreated. Apply this? [y/N] ", sys.stderr)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
