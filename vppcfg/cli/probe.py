"""`vppcfg probe`: sends frames into a VPP, and checks that each goes where the file requires."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    add_config_option,
    add_dataplane_options,
    add_state_dir_option,
    files_of,
    number_within,
    target_of,
)
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.probe.report import ProbeReport

_USUAL_RATE = 10.0
_SLOWEST, _FASTEST = 0.1, 100


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "probe",
        help="prove the configuration with test frames",
        description=(
            "For each interface, sub-interface, cross-connect, bridge domain, tunnel and access list of the file, "
            "build frames that must pass and frames that must not, inject them into a VPP as if they were received by "
            "its ports, trace them, and name the object of the file that is the cause of each unexpected result. "
            "Without --rehearse and --inject, list the frames."
        ),
    )
    add_config_option(parser)
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--list", action="store_true", help="list the frames, and send nothing (default)")
    way.add_argument(
        "--rehearse",
        metavar="PREFIX",
        help=(
            "start the VPP that is installed below this folder (/usr for a package) in namespaces of its own, apply "
            "the file to it, and probe that; nothing else is touched"
        ),
    )
    way.add_argument(
        "--inject",
        action="store_true",
        help=(
            "inject frames into the running VPP: only with documentation addresses, and only frames that end inside "
            "VPP; if one leaves by a port after all, stop"
        ),
    )
    parser.add_argument(
        "--out-of-ports",
        action="store_true",
        help="with --inject: also send frames that leave by ports or are answered",
    )
    parser.add_argument(
        "--rate",
        metavar="N",
        type=_rate,
        help=f"with --inject: frames a second, {_FASTEST} at most (default: {_USUAL_RATE:g})",
    )
    parser.add_argument("-y", "--yes", action="store_true", help="with --inject: do not ask before frames are sent")
    add_dataplane_options(parser)
    add_state_dir_option(parser)
    parser.add_argument(
        "--format", choices=["text", "json"], default="text", help="for people (default), or one JSON object"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """List what would be sent, or send it; exit 10 when a frame goes elsewhere than the file requires."""
    _check_options(args)
    from vppcfg.app.loading import load_configuration
    from vppcfg.cli.console import terminal_for
    from vppcfg.cli.output import write_document
    from vppcfg.render import probe_text

    console = terminal_for(args)
    configuration, loaded = load_configuration(files_of(args), console)
    if args.inject:
        from vppcfg.app.injecting import InjectTerms, inject

        terms = InjectTerms(rate=args.rate or _USUAL_RATE, may_leave=args.out_of_ports)
        return _report(inject(configuration, loaded, target_of(args), terms, console, console.agrees_to_send), args)
    if args.rehearse is None:
        from vppcfg.app.rehearsing import probe_set_for

        probe_set = probe_set_for(configuration)
        if args.format == "json":
            write_document(_json(probe_text.probe_set_document(probe_set)), None)
        else:
            write_document("".join(f"{line}\n" for line in probe_text.probe_set_lines(probe_set)), None)
        return ExitCode.DONE
    from functools import partial
    from pathlib import Path

    from vppcfg.app.foreign_files import foreign_reason
    from vppcfg.app.rehearsing import rehearse

    return _report(rehearse(configuration, Path(args.rehearse), partial(foreign_reason, loaded)), args)


def _check_options(args: argparse.Namespace) -> None:
    """Raise UsageError for options about frames into a running VPP, when none are sent there."""
    if not args.inject and (args.out_of_ports or args.rate is not None or args.yes):
        raise UsageError("--out-of-ports, --rate and --yes are about --inject", "without it nothing leaves vppcfg")


def _rate(text: str) -> float:
    """Return a rate in an argument. Raise ArgumentTypeError."""
    complaint = f"is not a number of frames a second from {_SLOWEST:g} to {_FASTEST}"
    return number_within(text, _SLOWEST, _FASTEST, complaint)


def _report(report: ProbeReport, args: argparse.Namespace) -> ExitCode:
    from vppcfg.cli.output import write_document
    from vppcfg.render import probe_text

    if args.format == "json":
        write_document(_json(probe_text.report_document(report)), None)
    else:
        write_document("".join(f"{line}\n" for line in probe_text.report_lines(report)), None)
    return ExitCode.DRIFT if report.suspects else ExitCode.DONE


def _json(document: dict[str, Any]) -> str:
    import json

    return f"{json.dumps(document, indent=2)}\n"
