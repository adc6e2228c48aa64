"""`vppcfg metrics`: what a router counts, for Prometheus. It only reads."""

from __future__ import annotations

import argparse
import logging
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from vppcfg.app.signals import Terminated
from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    add_config_option,
    add_dataplane_options,
    add_state_dir_option,
    files_of,
    seconds_between_looks,
    target_of,
)
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.app.monitoring.drift import DriftMetrics
    from vppcfg.app.monitoring.exporter import Exporter

log = logging.getLogger("root.main")
_NAMES_S = 60.0
"""How long a reading that is not repeated waits for what the file calls interfaces."""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "metrics",
        help="serve VPP's counters to Prometheus",
        description="Serve VPP's counters to Prometheus, with the names of the configuration, over HTTP or as a file "
        "for node_exporter's textfile collector, until Ctrl-C or SIGTERM. Workers are not stopped, except for "
        "microseconds when interfaces are created or deleted. Nothing is changed.",
    )
    add_config_option(parser)
    add_dataplane_options(parser)
    parser.add_argument(
        "--stats-socket", metavar="SOCKET", help="VPP's stats socket (default: stats.sock beside the API socket)"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--listen",
        metavar="ADDRESS",
        help="HOST:PORT or [ADDRESS]:PORT to listen on (default: the socket that systemd passes, else 127.0.0.1:9482)",
    )
    where.add_argument("--textfile", metavar="FILE", help="replace a file with the metrics, each --interval")
    where.add_argument("--once", action="store_true", help="write the metrics to standard output and end")
    parser.add_argument(
        "--interval",
        metavar="S",
        type=seconds_between_looks,
        default=15.0,
        help="with --textfile: seconds between two readings (default: %(default)g)",
    )
    parser.add_argument(
        "--drift",
        metavar="S",
        type=seconds_between_looks,
        help="also compare VPP with the file, every S seconds, which reads its whole state",
    )
    parser.add_argument("--no-nodes", action="store_true", help="leave out nodes, which are most of the series")
    parser.add_argument(
        "--no-queues",
        action="store_true",
        help="leave out queues: VPP stops its workers to report which thread serves which",
    )
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Serve metrics until stopped, or write them once; exit 4 when VPP could not be read then."""
    with ExitStack() as stack:
        if args.once:
            return _once(args, stack)
        try:
            if args.textfile is not None:
                _write_again_and_again(args, stack)
            else:
                _serve(args, stack)
        except (KeyboardInterrupt, Terminated):
            log.info("Stopped")
    return ExitCode.DONE


def _once(args: argparse.Namespace, stack: ExitStack) -> ExitCode:
    from vppcfg.cli.output import write_document

    text = _text_of(args, stack, is_patient=True)()
    write_document(text, None)
    return ExitCode.DONE if "\nvpp_up 1\n" in text else ExitCode.DATAPLANE


def _write_again_and_again(args: argparse.Namespace, stack: ExitStack) -> None:
    from vppcfg.cli.output import write_file

    folder = os.path.dirname(os.path.abspath(args.textfile))
    if not os.path.isdir(folder):
        raise UsageError(f"cannot write {args.textfile}: there is no folder {folder}")
    text = _text_of(args, stack, is_patient=False)
    while True:
        try:
            write_file(text(), args.textfile)
        except UsageError as error:
            log.error("%s", error.message)
        time.sleep(args.interval)


def _serve(args: argparse.Namespace, stack: ExitStack) -> None:
    from vppcfg.app.monitoring.exporter import DEFAULT_ADDRESS, Exporter, passed_socket

    text = _text_of(args, stack, is_patient=False)
    passed = passed_socket() if args.listen is None else None
    exporter = stack.enter_context(Exporter(text, address=args.listen or DEFAULT_ADDRESS, passed=passed))
    log.info("Serving metrics on %s", _shown_address(exporter))
    exporter.serve_forever()


def _shown_address(exporter: Exporter) -> str:
    host, port = str(exporter.server_address[0]), exporter.server_address[1]
    return f"http://[{host}]:{port}/metrics" if ":" in host else f"http://{host}:{port}/metrics"


def _text_of(args: argparse.Namespace, stack: ExitStack, *, is_patient: bool) -> Callable[[], str]:
    """Return what reads VPP and returns all metrics; when it `is_patient`, it waits for names and comparison."""
    from vppcfg import __version__
    from vppcfg.app.monitoring.changes import change_status
    from vppcfg.app.monitoring.file_names import NamesOfFile
    from vppcfg.app.monitoring.own_cost import own_cost_lines
    from vppcfg.app.monitoring.reader import RouterReader
    from vppcfg.render.change_metrics import change_lines
    from vppcfg.render.router_metrics import RouterMetrics

    names = NamesOfFile(files_of(args))
    stack.callback(names.close)
    reader = RouterReader(
        args.api_socket,
        args.stats_socket or os.path.join(os.path.dirname(args.api_socket), "stats.sock"),
        json_dir=args.vpp_json_dir,
        file_names=(lambda: names.wait(_NAMES_S)) if is_patient else names,
        has_nodes=not args.no_nodes,
        has_queues=not args.no_queues,
    )
    stack.callback(reader.close)
    metrics, target, drift = RouterMetrics(__version__), target_of(args), _drift(args, stack)

    def text() -> str:
        lines = [*change_lines(change_status(target)), *own_cost_lines()]
        compared = "" if drift is None else drift.wait() if is_patient else drift.text()
        return metrics.text(reader.look()) + "".join(f"{line}\n" for line in lines) + compared

    return text


def _drift(args: argparse.Namespace, stack: ExitStack) -> DriftMetrics | None:
    """Return what compares VPP with the file, where that is asked for."""
    from vppcfg.app.monitoring.drift import DriftMetrics

    if args.drift is None:
        return None
    files = [word for name in args.config for word in ("-c", name)]
    drift = DriftMetrics([*files, *target_of(args).options()], args.drift)
    stack.callback(drift.close)
    return drift
