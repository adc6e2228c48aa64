"""`vppcfg loadtest flows`: TCP through a router over several flows, one per core, and the load of each core."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.loadtest.options import LAST_PORT, add_duration_option, add_output_options, port_number, ports
from vppcfg.common.rates import short
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vppcfg.common.clock import Clock
    from vppcfg.loadtest.flows.outcome import FlowsOutcome
    from vppcfg.loadtest.flows.place import FlowsPlan, Placed
    from vppcfg.loadtest.flows.router import RouterMachine

_MOST_FLOWS = 128
_TCP_SHARE = 1448 / 1538
"""Of a link: payload of a frame of 1500 bytes with TCP timestamps, and what that frame takes on the wire."""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "flows",
        help="TCP through a router, a flow per core",
        description="Run pairs of iperf3 servers and clients through a router, on ports whose flows land on different "
        "cores of it; sum the goodput, and record what every core spends in software interrupts.",
    )
    _add_place_options(parser)
    _add_flow_options(parser)
    _add_router_options(parser)
    add_output_options(parser)
    parser.set_defaults(run=run)


def _add_place_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("where the flows run")
    group.add_argument(
        "--lab", metavar="NAME", help="a laboratory of this machine: servers on its left, clients on its right"
    )
    group.add_argument("--server", metavar="ADDRESS", help="address of the servers, on the far side of the router")
    group.add_argument(
        "--server-netns", metavar="NS", help="start the servers in this namespace (default: they run already)"
    )
    group.add_argument("--client-netns", metavar="NS", default="", help="run the clients in this namespace")


def _add_flow_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("flows")
    group.add_argument(
        "--engine", choices=["iperf3"], default="iperf3", help="generator of the flows (default: iperf3)"
    )
    group.add_argument("--flows", metavar="N", type=_flows, default=4, help="how many (default: %(default)s)")
    group.add_argument(
        "--first-port",
        metavar="PORT",
        type=port_number,
        default=5201,
        help="port of the first server (default: %(default)s)",
    )
    group.add_argument(
        "--cport",
        metavar="P,P,...",
        type=ports,
        default=(),
        help="ports of the clients, one per flow (default: chosen by core)",
    )
    add_duration_option(group, "--duration", default=60, text="seconds")
    group.add_argument("--reverse", action="store_true", help="the servers send")
    group.add_argument("--link", metavar="SPEED", help="speed of the link, to compare the goodput with: 10G")


def _add_router_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("router")
    group.add_argument(
        "--router", metavar="HOST", help="the router: local for this machine, or a host that ssh reaches by itself"
    )
    group.add_argument(
        "--router-device", metavar="DEVICE", help="its port on the clients' side; its hash decides the core of a flow"
    )
    group.add_argument("--cores", metavar="LIST", help="its cores that take part: 0-3 (default: those that are online)")


def run(args: argparse.Namespace) -> ExitCode:
    """Run the flows and show their results."""
    from vppcfg.cli.loadtest.flows import flows_lines
    from vppcfg.cli.loadtest.live import Ticker
    from vppcfg.cli.output import print_line
    from vppcfg.common.clock import SystemClock
    from vppcfg.common.printable import printable
    from vppcfg.common.rates import parse_speed

    link_bps = parse_speed(args.link) if args.link else None
    plan = _plan(args)
    with Ticker(is_quiet=args.quiet) as ticker:
        outcome = _outcome(args, plan, SystemClock(), ticker.show)
    _write(args, outcome)
    if args.output != "-":
        for line in flows_lines(outcome, link_bps):
            print_line(printable(line))
    return ExitCode.DONE


def _plan(args: argparse.Namespace) -> FlowsPlan:
    """Return what is to run where. Raise UsageError, or LinuxError when there is no such laboratory."""
    from vppcfg.loadtest.flows.place import FlowsPlan

    if bool(args.lab) == bool(args.server):
        raise UsageError("flows needs to know where the servers are", "give --lab NAME or --server ADDRESS")
    _refuse_idle_options(args)
    if args.duration < 1:
        raise UsageError("a test of 0 seconds measures nothing", "--duration 60")
    if args.first_port + args.flows - 1 > LAST_PORT:
        raise UsageError(f"{args.flows} servers do not fit between port {args.first_port} and {LAST_PORT}")
    server, server_netns, client_netns = args.server, args.server_netns, args.client_netns
    if args.lab:
        from vppcfg.loadtest.lab.build import find

        layout = find(args.lab)
        server, server_netns, client_netns = layout.left.address, layout.left.end.netns, layout.right.end.netns
    return FlowsPlan(
        server=server,
        server_netns=server_netns,
        client_netns=client_netns,
        server_ports=tuple(range(args.first_port, args.first_port + args.flows)),
        duration_s=args.duration,
        is_reverse=args.reverse,
    )


def _refuse_idle_options(args: argparse.Namespace) -> None:
    """Raise UsageError for an option that would have no effect beside the others."""
    named = {
        "--server-netns": args.server_netns, "--client-netns": args.client_netns, "--router": args.router,
        "--router-device": args.router_device, "--cores": args.cores,
    }  # fmt: skip
    idle = ["--router-device", "--cores"] if not args.lab and args.router is None else []
    idle += ["--server-netns", "--client-netns", "--router"] if args.lab else []
    for option in idle:
        if named[option]:
            hint = "a laboratory has its own" if args.lab else "name the router with --router"
            raise UsageError(f"{option} has no effect here", hint)


def _outcome(args: argparse.Namespace, plan: FlowsPlan, clock: Clock, show: Callable[[str], None]) -> FlowsOutcome:
    """Place the flows, run them, and return what they found."""
    from vppcfg.cli.loadtest.live import clock_text
    from vppcfg.loadtest.flows.iperf3 import require_iperf3
    from vppcfg.loadtest.flows.outcome import CoresSample
    from vppcfg.loadtest.flows.run import outcome_of, run_flows, serving

    router = _router(args)

    def on_sample(sample: CoresSample) -> None:
        idle = ", ".join(f"core {load.core} {100 * load.idle:.0f} % idle" for load in sample.loads[:8])
        remaining_s = plan.duration_s - sample.at_s
        show(f"flows {clock_text(sample.at_s)}, {clock_text(remaining_s)} left{', ' if idle else ''}{idle}")

    placed, placed_by = _placed_flows(args, plan, router)
    version = require_iperf3()
    with serving(plan, clock):
        flows, samples = run_flows(plan, placed, router, clock, on_sample)
    return outcome_of(version, plan, placed_by, flows, samples)


def _router(args: argparse.Namespace) -> RouterMachine | None:
    """Return the machine whose cores are watched; None when the operator names none."""
    from vppcfg.loadtest.flows.router import LocalRouter, SshRouter

    if args.lab:
        from vppcfg.loadtest.lab.build import find

        return LocalRouter(netns=find(args.lab).dut_netns)
    if args.router is None:
        return None
    return LocalRouter() if args.router == "local" else SshRouter(host=args.router)


def _write(args: argparse.Namespace, outcome: FlowsOutcome) -> None:
    from vppcfg.cli.loadtest.result_view import write_result
    from vppcfg.cli.loadtest.session import plain_result
    from vppcfg.loadtest.engine import Generator
    from vppcfg.loadtest.result import ResultKind

    generator = Generator(engine="iperf3", version=outcome.iperf3_version)
    found = {"generator": generator, "flows": outcome, "notes": outcome.notes(), "is_complete": True}
    write_result(plain_result(ResultKind.FLOWS, args, **found), args)


def _flows(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= _MOST_FLOWS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of flows from 1 to {_MOST_FLOWS}")
    return int(text)


def _placed_flows(
    args: argparse.Namespace, plan: FlowsPlan, router: RouterMachine | None
) -> tuple[tuple[Placed, ...], str]:
    """Return a client port per flow with its core, and how they were found."""
    from vppcfg.loadtest.flows.place import probed, source_address, spread, toeplitz_cores

    count = len(plan.server_ports)
    if args.cport:
        if not len(args.cport) == len(set(args.cport)) == count:
            raise UsageError(f"--cport names {len(set(args.cport))} ports, and there are {count} flows", "one for each")
        return tuple((port, None) for port in args.cport), "named by the operator"
    if router is None:
        return ((0, None),) * count, "not chosen: no router is named"
    if args.reverse:
        return ((0, None),) * count, "not chosen: the servers send, and only what the clients send can be placed"
    cores = _cores(args, router)
    if args.router_device:
        by_hash = toeplitz_cores(router, args.router_device, source_address(plan), plan.server)
        if by_hash is not None:
            return spread(plan.server_ports, cores, by_hash), "Toeplitz"
    if plan.server_netns is None or not (args.lab or args.router == "local"):
        return ((0, None),) * count, "not chosen: the card reports no hash, and only own servers can be probed"
    if args.lab and _is_vpp(args.lab):
        return ((0, None),) * count, "not chosen: VPP has one thread in a laboratory"
    return probed(plan, router, cores), "probe"


def _cores(args: argparse.Namespace, router: RouterMachine) -> tuple[int, ...]:
    from vppcfg.common.numbers import cpus_of
    from vppcfg.loadtest.flows.router import ticks_by_core

    online = tuple(sorted(ticks_by_core(router.run(["cat", "/proc/stat"]))))
    if not args.cores:
        return online
    try:
        wanted = cpus_of(args.cores)
    except ValueError as error:
        raise UsageError(f"--cores: {error}") from error
    missing = sorted(set(wanted) - set(online))
    if missing or not wanted:
        raise UsageError(f"--cores: the router has no core {missing[0] if missing else args.cores}")
    return wanted


def _is_vpp(lab: str) -> bool:
    from vppcfg.loadtest.lab.build import find
    from vppcfg.loadtest.lab.layout import Dut

    return find(lab).dut is Dut.VPP


def flows_lines(outcome: FlowsOutcome, link_bps: int | None) -> Iterator[str]:
    """Yield the flows, their sum, and the load of every core, in 80 columns."""
    yield f"{'Flow':<16} {'Core':>5} {'Sent':>15} {'Received':>15} {'Retransmits':>12}"
    for flow in outcome.flows:
        ports = f"{flow.client_port} -> {flow.server_port}"
        core = "-" if flow.core is None else str(flow.core)
        received = "unknown" if flow.received_bps is None else _rate(flow.received_bps)
        again = "-" if flow.retransmits is None else f"{flow.retransmits:,}"
        yield f"{ports:<16} {core:>5} {_rate(flow.sent_bps):>15} {received:>15} {again:>12}"
    yield f"{'Sum':<16} {'':>5} {_rate(outcome.sent_bps):>15} {_rate(outcome.goodput_bps):>15}"
    if link_bps:
        most = link_bps * _TCP_SHARE
        yield f"That is {100 * outcome.goodput_bps / most:.1f} % of the {_rate(most)} that TCP gets on this link."
    yield f"Ports: {outcome.placed_by}"
    yield from (f"Note: {note}" for note in outcome.notes())
    yield from _core_lines(outcome)


def _core_lines(outcome: FlowsOutcome) -> Iterator[str]:
    summaries = outcome.summaries()
    if not summaries:
        return
    yield ""
    yield f"{'Core':<16} {'softirq':>9} {'idle':>9} {'least idle':>12} {'most idle':>12}"
    for core in summaries:
        yield (
            f"{core.core:<16} {100 * core.mean_softirq:>7.1f} % {100 * core.mean_idle:>7.1f} % "
            f"{100 * core.least_idle:>10.1f} % {100 * core.most_idle:>10.1f} %"
        )
    busiest = min(summaries, key=lambda core: core.mean_idle)
    yield f"Headroom: core {busiest.core} is busiest and idle {100 * busiest.mean_idle:.1f} % of the time."


def _rate(bps: float) -> str:
    return f"{short(bps)}bit/s"
