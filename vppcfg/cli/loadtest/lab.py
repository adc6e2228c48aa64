"""`vppcfg loadtest lab`: a device under test and two ends in network namespaces of this machine, made and removed."""

from __future__ import annotations

import argparse
import logging
from typing import TYPE_CHECKING, cast

from vppcfg.cli.arguments import Subparsers, add_repeated_options
from vppcfg.cli.output import print_line
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.loadtest.lab.layout import Layout

log = logging.getLogger(__name__)
DEFAULT_NAME = "lab"
_NAME_HELP = "namespaces are called NAME-left, NAME-right and NAME-dut (default: %(default)s)"


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command and the two below it."""
    parser = subparsers.add_parser(
        "lab",
        help="create a laboratory in network namespaces, or remove it",
        description="Create a device under test between two ends, each in a network namespace of its own, connected by "
        "veth pairs; or remove it with everything that runs in it. This machine's own network is not touched. "
        "Needs root.",
    )
    parser.set_defaults(run=run)
    below = cast(Subparsers, parser.add_subparsers(title="commands", metavar="up|down", dest="lab_command"))
    _add_up(below)
    _add_down(below)
    for child in below.choices.values():
        add_repeated_options(child)


def _add_up(below: Subparsers) -> None:
    parser = below.add_parser(
        "up", help="make a laboratory", description="Create a laboratory, and list its addresses."
    )
    parser.add_argument("--dut", choices=["vpp", "bridge", "router"], required=True, help="the device between the ends")
    parser.add_argument("--name", metavar="NAME", default=DEFAULT_NAME, help=_NAME_HELP)
    parser.add_argument(
        "--link", metavar="SPEED", help="speed at which the device sends: 100M, 1G ... (default: as fast as it can)"
    )
    parser.add_argument(
        "--vpp-prefix", metavar="DIR", default="/usr", help="where bin/vpp is, for --dut vpp (default: %(default)s)"
    )
    parser.set_defaults(run=_up)


def _add_down(below: Subparsers) -> None:
    parser = below.add_parser(
        "down", help="remove a laboratory", description="Remove a laboratory and end everything that runs in it."
    )
    parser.add_argument("--name", metavar="NAME", default=DEFAULT_NAME, help=_NAME_HELP)
    parser.set_defaults(run=_down)


def run(args: argparse.Namespace) -> ExitCode:
    """Refuse a line without a command."""
    raise UsageError("lab needs up or down", "see `vppcfg loadtest lab --help`")


def _up(args: argparse.Namespace) -> ExitCode:
    from functools import partial
    from pathlib import Path

    from vppcfg.common.rates import parse_speed
    from vppcfg.loadtest.lab.build import build
    from vppcfg.loadtest.lab.layout import Dut, layout_of
    from vppcfg.loadtest.lab.vpp import require_vpp, start_vpp

    layout = layout_of(args.name, Dut(args.dut), parse_speed(args.link) if args.link else None)
    prefix = Path(args.vpp_prefix)
    if layout.dut is Dut.VPP:
        require_vpp(prefix)
    build(layout, partial(start_vpp, prefix) if layout.dut is Dut.VPP else None)
    _describe(layout)
    return ExitCode.DONE


def _describe(layout: Layout) -> None:
    """Print what is where, and how to use it."""
    left, right = layout.sides
    print_line(f"{'namespace':<24}{'device':<8}{'MAC address':<20}address")
    for side in layout.sides:
        print_line(f"{side.end.netns:<24}{side.end.device:<8}{side.end.mac:<20}{side.address}")
    for side in layout.sides:
        print_line(
            f"{side.port.netns:<24}{side.port.device:<8}{side.port.mac:<20}{side.port_address or '(bridge br0)'}"
        )
    log.info("Test it with --ports %s,%s, or with `vppcfg loadtest flows --lab %s`", left.end, right.end, layout.name)


def _down(args: argparse.Namespace) -> ExitCode:
    from vppcfg.loadtest.lab.build import remove

    log.info("Removed the laboratory %s" if remove(args.name) else "There is no laboratory %s", args.name)
    return ExitCode.DONE
