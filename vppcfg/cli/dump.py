"""`vppcfg dump`: the state of a running VPP in, a configuration file out that describes it."""

from __future__ import annotations

import argparse
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import (
    add_dataplane_options,
    add_force_option,
    add_reading_option,
    add_state_dir_option,
    refuse_to_overwrite,
    target_of,
)
from vppcfg.common.printable import json_text, printable
from vppcfg.errors import ExitCode, PlanRefusedError, UsageError

if TYPE_CHECKING:
    from vppcfg.entries.configuration import Configuration
    from vppcfg.model.state import State
    from vppcfg.transaction.journal import Journal


log = logging.getLogger("root.main")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "dump",
        help="write VPP's state as a configuration file",
        description=(
            "Write VPP's state as a configuration file: `vppcfg check` accepts it, and its plan is empty. What a "
            "configuration cannot express is listed under `unmanaged`, with the reason."
        ),
    )
    add_dataplane_options(parser)
    add_reading_option(parser)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("-o", "--output", metavar="OUT", help="write to a new file (default: standard output)")
    where.add_argument(
        "--into",
        metavar="FILE",
        help="update a configuration file to VPP's state; its comments and order stay",
    )
    add_force_option(parser)
    parser.add_argument(
        "--format",
        choices=["yaml", "json"],
        default="yaml",
        help="a configuration (default), or the whole state as a document for --state",
    )
    add_state_dir_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Write the configuration, or the state document, of the VPP that the options name."""
    from vppcfg.cli.output import write_document
    from vppcfg.config.valid_dump import left_out_keys, valid_dump
    from vppcfg.model.linux_neighbors import left_in_linux
    from vppcfg.model.live_state import left_out
    from vppcfg.plan.state_document import document_of
    from vppcfg.render.notes import left_out_lines

    if args.into is not None and args.format == "json":
        raise UsageError("--into changes a configuration, which is YAML", "leave --format out")
    if args.force and args.output is None:
        raise UsageError("--force overwrites the file that -o names, and there is no -o", "add -o FILE")
    refuse_to_overwrite(args.output, force=args.force)
    with target_of(args).connect() as dataplane:
        state = dataplane.observe()
    for line in left_out_lines(state.facts.left_out):
        log.warning("%s", line[0].upper() + line[1:])
    if args.into is not None:
        write_into(args.into, with_whole_descriptions(state, target_of(args).journal()), args)
        return ExitCode.DONE
    if args.format == "json":
        text = json_text(document_of(state), indent=2) + "\n"
    else:
        state = with_whole_descriptions(state, target_of(args).journal())
        found = valid_dump(state)
        text = found.text
        for line in (*left_out(state), *left_in_linux(state), *left_out_keys(found)):
            log.warning("%s", line)
    write_document(text, args.output)
    return ExitCode.DONE


def write_into(file_name: str, state: State, args: argparse.Namespace, wanted: str | None = None) -> None:
    """Change a configuration file so that it matches a state, and show on standard error what changes.

    `wanted` is as for `merged_configuration`, whose errors are raised. The file as it was is kept beside it. Raise
    UsageError for a pipe.
    """
    from vppcfg.app.merge_dump import merged_configuration
    from vppcfg.cli.output import write_difference, write_document
    from vppcfg.common.edited_yaml import difference
    from vppcfg.entries.yaml.files import can_be_read_again, read_source

    if not can_be_read_again(file_name):
        raise UsageError("--into cannot write to standard input or a pipe", "name a file")
    before = read_source(file_name).decode(errors="surrogateescape")
    after = merged_configuration(before, file_name, state, wanted)
    if after == before:
        log.info("%s already matches VPP", file_name)
        return
    write_difference(difference(before, after, printable(file_name)), args.color)
    write_document(before, f"{file_name}.before-{args.command}", file_name)
    write_document(after, file_name)


def with_whole_descriptions(state: State, journal: Journal) -> State:
    """Return a state with the descriptions and names of the configuration that was accepted last."""
    from vppcfg.config.dump import with_names_of

    accepted = _accepted_configuration(journal)
    return with_names_of(accepted, state) if accepted else state


def _accepted_configuration(journal: Journal) -> Configuration | None:
    """Return the configuration that was accepted last of those that the journal has, None when it has none."""
    from vppcfg.config.load import parse_text
    from vppcfg.transaction.entry import ACCEPTED

    with suppress(PlanRefusedError):
        for record in journal.newest_first():
            if record.status in ACCEPTED and record.entry.source_digest:
                with suppress(PlanRefusedError):
                    return parse_text(journal.source(record.entry.number), record.entry.source_name).configuration
    return None
