"""`vppcfg loadtest ramp`: warm-up, a load that rises to a target, a hold; a verdict, and a result for reports."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.loadtest.options import (
    add_duration_option,
    add_engine_options,
    add_result_options,
    add_settle_option,
    add_traffic_options,
    percentage,
)
from vppcfg.cli.options import add_dataplane_options
from vppcfg.cli.output import is_terminal
from vppcfg.errors import ExitCode

if TYPE_CHECKING:
    from vppcfg.cli.loadtest.ramp_tune import TuningObserver
    from vppcfg.cli.loadtest.session import LoadSession, LoadSetting
    from vppcfg.loadtest.ramp import RampPlan
    from vppcfg.loadtest.result import Result

_LIMIT_PERCENT = 0.01


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "ramp",
        help="raise the load evenly, and see where loss begins",
        description="Warm a router up, raise the load evenly to a target, hold it there, and count what is lost. The "
        "test passes, and the command exits 0, when less than 0.01 % is lost; else it exits 11.",
    )
    _add_ramp_options(parser)
    add_engine_options(parser)
    add_traffic_options(parser)
    add_result_options(parser, default=None, is_shown=True)
    parser.add_argument(
        "--format",
        choices=["json", "trex-loadtest"],
        help="form of the result: vppcfg's own (default), or the one that trex-loadtest-viz reads",
    )
    _add_tune_options(parser)
    parser.set_defaults(run=run)


def _add_ramp_options(parser: argparse.ArgumentParser) -> None:
    """Add the session of the load; the short names are those of trex-loadtest."""
    group = parser.add_argument_group("ramp")
    group.add_argument(
        "-wm", "--warmup-mult", "--warmup_mult", metavar="LOAD", default="1kpps",
        help="load of the warm-up: 1kpps, 10mbps, 10mbpsl1 or 1%% (default: %(default)s)",
    )  # fmt: skip
    add_duration_option(
        group, "-wd", "--warmup-duration", "--warmup_duration", default=30, text="seconds of the warm-up"
    )
    group.add_argument(
        "-rt", "--target", "--rampup_target", metavar="LOAD", default="100",
        help="load to rise to: percent of line rate, or any other load (default: %(default)s)",
    )  # fmt: skip
    add_duration_option(group, "-rd", "--rampup-duration", "--rampup_duration", default=600, text="seconds of the ramp")
    hold = ("-hd", "--hold-duration", "--hold_duration")
    add_duration_option(group, *hold, default=30, text="seconds to stay at the target")
    add_settle_option(group)
    group.add_argument(
        "--step", metavar="LOAD", help="rise in steps of this, such as 1%%; without it the load rises every second"
    )
    group.add_argument(
        "--loss", metavar="PERCENT", type=percentage, default=_LIMIT_PERCENT,
        help="the test passes below this loss (default: %(default)g)",
    )  # fmt: skip
    group.add_argument(
        "--early-stop", action="store_true", help="end the test when three seconds in a row lose more than that"
    )


def _add_tune_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tuning")
    group.add_argument(
        "--tune", action="store_true",
        help="read the counters of the VPP under test during the hold, and report what limits it",
    )  # fmt: skip
    add_dataplane_options(parser)
    group.add_argument(
        "--stats-socket", metavar="SOCKET", help="VPP's stats socket (default: stats.sock beside the API socket)"
    )


def run(args: argparse.Namespace) -> ExitCode:
    """Run the ramp, and write the result even when it is interrupted."""
    from vppcfg.cli.loadtest.session import load_session

    if args.output is None and (args.format is not None or not is_terminal(sys.stdout)):
        args.output = "-"
    with load_session(args) as session:
        return _run(session, _plan(args, session.setting))


def _run(session: LoadSession, plan: RampPlan) -> ExitCode:
    from dataclasses import replace

    from vppcfg.cli.loadtest.ramp_tune import TuningObserver
    from vppcfg.cli.loadtest.result_view import ramp_lines, show, write_result
    from vppcfg.cli.loadtest.session import begun_result
    from vppcfg.loadtest.ramp import Ramp
    from vppcfg.loadtest.result import ResultKind

    args, setting, live = session.args, session.setting, session.live
    begun = begun_result(ResultKind.RAMP, args, setting)
    tuning = TuningObserver(live, args, setting, plan.hold_s) if args.tune else None
    if tuning is not None:
        tuning.refuse_absent_vpp()
    live.note(_announcement(args))
    live.mapped()
    ramp = Ramp(session.engine, setting.traffic, plan, session.clock, tuning or live)
    outcome = session.run(ramp.run, lambda: replace(begun, samples=ramp.samples) if ramp.samples else None)
    live.note("Loadtest finished, stopping")
    result = replace(
        begun,
        samples=ramp.samples,
        totals=outcome.totals,
        verdict=outcome.verdict,
        loss_begins_pps=outcome.loss_begins_pps,
        notes=outcome.notes,
        is_complete=True,
    )
    if tuning is not None:
        result = _tuned(result, tuning)
    write_result(result, args)
    show(ramp_lines(result), args, live)
    return ExitCode.DONE if outcome.verdict.has_passed else ExitCode.VERDICT


def _tuned(result: Result, tuning: TuningObserver) -> Result:
    """Return a result with the tuner's findings, or with a note about why there are none."""
    from dataclasses import replace

    found = tuning.findings()
    if found is not None:
        return replace(result, tuning=found)
    return replace(result, notes=(*result.notes, f"VPP was not read during the hold: {tuning.failure}"))


def _announcement(args: argparse.Namespace) -> str:
    target = args.target if args.target[-1:].isalpha() else f"{args.target.rstrip('%')}% of linerate"
    against = args.server if args.engine == "trex" else f"the {args.engine} engine"
    return (
        f"Running against {against} profile {args.profile}, warmup {args.warmup_mult} for {args.warmup_duration}s, "
        f"rampup target {target} in {args.rampup_duration}s, hold for {args.hold_duration}s "
        f"output goes to {args.output or 'nowhere: only the summary is shown'}"
    )


def _plan(args: argparse.Namespace, setting: LoadSetting) -> RampPlan:
    from vppcfg.cli.loadtest.options import load_or_percent
    from vppcfg.loadtest.load import parse_load
    from vppcfg.loadtest.ramp import RampPlan

    return RampPlan(
        warm_up_rate=parse_load(args.warmup_mult, setting.line_rate),
        target_rate=load_or_percent(args.target, setting.line_rate),
        warm_up_s=args.warmup_duration,
        ramp_s=args.rampup_duration,
        hold_s=args.hold_duration,
        step_rate=load_or_percent(args.step, setting.line_rate) if args.step else 0.0,
        limit_ratio=args.loss / 100,
        stops_early=args.early_stop,
        settle_s=args.settle,
    )
