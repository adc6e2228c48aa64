"""`vppcfg loadtest latency`: latency, jitter and loss of a router under load."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.loadtest.options import (
    add_duration_option,
    add_engine_options,
    add_result_options,
    add_settle_option,
    add_traffic_options,
)
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vppcfg.cli.loadtest.session import LoadSession, LoadSetting
    from vppcfg.loadtest.engine import Delay
    from vppcfg.loadtest.latency import LatencyPlan
    from vppcfg.loadtest.result import DelayAtLoad, Result

_IDLE_PPS = 1.0
_PROBES_PPS = 1000.0
_MOST_PROBES_PPS = 1e6


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "latency",
        help="measure latency, jitter and loss under load",
        description="Send a stream of stamped packets beside a load, and show how long they take through the router.",
    )
    group = parser.add_argument_group("latency")
    group.add_argument(
        "--load", metavar="LOAD", action="append", default=[],
        help="percent of line rate, any other load (1mpps), or idle; may be given again (default: 90)",
    )  # fmt: skip
    add_duration_option(group, "--duration", default=30, text="seconds at each load")
    add_settle_option(group)
    group.add_argument(
        "--probe-rate", metavar="PPS", default=f"{_PROBES_PPS:g}",
        help="stamped packets per second and direction, on top of the load (default: %(default)s)",
    )  # fmt: skip
    add_engine_options(parser)
    add_traffic_options(parser)
    add_result_options(parser, default=None)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Measure, and write the result even when it is interrupted."""
    from vppcfg.cli.loadtest.session import load_session

    with load_session(args, _probe_rate(args.probe_rate)) as session:
        return _run(session, _plan(args, session.setting))


def _run(session: LoadSession, plan: LatencyPlan) -> ExitCode:
    from dataclasses import replace

    from vppcfg.cli.loadtest.result_view import show, write_result
    from vppcfg.cli.loadtest.session import begun_result
    from vppcfg.loadtest.latency import LatencyTest
    from vppcfg.loadtest.result import ResultKind

    args, live = session.args, session.live
    begun = begun_result(ResultKind.LATENCY, args, session.setting)
    live.mapped()
    test = LatencyTest(session.engine, session.setting.traffic, plan, session.clock, live)

    def so_far() -> Result | None:
        return replace(begun, samples=tuple(test.samples), delays=tuple(test.found)) if test.samples else None

    delays = session.run(test.run, so_far)
    result = replace(begun, samples=tuple(test.samples), delays=delays, is_complete=True)
    write_result(result, args)
    show(latency_lines(result), args, live)
    return ExitCode.DONE


def latency_lines(result: Result) -> Iterator[str]:
    """Yield what was measured, in 80 columns; times in microseconds."""
    from vppcfg.cli.loadtest.result_view import baseline_lines, path_text
    from vppcfg.loadtest.latency import PERCENTILES

    assert result.offered is not None
    heads = "".join(f"{f'<{100 * share:g}%':>7}" for share in PERCENTILES)
    yield f"{'Load':<10} {'Way':<6} {'mean':>7} {'min':>5} {'max':>7} {'jitter':>6}{heads}  loss"
    for found in result.delays:
        for delay in found.delays:
            yield _row(found, delay)
    yield "Times in microseconds; <99% is the time that 99 % of the packets stay below."
    yield f"Path         {path_text(result.offered)}"
    yield from baseline_lines(result.baseline)


def _row(found: DelayAtLoad, delay: Delay) -> str:
    from vppcfg.common.rates import pps
    from vppcfg.loadtest.latency import PERCENTILES, percentile_us
    from vppcfg.loadtest.load import loss_text

    classes = [percentile_us(delay.histogram, share) for share in PERCENTILES]
    edges = "".join(f"{'-' if found_class is None else f'{found_class[1]:g}':>7}" for found_class in classes)
    (total,) = (total for total in found.totals if total.direction == delay.direction)
    least = None if delay.minimum_us is None else f"{delay.minimum_us:.0f}"
    figures = (f"{delay.average_us:.1f}", least, f"{delay.maximum_us:.0f}", f"{delay.jitter_us:.1f}")
    mean, least, most, jitter = (each if each and delay.received else "-" for each in figures)
    return (
        f"{pps(found.load_pps):<10} {delay.direction.name:<6} {mean:>7} {least:>5} {most:>7} {jitter:>6}{edges}  "
        f"{loss_text(total.loss_ratio)}"
    )


def _plan(args: argparse.Namespace, setting: LoadSetting) -> LatencyPlan:
    from vppcfg.cli.loadtest.options import load_or_percent
    from vppcfg.loadtest.latency import LatencyPlan

    loads = tuple(
        _IDLE_PPS if text == "idle" else load_or_percent(text, setting.line_rate) for text in args.load or ("90",)
    )
    most = max(loads) + setting.traffic.latency_pps
    if most > setting.line_rate.pps:
        raise UsageError(
            f"load and stamped packets together are {most:,.0f} packets per second, more than line rate",
            "lower --load or --probe-rate",
        )
    return LatencyPlan(loads_pps=loads, duration_s=args.duration, settle_s=args.settle)


def _probe_rate(text: str) -> float:
    from vppcfg.common.rates import parse_figure

    rate = parse_figure(text)
    if not 1 <= rate <= _MOST_PROBES_PPS:
        raise UsageError(f"--probe-rate {text}: no rate from 1 to {_MOST_PROBES_PPS:,.0f} packets per second")
    return rate
