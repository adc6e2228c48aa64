"""`vppcfg top`: what a router does now, on a whole screen. It only reads."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from vppcfg.app.signals import Terminated
from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    add_config_option,
    add_dataplane_options,
    add_state_dir_option,
    files_of,
    number_within,
    seconds_between_looks,
    target_of,
)
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.app.monitoring.drift import DriftMetrics
    from vppcfg.app.monitoring.following import RouterFollower
    from vppcfg.cli.top_view import Choice

log = logging.getLogger("root.main")
PAGES = ("interfaces", "workers", "nodes", "drops")
_NAMES_S = 60.0
"""How long who looks once waits for what the file calls interfaces."""
_PIPED = 1000
"""Columns where no terminal has fewer: a name or description is cut nowhere."""
_NODES_S = 25.0
"""How long for VPP to refresh its counters of nodes, which it does every 10 s."""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "top",
        help="show VPP's load live, full-screen",
        description="Show VPP's load live: workers, interfaces, queues, nodes, drops by reason, sessions, the last "
        "change, and the tuner's verdict in a line. It needs no configuration file and no setting in VPP. "
        "Workers are not stopped, except for microseconds when interfaces are created or deleted. Nothing is changed.",
    )
    add_config_option(parser)
    add_dataplane_options(parser)
    parser.add_argument(
        "--stats-socket", metavar="SOCKET", help="VPP's stats socket (default: stats.sock beside the API socket)"
    )
    parser.add_argument(
        "--interval",
        metavar="S",
        type=_seconds,
        default=2.0,
        help="seconds between two readings (default: %(default)g)",
    )
    parser.add_argument("--page", choices=PAGES, default="interfaces", help="what to begin with (default: %(default)s)")
    parser.add_argument("--interface", metavar="NAME", help="begin with the details of one interface")
    parser.add_argument("--filter", metavar="TEXT", default="", help="show only rows whose names contain this")
    parser.add_argument("--once", action="store_true", help="write one page to standard output; exit 4 without a VPP")
    parser.add_argument("--json", action="store_true", help="write a JSON object per reading, with --once only one")
    parser.add_argument(
        "--drift",
        metavar="S",
        type=seconds_between_looks,
        help="also compare VPP with the file, every S seconds, which reads its whole state",
    )
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    return number_within(text, 0.5, 3600.0, "is not a number of seconds from 0.5 to 3600")


def run(args: argparse.Namespace) -> ExitCode:
    """Show the router until the command is ended, or once."""
    from vppcfg.cli.output import ReaderLeftError, is_terminal
    from vppcfg.cli.top_view import Choice, Page

    is_screen = not args.once and not args.json
    if is_screen and not (is_terminal(sys.stdout) and is_terminal(sys.stdin)):
        raise UsageError("a whole screen needs a terminal", "use --once or --json")
    choice = Choice(page=Page(args.page), filter=args.filter)
    if args.interface is not None:
        choice.page, choice.detail = Page.INTERFACES, args.interface
    with ExitStack() as stack:
        following = _following(args, stack)
        try:
            if not is_screen:
                return _write(args, following, choice)
            _show(args, following, choice)
        except ReaderLeftError:
            log.debug("The reader left")
        except (KeyboardInterrupt, Terminated):
            if args.once:
                raise
            log.debug("Stopped")
    return ExitCode.DONE


def _following(args: argparse.Namespace, stack: ExitStack) -> RouterFollower:
    from vppcfg.app.monitoring.changes import change_status
    from vppcfg.app.monitoring.file_names import NamesOfFile
    from vppcfg.app.monitoring.following import RouterFollower
    from vppcfg.app.monitoring.reader import RouterReader

    names = NamesOfFile(files_of(args))
    stack.callback(names.close)
    reader = RouterReader(
        args.api_socket,
        args.stats_socket or os.path.join(os.path.dirname(args.api_socket), "stats.sock"),
        json_dir=args.vpp_json_dir,
        file_names=(lambda: names.wait(_NAMES_S)) if args.once else names,
    )
    stack.callback(reader.close)
    target = target_of(args)
    return RouterFollower(reader, lambda: change_status(target), _drift(args, stack))


def _drift(args: argparse.Namespace, stack: ExitStack) -> DriftMetrics | None:
    """Return what compares VPP with the file, where that is asked for."""
    from vppcfg.app.monitoring.drift import DriftMetrics

    if args.drift is None:
        return None
    files = [word for name in args.config for word in ("-c", name)]
    drift = DriftMetrics([*files, *target_of(args).options()], args.drift)
    stack.callback(drift.close)
    return drift


def _write(args: argparse.Namespace, following: RouterFollower, choice: Choice) -> ExitCode:
    """Write what is seen between two looks, once or again and again."""
    from vppcfg.cli.output import is_terminal, write, write_while_read
    from vppcfg.cli.top_document import document_of_view
    from vppcfg.cli.top_view import whole
    from vppcfg.common.printable import json_text

    following.look()
    put = write if args.once else write_while_read
    patience_s = _NODES_S if args.once and args.page == "nodes" else 0.0
    while True:
        time.sleep(args.interval)
        view, patience_s = following.look(), patience_s - args.interval
        if patience_s > 0 and not view.rates.has_nodes:
            continue
        if args.json:
            put(json_text(document_of_view(view)) + "\n", sys.stdout)
        else:
            width = os.get_terminal_size(sys.stdout.fileno()).columns if is_terminal(sys.stdout) else _PIPED
            put("".join(f"{line}\n" for line in whole(view, choice, max(width, 80))), sys.stdout)
        if args.once:
            return ExitCode.DONE if view.snapshot.counters is not None else ExitCode.DATAPLANE


def _show(args: argparse.Namespace, following: RouterFollower, choice: Choice) -> None:
    from vppcfg.cli.output import ColourChoice, paint_for

    try:
        from vppcfg.cli.top_screen import run_screen
    except ImportError as error:
        raise UsageError(f"this Python has no curses ({error})", "use --once or --json") from error
    is_coloured = paint_for(sys.stdout, ColourChoice(args.color)).is_on
    quiet = logging.getLogger()
    before = quiet.level
    quiet.setLevel(logging.CRITICAL)  # a line of the log would tear the screen
    try:
        run_screen(following, choice, args.interval, is_coloured=is_coloured)
    finally:
        quiet.setLevel(before)
