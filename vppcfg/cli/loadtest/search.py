"""`vppcfg loadtest search`: the throughput of a router under stated losses, by MLRsearch (RFC 9971)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.loadtest.options import (
    add_engine_options,
    add_result_options,
    add_settle_option,
    add_traffic_options,
    seconds,
)
from vppcfg.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vppcfg.cli.loadtest.session import LoadSession, LoadSetting
    from vppcfg.loadtest.result import Result, Throughput
    from vppcfg.loadtest.search import SearchPlan


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "search",
        help="find the throughput, by MLRsearch",
        description="Find the highest load that a router forwards with no loss, or with little: many short trials, "
        "each at the most informative load (MLRsearch, RFC 9971).",
    )
    group = parser.add_argument_group("search")
    group.add_argument(
        "--goal", metavar="GOAL", action="append", default=[],
        help="ndr (no loss), pdr=PERCENT, rfc2544 or tst009; may be given again (default: ndr and pdr=0.5). Changes "
        "follow after commas: loss, exceed and width in percent; initial, final and sum in seconds",
    )  # fmt: skip
    group.add_argument("--min", metavar="LOAD", default="1kpps", help="lowest load to try (default: %(default)s)")
    group.add_argument(
        "--max", metavar="LOAD", default="100%", help="highest load to try (default: 100%% of line rate)"
    )
    group.add_argument(
        "--warm-up", metavar="S", type=seconds, default=1.0,
        help="seconds of a first trial that does not count (default: %(default)g)",
    )  # fmt: skip
    add_settle_option(group)
    group.add_argument(
        "--max-duration", metavar="S", type=seconds, default=3600.0,
        help="give up after so many seconds (default: %(default)g)",
    )  # fmt: skip
    add_engine_options(parser)
    add_traffic_options(parser)
    add_result_options(parser, default=None)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Search, and write the result even when it is interrupted."""
    from vppcfg.cli.loadtest.session import load_session
    from vppcfg.loadtest.packages import require

    require("MLRsearch")
    with load_session(args) as session:
        return _run(session, _plan(args, session.setting))


def _run(session: LoadSession, plan: SearchPlan) -> ExitCode:
    from dataclasses import replace

    from vppcfg.cli.loadtest.result_view import show, write_result
    from vppcfg.cli.loadtest.session import begun_result
    from vppcfg.loadtest.result import ResultKind
    from vppcfg.loadtest.search import Bench, Search

    args, traffic, live = session.args, session.setting.traffic, session.live
    begun = begun_result(ResultKind.SEARCH, args, session.setting)
    live.mapped()
    bench = Bench(session.engine, traffic, session.clock, args.settle, live)
    search = Search(bench, plan, live.trial)

    def found() -> tuple[Throughput, ...]:
        session.engine.prepare(traffic)
        return search.run()

    throughputs = session.run(found, lambda: replace(begun, trials=tuple(search.trials)) if search.trials else None)
    result = replace(begun, trials=tuple(search.trials), throughputs=throughputs, is_complete=True)
    write_result(result, args)
    show(search_lines(result), args, live)
    return ExitCode.DONE


def search_lines(result: Result) -> Iterator[str]:
    """Yield what a search found, in 80 columns."""
    from vppcfg.cli.loadtest.result_view import baseline_lines, path_text

    assert result.offered is not None
    yield f"{'Goal':<12} {'Throughput':>14} {'of path':>9} {'Passes at':>14} {'Fails at':>14}"
    for found in result.throughputs:
        yield _row(found, result.offered.path_rate_pps)
    yield f"Path         {path_text(result.offered)}"
    tried_s = sum(trial.duration_s for trial in result.trials)
    yield f"Trials       {len(result.trials)}, {tried_s:.0f} s of traffic; rates are packets per second and direction"
    yield from baseline_lines(result.baseline)


def _row(found: Throughput, path_pps: float) -> str:
    def shown(rate: float | None, otherwise: str) -> str:
        return otherwise if rate is None else f"{rate:,.0f}"

    share = "-" if found.conditional_pps is None else f"{100 * found.conditional_pps / path_pps:.2f} %"
    return (
        f"{found.goal:<12} {shown(found.conditional_pps, 'none'):>14} {share:>9} "
        f"{shown(found.lower_bound_pps, 'nothing'):>14} {shown(found.upper_bound_pps, 'nothing'):>14}"
    )


def _plan(args: argparse.Namespace, setting: LoadSetting) -> SearchPlan:
    from vppcfg.loadtest.load import parse_load
    from vppcfg.loadtest.search import SearchPlan, goals_of

    return SearchPlan(
        goals=goals_of(args.goal),
        min_pps=parse_load(args.min, setting.line_rate),
        max_pps=parse_load(args.max, setting.line_rate),
        longest_s=args.max_duration,
        warm_up_s=args.warm_up,
    )
