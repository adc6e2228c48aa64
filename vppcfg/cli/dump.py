"""`vppcfg dump`: the state of a running VPP in, a configuration file out that describes it."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import add_dataplane_options, add_state_dir_option, target_of
from vppcfg.common.printable import json_text
from vppcfg.errors import ExitCode, PlanRefusedError

if TYPE_CHECKING:
    from vppcfg.config.configuration import Configuration
    from vppcfg.model.state import State
    from vppcfg.transaction.journal import Journal


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
    add_state_dir_option(parser)
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
        text = write(with_whole_descriptions(state, target_of(args).journal()))
    write_document(text, args.output)
    return ExitCode.DONE


def with_whole_descriptions(state: State, journal: Journal) -> State:
    """Return a state with the descriptions and names of the configuration that was accepted last."""
    from vppcfg.config.dump import with_names_of

    accepted = _accepted_configuration(journal)
    return with_names_of(accepted, state) if accepted else state


def _accepted_configuration(journal: Journal) -> Configuration | None:
    """Return the configuration that was accepted last of those that the journal has, None when it can tell of none."""
    from vppcfg.config import parse_text
    from vppcfg.transaction.entry import ACCEPTED

    with suppress(PlanRefusedError):
        for record in journal.newest_first():
            if record.status in ACCEPTED and record.entry.source_digest:
                with suppress(PlanRefusedError):
                    return parse_text(journal.source(record.entry.number), record.entry.source_name).configuration
    return None
