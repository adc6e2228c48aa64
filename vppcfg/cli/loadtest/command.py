"""`vppcfg loadtest`: the command above those that load a router and report what it did."""

from __future__ import annotations

import argparse
from typing import cast

from vppcfg.cli.arguments import CommandModule, Subparsers, add_repeated_options
from vppcfg.cli.loadtest import astf, flows, lab, latency, ramp, report, search, trex_config, watch
from vppcfg.cli.tune import linerate
from vppcfg.errors import ExitCode, UsageError

SUBCOMMANDS: tuple[CommandModule, ...] = (
    ramp, search, latency, astf, flows, watch, lab, report, trex_config, linerate,
)  # fmt: skip
"""In the order of `vppcfg loadtest --help`."""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command and those below it."""
    parser = subparsers.add_parser(
        "loadtest",
        help="load a router, and report what it forwards",
        description="Offer traffic to a router with a generator, count what comes back, and report how much it "
        "forwards, where loss begins, and what latency it adds.",
        epilog="`vppcfg loadtest COMMAND --help` lists the arguments of a command.",
    )
    parser.set_defaults(run=run)
    added = parser.add_subparsers(title="commands", metavar="COMMAND", dest="loadtest_command")
    below = cast(Subparsers, added)
    for command in SUBCOMMANDS:
        command.add_parser(below)
    for child in below.choices.values():
        add_repeated_options(child)


def run(args: argparse.Namespace) -> ExitCode:
    """Refuse a line without a command."""
    raise UsageError("loadtest needs a command", "`vppcfg loadtest --help` lists them")
