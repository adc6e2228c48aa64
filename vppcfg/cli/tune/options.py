"""The options that `vppcfg tune` and its sub-commands share: where to read from, the rate of the traffic."""

from __future__ import annotations

import argparse
import logging
from typing import TYPE_CHECKING

from vppcfg.cli.options import add_dataplane_options, number_within
from vppcfg.errors import UsageError

if TYPE_CHECKING:
    from vppcfg.app.capturing import ReadingPlan
    from vppcfg.tune.capture import Capture
    from vppcfg.tune.load import Load

log = logging.getLogger(__name__)
_LONGEST_S = 3600.0


def add_live_options(parser: argparse.ArgumentParser) -> None:
    """Add what a running VPP is read with."""
    add_dataplane_options(parser)
    parser.add_argument(
        "--stats-socket", metavar="SOCKET", help="VPP's stats socket (default: stats.sock beside the API socket)"
    )
    parser.add_argument(
        "--interval",
        metavar="S",
        type=_seconds,
        default=5.0,
        help="seconds between two readings; VPP refreshes its counters of nodes every statseg update-interval, and "
        "that is waited for (default: %(default)g)",
    )
    parser.add_argument(
        "--readings", metavar="N", type=_count, default=3, help="how many readings, at least 2 (default: %(default)s)"
    )
    parser.add_argument("--root", metavar="DIR", default="/", help="where /proc and /sys are (default: %(default)s)")
    parser.add_argument(
        "--heap",
        action="store_true",
        help="also let VPP walk its heap (show memory), which stops forwarding: 0.7 s with a full table; how full it "
        "is, is known without",
    )


def reading_plan(args: argparse.Namespace) -> ReadingPlan:
    """Return what the options of `add_live_options` ask for."""
    from vppcfg.app.capturing import ReadingPlan

    return ReadingPlan(
        api_socket=args.api_socket,
        json_dir=args.vpp_json_dir,
        stats_socket=args.stats_socket,
        root=args.root,
        readings=args.readings,
        interval_s=args.interval,
        has_heap=args.heap,
    )


def announce(plan: ReadingPlan) -> None:
    """Write how long reading will take."""
    log.info("Reading VPP %d times takes %.0f to %.0f s", plan.readings, plan.shortest_s, plan.longest_s)


def captures_of(plan: ReadingPlan) -> list[Capture]:
    """Return all readings of a running VPP, with a bar on a terminal meanwhile. Raise DataplaneError."""
    from vppcfg.app.capturing import take_captures
    from vppcfg.cli.progress import Progress

    announce(plan)
    with Progress("Reading VPP", plan.ticks, unit="readings") as progress:
        return take_captures(plan, progress.report)


def add_from_option(parser: argparse.ArgumentParser, text: str) -> None:
    """Add --from."""
    parser.add_argument("--from", dest="sources", metavar="DIR", action="append", default=[], help=text)


def load_from(sources: list[str]) -> Load:
    """Return the load between all readings in saved captures, in the order given. Raise UsageError."""
    from pathlib import Path

    from vppcfg.tune.assemble import load_of_captures
    from vppcfg.tune.capture import read_captures

    return load_of_captures([capture for source in sources for capture in read_captures(Path(source))])


def frame_size(text: str) -> float:
    """Return a frame size in bytes. Raise ArgumentTypeError."""
    from vppcfg.common.rates import LARGEST_FRAME, SMALLEST_FRAME

    complaint = f"is no frame size from {SMALLEST_FRAME} to {LARGEST_FRAME} bytes"
    return number_within(text, SMALLEST_FRAME, LARGEST_FRAME, complaint)


def named_rates(texts: list[str]) -> dict[str, float]:
    """Return rates by port of `RATE` and `PORT=RATE`; the former under an empty name. Raise UsageError."""
    from vppcfg.common.rates import parse_figure

    rates: dict[str, float] = {}
    for text in texts:
        port, _, rate = text.rpartition("=")
        if port in rates:
            raise UsageError(f"--offered is given twice for {port or 'all ports'}")
        rates[port] = parse_figure(rate)
        if rates[port] <= 0:
            raise UsageError(f"--offered {text}: a rate must be more than 0")
    return rates


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= _LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0.1 to {_LONGEST_S:.0f}")
    return value


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not 2 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 2 to 1000")
    return int(text)
