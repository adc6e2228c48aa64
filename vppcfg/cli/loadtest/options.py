"""The options that several load tests share, and the kinds of arguments that they take."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from vppcfg.cli.options import output_file
from vppcfg.cli.tune.linerate import crossings

if TYPE_CHECKING:
    from vppcfg.loadtest.load import LineRate

ENGINES = ("trex", "trafgen", "simulated")
_LONGEST_S = 24 * 3600
LAST_PORT = 65535


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Add what names the generator and its ports."""
    group = parser.add_argument_group("generator")
    group.add_argument(
        "--engine",
        choices=ENGINES,
        help="generator of the traffic (default: trex for ports with numbers, trafgen for devices of Linux)",
    )
    group.add_argument(
        "-s", "--server", metavar="HOST[:PORT]", default="127.0.0.1", help="where T-Rex runs (default: %(default)s)"
    )
    group.add_argument(
        "--ports",
        metavar="A,B",
        default="0,1",
        help="the generator's ports, two per path; traffic goes from the first of each pair to the second, and back; "
        "trafgen's are DEVICE or NETNS/DEVICE (default: %(default)s)",
    )
    group.add_argument(
        "--next-mac",
        metavar="PORT=MAC",
        action="append",
        default=[],
        help="where trafgen's frames go from a port (default: to its neighbour, when Linux knows of one)",
    )
    group.add_argument(
        "--force", action="store_true", help="take over ports that another user owns; their traffic stops"
    )
    group.add_argument(
        "--device",
        metavar="KEY=VALUE,...",
        default="",
        help="properties of --engine simulated: capacity (1M, packets per second), loss, collapse, jitter (shares), "
        "latency (us), link (1G), generator (packets per second that it can send), seed, pace (seconds per simulated "
        "one)",
    )


def add_traffic_options(parser: argparse.ArgumentParser) -> None:
    """Add what is sent, and over which path."""
    group = parser.add_argument_group("traffic")
    group.add_argument(
        "-p",
        "--profile",
        metavar="NAME",
        default="imix",
        help="bench, imix or udp_1pkt; T-Rex's file names (imix.py) also work (default: %(default)s)",
    )
    group.add_argument("--size", metavar="BYTES", help="frames of bench: their size, or imix (default: 64)")
    group.add_argument("--vm", metavar="NAME", help="what varies in bench: none, var1 or var2 (default: none)")
    group.add_argument("--offset", metavar="N", type=int, help="third octet of all addresses (default: 0)")
    group.add_argument(
        "-t",
        "--tunables",
        metavar="KEY=VALUE,...",
        default="",
        help="the three options before in one: size=64,vm=var2,offset=10",
    )
    ways = group.add_mutually_exclusive_group()
    ways.add_argument(
        "-u", "--unidirectional", action="store_true", help="send from the first port of each pair to the second only"
    )
    ways.add_argument("--bidirectional", action="store_true", help="send both ways, as without this option")
    group.add_argument("--link", metavar="SPEED", help="speed of the links, where the generator's ports are faster: 1G")
    group.add_argument(
        "--vlan", metavar="TAGS", type=int, choices=(0, 1, 2), default=0, help="VLAN tags that the path adds: 0, 1 or 2"
    )
    group.add_argument(
        "--crossings",
        metavar="N",
        type=crossings,
        default=1,
        help="how often each packet crosses the slowest link in the same direction (default: %(default)s)",
    )


def add_result_options(parser: argparse.ArgumentParser, default: str | None, *, is_shown: bool = False) -> None:
    """Add what happens to the result; `is_shown`: without a file it goes into a pipe."""
    shown = " (default: -)" if default else ""
    group = add_output_options(parser, " (default: only if that is no terminal)" if is_shown else shown, default)
    group.add_argument(
        "--baseline",
        metavar="FILE",
        help="a result of the generator with its ports connected to each other, to show beside this one",
    )


def add_output_options(
    parser: argparse.ArgumentParser, shown: str = "", default: str | None = None
) -> argparse._ArgumentGroup:
    """Add where the result is written, and its title; return their group. `shown` is the default in the help."""
    group = parser.add_argument_group("result")
    text = f"write the result as JSON, - for standard output{shown}"
    group.add_argument("-o", "--output", metavar="FILE", type=output_file, default=default, help=text)
    group.add_argument("--title", metavar="TEXT", default="", help="title of the result in reports")
    return group


def add_duration_option(group: argparse._ArgumentGroup, *names: str, default: int, text: str) -> None:
    """Add a duration in whole seconds; `text` describes it in the help, before the default."""
    group.add_argument(*names, metavar="S", type=whole_seconds, default=default, help=f"{text} (default: %(default)s)")


def add_settle_option(group: argparse._ArgumentGroup) -> None:
    """Add how long packets may be on their way."""
    group.add_argument(
        "--settle",
        metavar="S",
        type=seconds,
        default=2.0,
        help="seconds between the end of the traffic and its count (default: %(default)g)",
    )


def whole_seconds(text: str) -> int:
    """Return a number of seconds from 0 to a day. Raise ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal()) or int(text) > _LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to {_LONGEST_S}")
    return int(text)


def percentage(text: str) -> float:
    """Return a percentage from 0 to 100, without its sign. Raise ArgumentTypeError."""
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage from 0 to 100")
    return value


def seconds(text: str) -> float:
    """Return a number of seconds from 0 to a day. Raise ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= _LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to {_LONGEST_S}")
    return value


def load_or_percent(text: str, line_rate: LineRate) -> float:
    """Return packets per second of a load; a bare number is percent of line rate. Raise UsageError."""
    from vppcfg.loadtest.load import parse_load

    return parse_load(text if text[-1:].isalpha() or text.endswith("%") else f"{text}%", line_rate)


def port_number(text: str) -> int:
    """Return a port from 1 to 65535. Raise ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port from 1 to {LAST_PORT}")
    return int(text)


def ports(text: str) -> tuple[int, ...]:
    """Return the ports of a list such as `40000,40001`. Raise ArgumentTypeError."""
    return tuple(port_number(word.strip()) for word in text.split(",") if word.strip())
