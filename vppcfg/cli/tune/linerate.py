"""`vppcfg tune linerate`, also `vppcfg loadtest linerate`: shows how many packets per second a link carries."""

from __future__ import annotations

import argparse

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.output import print_line
from vppcfg.cli.tune.options import frame_size
from vppcfg.errors import ExitCode

_SIZES = (64.0, 128.0, 256.0, 512.0, 1024.0, 1280.0, 1518.0, 9018.0)
_MOST_CROSSINGS = 100


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "linerate",
        help="packets per second that a link can carry",
        description="Show how many packets per second a link carries in one direction, of one frame size or of the "
        "usual ones. A frame counts with its checksum and without VLAN tags; 20 bytes of preamble and gap come on top.",
    )
    parser.add_argument("speed", metavar="SPEED", help="speed of the link: 100M, 1G, 2.5G, 10G ...")
    parser.add_argument("--frame", metavar="BYTES", type=frame_size, help="frame size (default: a table of sizes)")
    parser.add_argument("--vlan", metavar="TAGS", type=int, choices=(0, 1, 2), default=0, help="VLAN tags: 0, 1 or 2")
    parser.add_argument(
        "--crossings",
        metavar="N",
        type=crossings,
        default=1,
        help="how often each packet crosses the link in the same direction, as through a loop (default: %(default)s)",
    )
    parser.set_defaults(run=run)


def crossings(text: str) -> int:
    """Return how often packets cross a link. Raise ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= _MOST_CROSSINGS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST_CROSSINGS}")
    return int(text)


def run(args: argparse.Namespace) -> ExitCode:
    """Show the rates."""
    from vppcfg.common.rates import line_rate_pps, parse_speed

    speed = parse_speed(args.speed)
    if args.frame is not None:
        print_line(f"{int(line_rate_pps(speed, args.frame, args.vlan) / args.crossings):,} pps")
        return ExitCode.DONE
    for size in _SIZES:
        print_line(f"{size:6.0f} bytes  {int(line_rate_pps(speed, size, args.vlan) / args.crossings):>13,} pps")
    return ExitCode.DONE
