"""`vppcfg tune capture`: saves everything that the tuner reads of a running VPP in a folder."""

from __future__ import annotations

import argparse
import logging

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.tune.options import add_live_options, captures_of, reading_plan
from vppcfg.errors import ExitCode, UsageError

log = logging.getLogger(__name__)


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "capture",
        help="save a capture, to analyse it elsewhere",
        description="Read a running VPP several times and save everything in a folder: `vppcfg tune --from DIR` "
        "analyses it on any machine, without a VPP.",
    )
    parser.add_argument("folder", metavar="DIR", help="folder to create, or an empty one")
    add_live_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Save the readings."""
    from pathlib import Path

    from vppcfg.tune.capture import write_captures

    folder = Path(args.folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there and not an empty folder", "name a folder that is new or empty")
    captures = captures_of(reading_plan(args))
    write_captures(captures, folder)
    log.info("Wrote %d readings to %s", len(captures), folder)
    return ExitCode.DONE
