"""`vppcfg probe`: packets as proof that a VPP does with frames what the file says."""

from __future__ import annotations

import argparse
from typing import Any

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import add_config_option, files_of
from vppcfg.errors import ExitCode


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "probe",
        help="send frames that prove what the file says",
        description=(
            "For each interface, sub-interface, cross-connect, bridge domain, tunnel and access list of the file, "
            "build frames that must pass and frames that must not, send them into a VPP as if they came in by its "
            "ports, follow them, and say which object of the file is to blame where one went elsewhere. Without "
            "--rehearse, list what would be sent."
        ),
    )
    add_config_option(parser)
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--list", action="store_true", help="list what would be sent, and send nothing (default)")
    way.add_argument(
        "--rehearse",
        metavar="PREFIX",
        help=(
            "start the VPP that is installed below this folder (/usr for a package) in namespaces of its own, bring it "
            "to the file, and probe that; nothing else is touched"
        ),
    )
    parser.add_argument(
        "--format", choices=["text", "json"], default="text", help="for people (default), or one JSON object"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """List what would be sent, or send it; exit 10 when a frame goes elsewhere than the file says."""
    from vppcfg.app.loading import load_configuration
    from vppcfg.cli.console import terminal_for
    from vppcfg.cli.output import write_document
    from vppcfg.render import probe_text

    configuration, _ = load_configuration(files_of(args), terminal_for(args))
    if args.rehearse is None:
        from vppcfg.app.rehearsing import campaign_for

        campaign = campaign_for(configuration)
        if args.format == "json":
            write_document(_json(probe_text.campaign_document(campaign)), None)
        else:
            write_document("".join(f"{line}\n" for line in probe_text.campaign_lines(campaign)), None)
        return ExitCode.DONE
    from pathlib import Path

    from vppcfg.app.rehearsing import rehearse

    report = rehearse(configuration, Path(args.rehearse))
    if args.format == "json":
        write_document(_json(probe_text.report_document(report)), None)
    else:
        write_document("".join(f"{line}\n" for line in probe_text.report_lines(report)), None)
    return ExitCode.DRIFT if report.suspects else ExitCode.DONE


def _json(document: dict[str, Any]) -> str:
    import json

    return f"{json.dumps(document, indent=2)}\n"
