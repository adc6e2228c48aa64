"""`vppcfg loadtest watch`: a steady stream of probes; round-trip time, loss and jitter over time."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.loadtest.options import add_output_options
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.loadtest.watch.outcome import Watched
    from vppcfg.loadtest.watch.probe import Probe
    from vppcfg.loadtest.watch.run import LoadWatch, WatchPlan, WatchTarget

_ECHO_PORT = 7
_LEAST_INTERVAL_S = 0.002
_MOST_TARGETS = 32
_MOST_PER_S = 2000.0
_LONGEST_S = 7 * 86_400.0
_POINTS = 900
"""A result has no more moments than that, when its length is known."""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "watch",
        help="round-trip time, loss and jitter over time",
        description="Send a steady stream of probes to one or more targets, and report round-trip time, loss and "
        "jitter over time: by itself, or while another test runs. Without --duration it goes on until Ctrl-C.",
    )
    parser.add_argument("targets", metavar="TARGET", nargs="+", help="address or name; for UDP also ADDRESS:PORT")
    parser.add_argument(
        "--probe", choices=["icmp", "udp"], default="icmp", help="what is sent; UDP needs an echo server at the target "
        "(RFC 862, port 7) (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--interval", metavar="S", type=_seconds, default=0.05, help="seconds between probes (default: %(default)s)"
    )
    parser.add_argument("--duration", metavar="S", type=_seconds, help="seconds to go on for (default: until Ctrl-C)")
    parser.add_argument(
        "--timeout", metavar="S", type=_seconds, default=1.0, help="a probe that takes longer is lost (default: 1)"
    )
    parser.add_argument("--netns", metavar="NS", default="", help="send from this network namespace")
    add_output_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Watch, and show what was seen; Ctrl-C is the natural end of a watch without --duration."""
    from vppcfg.cli.loadtest.live import Ticker
    from vppcfg.loadtest.watch.run import LoadWatch

    plan = _plan(args)
    targets = _targets(args)
    try:
        with Ticker(is_quiet=args.quiet) as ticker:
            watch = LoadWatch(targets, plan, lambda watch, elapsed_s: ticker.show(_line(watch, elapsed_s, plan)))
            _run(args, watch)
        _report(args, watch.outcome(), is_complete=True)
        return ExitCode.DONE
    finally:
        for target in targets:
            target.probe.close()


def _run(args: argparse.Namespace, watch: LoadWatch) -> None:
    """Watch to the end; what ends it before that is raised again, once everything that was seen has been reported."""
    try:
        try:
            watch.run()
        except KeyboardInterrupt:
            if args.duration is not None:
                raise
    except BaseException:
        _report(args, watch.outcome(), is_complete=False)
        raise


def _plan(args: argparse.Namespace) -> WatchPlan:
    from vppcfg.loadtest.watch.run import WatchPlan

    if args.interval < _LEAST_INTERVAL_S or len(args.targets) / args.interval > _MOST_PER_S:
        raise UsageError(
            f"{len(args.targets) / args.interval:,.0f} probes per second are more than a watch sends",
            f"at most one per target every {_LEAST_INTERVAL_S:g} s, and {_MOST_PER_S:,.0f} per second in all",
        )
    if len(args.targets) > _MOST_TARGETS:
        raise UsageError(f"{len(args.targets)} targets are more than a watch takes", f"it takes {_MOST_TARGETS}")
    return WatchPlan(
        interval_s=args.interval,
        duration_s=args.duration,
        timeout_s=args.timeout,
        moment_s=max(1.0, 10 * args.interval, (args.duration or 0.0) / _POINTS),
    )


def _targets(args: argparse.Namespace) -> tuple[WatchTarget, ...]:
    """Return the targets with a socket towards each. Raise UsageError for one that has no address."""
    from vppcfg.linux.inside import run_inside
    from vppcfg.loadtest.watch.run import WatchTarget

    targets = []
    for name in args.targets:
        host, port = _host_and_port(name, args.probe)
        address = run_inside(args.netns, lambda host=host: _address(host))  # type: ignore[misc]
        probe = run_inside(args.netns, lambda address=address, port=port: _probe(args.probe, address, port))  # type: ignore[misc]
        targets.append(WatchTarget(name=name, address=address, kind=args.probe, probe=probe))
    return tuple(targets)


