"""`vppcfg apply`: brings a running VPP to the configuration, and looks again whether it got there."""

from __future__ import annotations

import argparse
import logging
import sys
from typing import TYPE_CHECKING, Any

from vppcfg.cli.arguments import Subparsers, add_adopt_option, add_config_option
from vppcfg.cli.dataplane_options import add_dataplane_options
from vppcfg.cli.signals import Terminated
from vppcfg.errors import DataplaneError, ExitCode, PlanRefusedError

if TYPE_CHECKING:
    from vppcfg.dataplane import Dataplane, Performance
    from vppcfg.plan.diff import Change
    from vppcfg.plan.plan import Plan

log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "apply",
        help="bring VPP to the configuration",
        description="Bring VPP from its present state to the configuration, and check that it got there.",
    )
    add_config_option(parser)
    add_dataplane_options(parser)
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask, even if objects are removed or recreated")
    parser.add_argument(
        "--max-impact",
        choices=["none", "flap", "recreate"],
        default="recreate",
        help="refuse a plan that does more than this to traffic (default: recreate, which is everything)",
    )
    add_adopt_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Plan, show, ask where that is due, perform, and verify."""
    from vppcfg.cli.dataplane_options import connect
    from vppcfg.cli.loading import load_configuration
    from vppcfg.cli.obstacles import show_obstacles
    from vppcfg.config.resolve import resolve
    from vppcfg.plan.plan import make_plan

    configuration, loaded = load_configuration(args)
    with connect(args) as dataplane:
        resolution = resolve(configuration, dataplane.observe(), adopt=args.adopt)
        code = show_obstacles(loaded.placed(resolution.problems), args)
        if code is not ExitCode.DONE:
            log.error("Nothing was changed")
            return code
        plan = make_plan(resolution.observed, resolution.desired)
        if not plan.steps:
            log.info("Nothing to do")
            return ExitCode.DONE
        _show(plan, args)
        _guard(plan, args)
        return _carry_out(plan, dataplane)


def _show(plan: Plan, args: argparse.Namespace) -> None:
    from vppcfg.cli.difference import painted_difference
    from vppcfg.cli.output import paint_for, write

    write(painted_difference(plan, paint_for(sys.stdout, args.color)), sys.stdout)


def _guard(plan: Plan, args: argparse.Namespace) -> None:
    """Raise PlanRefusedError when the plan does more than is allowed, or when the operator says no."""
    from vppcfg.cli.output import is_terminal
    from vppcfg.plan.impact import Impact

    allowed = Impact[args.max_impact.upper()]
    if plan.impact > allowed:
        raise PlanRefusedError(
            f"the plan's impact is {plan.impact.label}, more than --max-impact {allowed.label}; nothing was changed"
        )
    if plan.impact is Impact.RECREATE and not args.yes and is_terminal(sys.stdin) and not _agrees():
        raise PlanRefusedError("not confirmed; nothing was changed", "--yes skips the question")


def _agrees() -> bool:
    from vppcfg.cli.output import write

    write("Objects are removed or recreated. Apply this? [y/N] ", sys.stderr)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _carry_out(plan: Plan, dataplane: Dataplane) -> ExitCode:
    from vppcfg.cli.progress import Progress
    from vppcfg.transaction.perform import perform_plan
    from vppcfg.transaction.verify import still_different

    with Progress("Applying", len(plan.operations)) as progress:
        try:
            performance = perform_plan(plan, dataplane, progress.report)
        except (DataplaneError, KeyboardInterrupt, Terminated) as error:
            return _cut_short(error)
    if performance.refusals:
        _show_refusals(plan, performance)
        return ExitCode.STRANDED
    remaining = still_different(plan, dataplane)
    if remaining:
        _show_remaining(remaining)
        return ExitCode.DIFFERENT
    log.info("Applied %d step(s)", len(plan.operations))
    return ExitCode.DONE


def _cut_short(error: BaseException) -> ExitCode:
    """Say that the run ended between the old state and the new one."""
    reason = error.message if isinstance(error, DataplaneError) else "interrupted"
    log.error("%s", reason)
    log.error("The change is incomplete; `vppcfg plan` shows what is left to do, `vppcfg apply` does it")
    return ExitCode.STRANDED


def _show_refusals(plan: Plan, performance: Performance) -> None:
    """Say what VPP did not do, and how far it is between the old state and the new one."""
    from vppcfg.cli.output import complain, printable
    from vppcfg.render.cli_text import cli_line, describe

    total, done = len(plan.operations), set(performance.done)
    for refusal in performance.refusals:
        line = cli_line(refusal.operation) or describe(refusal.operation)
        log.error("Step %d of %d was refused: %s", refusal.index + 1, total, printable(line))
        log.error("The answer: %s", printable(refusal.text))
    refused = {refusal.index for refusal in performance.refusals}
    log.error("%d step(s) were done, %d were not:", len(done), total - len(done))
    for index, operation in enumerate(plan.operations):
        if index not in done:
            mark = "refused" if index in refused else "not done"
            complain(f"  {mark}: {printable(cli_line(operation) or describe(operation))}")
    log.error("VPP is between the old state and the new one; `vppcfg plan` shows what is left to do")


def _show_remaining(remaining: tuple[Change[Any], ...]) -> None:
    from vppcfg.cli.difference import painted_changes
    from vppcfg.cli.output import Paint, write

    log.error("Every step succeeded, but VPP shows something else; this still differs from what was asked for:")
    write(painted_changes(remaining, Paint(False)), sys.stderr)
