"""`vppcfg sim`: a simulated VPP behind the real binary API, until it is told to stop. Opens one socket, no network."""

from __future__ import annotations

import argparse
import logging

from vppcfg.cli.arguments import Subparsers
from vppcfg.errors import ExitCode

log = logging.getLogger(__name__)


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "sim",
        help="run a simulated VPP, to try things on",
        description="Run a simulated VPP behind the real binary API until Ctrl-C or SIGTERM.",
    )
    parser.add_argument("--socket", metavar="PATH", required=True, help="API socket to make; a stale one is replaced")
    parser.add_argument(
        "--phy",
        metavar="PORT",
        action="append",
        default=[],
        help="a physical port: NAME[,class=dpdk][,link-mtu=9000][,packet-mtu=9000][,mac=MAC]"
        "[,max-link-mtu=N][,mtu-when-down]; may be given again",
    )
    parser.add_argument("--state", metavar="FILE", help="start with the state in this JSON or YAML file")
    parser.add_argument("--version", metavar="VERSION", help="VPP's release or version text (default: the newest)")
    parser.add_argument("--api-dir", metavar="DIR", help="write VPP's API definitions (*.api.json) there")
    faults = parser.add_argument_group("faults", "The messages that change something are counted from 1.")
    faults.add_argument("--fail-at", metavar="N", type=_positive, help="refuse the Nth message")
    faults.add_argument("--die-at", metavar="N", type=_positive, help="exit at the Nth message, without an answer")
    faults.add_argument("--mute-at", metavar="N", type=_positive, help="answer nothing from the Nth message on")
    faults.add_argument("--delay", metavar="S", type=_seconds, default=0.0, help="seconds before each answer")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Serve until told to stop, and remove the socket."""
    from pathlib import Path

    from vppcfg.cli.signals import Terminated
    from vppcfg.cli.state_file import read_state
    from vppcfg.simulator.api_json import write_api_dir
    from vppcfg.simulator.faults import Faults
    from vppcfg.simulator.port import parse_port
    from vppcfg.simulator.releases import NEWEST, release_of
    from vppcfg.simulator.server import SimulatorServer
    from vppcfg.simulator.vpp import SimulatedVpp

    version = args.version or NEWEST
    release = release_of(version).name
    vpp = SimulatedVpp(
        state=read_state(args.state) if args.state else None,
        ports=[parse_port(text) for text in args.phy],
        release=release,
        version=None if version == release else version,
        faults=Faults(fail_at=args.fail_at, die_at=args.die_at, mute_at=args.mute_at, delay_s=args.delay),
    )
    if args.api_dir is not None:
        write_api_dir(Path(args.api_dir), release)
    server = SimulatorServer(vpp, args.socket, on_death=lambda: log.info("Died at message %d, as told", args.die_at))
    try:
        server.listen()
        log.info("VPP %s is listening on %s", vpp.version, args.socket)
        server.run()
    except (KeyboardInterrupt, Terminated):
        log.info("Stopped")
    finally:
        server.stop()
    return ExitCode.DONE


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to 3600")
    return value