def _host_and_port(text: str, kind: str) -> tuple[str, int]:
    """Return address and port of `A`, `A:PORT` or `[A]:PORT`; IPv6 addresses have colons of their own."""
    host, colon, port = text.rpartition(":")
    is_bare = not colon or (":" in host and not host.startswith("["))
    if kind == "icmp" or is_bare:
        return text.strip("[]"), _ECHO_PORT
    if not (port.isascii() and port.isdecimal()) or not 0 < int(port) < 65536:
        raise UsageError(f"{text!r} names no port", "write ADDRESS:PORT, with IPv6 [ADDRESS]:PORT")
    return host.strip("[]"), int(port)


def _address(host: str) -> str:
    import socket

    try:
        return str(socket.getaddrinfo(host, None, type=socket.SOCK_DGRAM)[0][4][0])
    except OSError as error:
        raise UsageError(
            f"{host} has no address: {error.strerror or error}", "name an address, or see the DNS"
        ) from error
    except UnicodeError:
        raise UsageError(f"{host!r} is no name of a machine") from None


def _probe(kind: str, address: str, port: int) -> Probe:
    from vppcfg.errors import EngineError
    from vppcfg.loadtest.watch.probe import IcmpProbe, UdpProbe, new_watch_id

    try:
        return IcmpProbe(address, new_watch_id()) if kind == "icmp" else UdpProbe(address, port, new_watch_id())
    except OSError as error:
        raise EngineError(f"there is no way to {address}: {error.strerror or error}", "see `ip route`") from error


def _line(watch: LoadWatch, elapsed_s: float, plan: WatchPlan) -> str:
    from vppcfg.cli.loadtest.live import clock_text

    parts = []
    for name, sent, rtts in watch.recent(plan.moment_s):
        median = milliseconds(sorted(rtts)[len(rtts) // 2]) if rtts else "no answer"
        lost = f", {100 * (sent - len(rtts)) / sent:.0f} % lost" if sent > len(rtts) else ""
        parts.append(f"{name} {median}{lost}" if sent else f"{name} -")
    left = "" if plan.duration_s is None else f", {clock_text(plan.duration_s - elapsed_s)} left"
    return f"watch {clock_text(elapsed_s)}{left}: {'; '.join(parts)}"


def _report(args: argparse.Namespace, watched: tuple[Watched, ...], *, is_complete: bool) -> None:
    """Write the result and show the figures."""
    from vppcfg.cli.loadtest.result_view import write_result
    from vppcfg.cli.loadtest.session import plain_result
    from vppcfg.cli.output import print_line
    from vppcfg.common.printable import printable
    from vppcfg.loadtest.result import ResultKind

    write_result(plain_result(ResultKind.WATCH, args, watched=watched, is_complete=is_complete), args)
    if args.output != "-":
        for line in watch_lines(watched):
            print_line(printable(line))


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= _LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds up to a week")
    return value


def watch_lines(watched: tuple[Watched, ...]) -> Iterator[str]:
    """Yield the figures of every target, in 80 columns; times are in milliseconds."""
    from vppcfg.loadtest.load import loss_text

    yield f"{'Target':<19} {'Sent':>7} {'Loss':>9} {'min':>7} {'median':>7} {'95 %':>7} {'max':>8} {'jitter':>7}"
    for one in watched:
        times = (one.least_us, one.median_us, one.p95_us, one.most_us, one.jitter_us)
        least, median, high, most, jitter = ("-" if time is None else _ms(time) for time in times)
        yield (
            f"{one.target:<19} {one.sent:>7,} {loss_text(one.loss_ratio):>9} {least:>7} {median:>7} {high:>7} "
            f"{most:>8} {jitter:>7}"
        )
    yield "Times are round trips in milliseconds."
    for one in watched:
        if one.refused or one.duplicates:
            yield f"{one.target}: {one.refused:,} probes were refused on the way, {one.duplicates:,} answered twice."


def milliseconds(time_us: float) -> str:
    """Return `0.412 ms`."""
    return f"{_ms(time_us)} ms"


def _ms(time_us: float) -> str:
    return f"{time_us / 1000:.3f}" if time_us < 100_000 else f"{time_us / 1000:.0f}"
