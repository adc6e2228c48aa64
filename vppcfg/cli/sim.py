"""`vppcfg sim`: a simulated VPP behind the real binary API, until it is stopped. Opens one socket, no network."""

from __future__ import annotations

import argparse
import logging
import math
import os
from collections.abc import Callable, Container
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.errors import ExitCode

if TYPE_CHECKING:
    from vppcfg.simulator.faults import Faults

log = logging.getLogger(__name__)

_MOST_WORKERS = 255


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "sim",
        help="run a simulated VPP, for tests and demos",
        description="Run a simulated VPP behind the real binary API until Ctrl-C or SIGTERM.",
    )
    parser.add_argument("--socket", metavar="PATH", required=True, help="API socket to create; a stale one is replaced")
    parser.add_argument(
        "--phy",
        metavar="PORT",
        action="append",
        default=[],
        help="a physical port: NAME[,class=dpdk][,link-mtu=9000][,packet-mtu=9000][,mac=MAC]"
        "[,max-link-mtu=N][,mtu-when-down][,rx-queues=1][,tx-queues=1]; may be given again",
    )
    parser.add_argument(
        "--workers", metavar="N", type=_number, help="number of workers (default: as in --state, else none)"
    )
    parser.add_argument("--state", metavar="FILE", help="start with the state in this JSON or YAML file")
    parser.add_argument("--version", metavar="VERSION", help="VPP's release or version text (default: the newest)")
    parser.add_argument("--api-dir", metavar="DIR", help="write VPP's API definitions (*.api.json) there")
    parser.add_argument(
        "--stats-socket",
        metavar="PATH",
        help="stats socket to create (default: stats.sock beside the API socket, if it is free)",
    )
    _add_fault_options(parser)
    parser.set_defaults(run=run)


def _add_fault_options(parser: argparse.ArgumentParser) -> None:
    faults = parser.add_argument_group(
        "faults", "The messages that change something are counted from 1. LIST is N, N-M, N- or several: 2,5-."
    )

    def add(name: str, metavar: str, kind: Callable[[str], object], text: str, default: object = None) -> None:
        faults.add_argument(name, metavar=metavar, type=kind, help=text, default=default)

    add("--fail-at", "LIST", _occasions, "refuse these messages")
    add("--lie-at", "LIST", _occasions, "carry these out, but answer that they failed")
    add("--skip-at", "LIST", _occasions, "answer that these succeeded, but do nothing")
    add("--late-at", "LIST", _occasions, "answer these --late seconds later, after the messages that follow them")
    add("--late", "S", _seconds, "seconds that --late-at means (default: 1)", 1.0)
    add("--die-at", "N", _positive, "exit at the Nth message, without an answer")
    add("--restart", "S", _seconds, "S seconds after --die-at, start again unconfigured, with the same ports")
    add("--hang-at", "N", _positive, "hang at the Nth message")
    add("--hang", "S", _seconds, "seconds that --hang-at means (default: for ever)", math.inf)
    add("--mute-at", "N", _positive, "answer nothing from the Nth message on")
    add("--pace", "S", _seconds, "seconds before each message that changes something", 0.0)
    add("--delay", "S", _seconds, "seconds before each answer", 0.0)


def run(args: argparse.Namespace) -> ExitCode:
    """Serve until stopped, and remove the socket."""
    from pathlib import Path

    from vppcfg.app.loading import read_state
    from vppcfg.app.signals import Terminated
    from vppcfg.simulator.api import write_api_dir
    from vppcfg.simulator.port import parse_port
    from vppcfg.simulator.releases import NEWEST, release_of
    from vppcfg.simulator.server import SimulatorServer
    from vppcfg.simulator.vpp import SimulatedVpp

    version = args.version or NEWEST
    release = release_of(version).name
    vpp = SimulatedVpp(
        state=read_state(args.state) if args.state else None,
        ports=[parse_port(text) for text in args.phy],
        workers=args.workers,
        release=release,
        version=None if version == release else version,
        faults=_faults(args),
    )
    if args.api_dir is not None:
        write_api_dir(Path(args.api_dir), release)
    stats_path = _stats_path(args)
    server = SimulatorServer(vpp, args.socket, stats_path=stats_path, on_death=lambda: _log_how_it_ended(args))
    try:
        server.listen()
        log.info("VPP %s is listening on %s", vpp.version, args.socket)
        server.run()
    except (KeyboardInterrupt, Terminated):
        log.info("Stopped")
    finally:
        server.stop()
    return ExitCode.DONE


def _faults(args: argparse.Namespace) -> Faults:
    from vppcfg.simulator.faults import Faults

    return Faults(
        fail_at=args.fail_at,
        lie_at=args.lie_at,
        skip_at=args.skip_at,
        late_at=args.late_at,
        late_s=args.late,
        die_at=args.die_at,
        restart_s=args.restart,
        hang_at=args.hang_at,
        hang_s=args.hang,
        mute_at=args.mute_at,
        pace_s=args.pace,
        delay_s=args.delay,
    )


def _stats_path(args: argparse.Namespace) -> str | None:
    """Return where the stats segment is to be had; None where the usual place is another VPP's."""
    import socket
    from pathlib import Path

    from vppcfg.simulator.sockets import is_answered

    if args.stats_socket is not None:
        return str(args.stats_socket)
    path = Path(os.path.dirname(args.socket), "stats.sock")
    try:
        is_free = not path.exists() or (path.is_socket() and not is_answered(path, socket.SOCK_SEQPACKET))
    except OSError:
        is_free = False
    if is_free and path != Path(args.socket):
        return str(path)
    log.warning("There is no stats segment: something else is at %s", path)
    return None


def _log_how_it_ended(args: argparse.Namespace) -> None:
    log.info("Died at message %d, as requested with --die-at", args.die_at)
    if args.restart is not None:
        log.info("Starting again in %g s, unconfigured", args.restart)


def _occasions(text: str) -> Container[int]:
    from vppcfg.simulator.faults import parse_occasions

    try:
        return parse_occasions(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers from 1, such as 3 or 2,5-7 or 4-") from None


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) > _MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {_MOST_WORKERS}")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 3600")
    return value
