"""`vppcfg dump`: the state of a running VPP in, a configuration file out that describes it."""

from __future__ import annotations

import argparse

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import add_dataplane_options, target_of
from vppcfg.common.printable import json_text
from vppcfg.errors import ExitCode


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "dump",
        help="write what VPP has as a configuration file",
        description=(
            "Write what VPP has as a configuration file: `vppcfg check` accepts it, and its plan is empty. "
            "What the configuration cannot say is listed under `unmanaged`, with the reason."
        ),
    )
    add_dataplane_options(parser)
    parser.add_argument("-o", "--output", metavar="OUT", help="write to a file (default: standard output)")
    parser.add_argument(
        "--format",
        choices=["yaml", "json"],
        default="yaml",
        help="a configuration (default), or everything that was read as a state document for --state",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Write the configuration, or the state document, of the VPP that the options name."""
    from vppcfg.cli.output import write_document
    from vppcfg.config.dump import write
    from vppcfg.model.state_document import document_of

    with target_of(args).connect() as dataplane:
        state = dataplane.observe()
    if args.format == "json":
        text = json_text(document_of(state), indent=2) + "\n"
    else:
        text = write(state)
    write_document(text, args.output)
    return ExitCode.DONE
