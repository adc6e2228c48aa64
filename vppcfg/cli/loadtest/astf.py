"""`vppcfg loadtest astf`: connections through a router at a rate that rises and is held; T-Rex in stateful mode."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.loadtest.options import add_duration_option, add_output_options, percentage, seconds, whole_seconds
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.loadtest.result import Result
    from vppcfg.loadtest.stateful.engine import StatefulTraffic
    from vppcfg.loadtest.stateful.run import ConnectionPlan

_LIMIT_PERCENT = 0.01
_PROBES_PPS = 100.0
_MOST_PROBES_PPS = 10_000.0
_MOST_HOSTS = 254
_FINISH_S = 10


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "astf",
        help="raise the rate of connections, and see where they fail",
        description="Begin TCP and UDP connections through a router at a rate that rises evenly to a target and is "
        "held there, with T-Rex in advanced stateful mode; count those that are answered, open at once, and failed, "
        "the errors by kind, and the latency beside them. The test passes, and the command exits 0, when less than "
        "0.01 % of the connections fail; else it exits 11.",
    )
    _add_rate_options(parser)
    _add_connection_options(parser)
    _add_generator_options(parser)
    add_output_options(parser)
    parser.set_defaults(run=run)


def _add_rate_options(parser: argparse.ArgumentParser) -> None:
    """Add the rate and its phases; the names are those of the ramp where they mean the same."""
    group = parser.add_argument_group("connections per second")
    group.add_argument(
        "-wm", "--warmup-rate", metavar="CPS", default="10", help="during the warm-up (default: %(default)s)"
    )
    add_duration_option(group, "-wd", "--warmup-duration", default=10, text="seconds of the warm-up")
    group.add_argument(
        "-rt", "--target", metavar="CPS", default="1000",
        help="to rise to, and to hold, such as 500 or 20k (default: %(default)s)",
    )  # fmt: skip
    add_duration_option(group, "-rd", "--rampup-duration", default=120, text="seconds of the ramp")
    add_duration_option(group, "-hd", "--hold-duration", default=30, text="seconds to stay at the target")
    group.add_argument("--step", metavar="CPS", help="rise in steps of this; without it the rate rises every second")
    group.add_argument(
        "--finish", metavar="S", type=whole_seconds, default=_FINISH_S,
        help="seconds that connections have to end after the hold, and after --open; what is open then is cut, and "
        "has failed (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--failures", metavar="PERCENT", type=percentage, default=_LIMIT_PERCENT,
        help="the test passes below this share of failed connections (default: %(default)g)",
    )  # fmt: skip
    group.add_argument(
        "--early-stop", action="store_true", help="end the test when more than that fail in three seconds in a row"
    )


def _add_connection_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("connections")
    group.add_argument(
        "-p", "--profile", metavar="NAME", default="http",
        help="http (a page by TCP), dns (a name by UDP), or mix: five names for four pages and one download of 16 "
        "times their size (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--size", metavar="BYTES", default="8000", help="an answer of HTTP, its head included (default: %(default)s)"
    )
    group.add_argument(
        "--open", metavar="S", type=seconds, default=0.0,
        help="seconds for which clients keep an answered connection of HTTP: with 10 s, ten times as many are open at "
        "once as begin in a second (default: %(default)g)",
    )  # fmt: skip
    for side, network in (("clients", "16.0.0.0/8"), ("servers", "48.0.0.0/8")):
        group.add_argument(
            f"--{side}", metavar="N", type=_hosts, default=_MOST_HOSTS,
            help=f"addresses of {side}, in {network} (default: %(default)s)",
        )  # fmt: skip
    group.add_argument("--offset", metavar="N", type=int, default=0, help="third octet of all addresses (default: 0)")
    group.add_argument(
        "--probe-rate", metavar="PPS", default=f"{_PROBES_PPS:g}",
        help="stamped ICMP packets per second and direction that measure latency, 0 for none (default: %(default)s)",
    )  # fmt: skip


def _add_generator_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("generator")
    group.add_argument(
        "--engine", choices=("trex", "simulated"), default="trex",
        help="generator of the connections (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "-s", "--server", metavar="HOST[:PORT]", default="127.0.0.1",
        help="where T-Rex runs, started with -i --astf (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--ports", metavar="A,B", default="0,1",
        help="the generator's ports, two per path: clients on an even one, their servers on the next "
        "(default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--force", action="store_true", help="take over a server that another user owns; traffic on all its ports stops"
    )
    group.add_argument(
        "--device", metavar="KEY=VALUE,...", default="",
        help="properties of --engine simulated: capacity (1M, connections per second), open (at once), latency (us), "
        "generator (connections per second that it can begin), pace (seconds per simulated one)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> ExitCode:
    """Run the test, and write the result even when it is interrupted."""
    from dataclasses import replace

    from vppcfg.cli.loadtest.astf_view import LiveConnections, astf_lines
    from vppcfg.cli.loadtest.engines import opened_stateful
    from vppcfg.cli.loadtest.result_view import show_lines, write_result
    from vppcfg.cli.loadtest.session import plain_result, ports_of, run_holding_ports
    from vppcfg.loadtest.result import ResultKind
    from vppcfg.loadtest.stateful.run import ConnectionRamp

    traffic, plan = _traffic(args), _plan(args)
    with opened_stateful(args) as (engine, clock), LiveConnections(is_quiet=args.quiet) as live:
        generator = engine.describe()
        begun = plain_result(ResultKind.ASTF, args, generator=generator, is_complete=False)
        live.announce(args.server if args.engine == "trex" else "the simulated engine", traffic, plan)
        ramp = ConnectionRamp(engine, traffic, plan, clock, live)

        def so_far() -> Result | None:
            return replace(begun, stateful=ramp.so_far()) if ramp.samples else None

        outcome, verdict, notes = run_holding_ports(engine, ports_of(args), ramp.run, so_far, args)
    result = replace(begun, stateful=outcome, verdict=verdict, notes=notes, is_complete=True)
    write_result(result, args)
    show_lines(astf_lines(result), args)
    return ExitCode.DONE if verdict.has_passed else ExitCode.VERDICT


def _traffic(args: argparse.Namespace) -> StatefulTraffic:
    from vppcfg.cli.loadtest.session import ports_of
    from vppcfg.common.rates import parse_figure
    from vppcfg.loadtest.load import directions_of
    from vppcfg.loadtest.stateful.engine import StatefulTraffic
    from vppcfg.loadtest.stateful.profile import stateful_profile_of

    probes_pps = parse_figure(args.probe_rate)
    if not 0 <= probes_pps <= _MOST_PROBES_PPS or probes_pps % 1:
        raise UsageError(
            f"--probe-rate {args.probe_rate}: no whole number from 0 to {_MOST_PROBES_PPS:,.0f} packets per second"
        )
    profile = stateful_profile_of(
        args.profile,
        answer_bytes=round(parse_figure(args.size)),
        open_s=args.open,
        clients=args.clients,
        servers=args.servers,
        offset=args.offset,
    )
    directions = directions_of(ports_of(args), is_unidirectional=False)
    return StatefulTraffic(profile=profile, directions=directions, latency_pps=probes_pps)


def _plan(args: argparse.Namespace) -> ConnectionPlan:
    from math import ceil

    from vppcfg.common.rates import parse_figure
    from vppcfg.loadtest.stateful.run import ConnectionPlan

    return ConnectionPlan(
        warm_up_rate=parse_figure(args.warmup_rate),
        target_rate=parse_figure(args.target),
        warm_up_s=args.warmup_duration,
        ramp_s=args.rampup_duration,
        hold_s=args.hold_duration,
        step_rate=parse_figure(args.step) if args.step else 0.0,
        limit_ratio=args.failures / 100,
        stops_early=args.early_stop,
        finish_s=args.finish + ceil(args.open),
    )


def _hosts(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= _MOST_HOSTS:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of addresses from 1 to {_MOST_HOSTS}")
    return int(text)
