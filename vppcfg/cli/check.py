"""`vppcfg check`: a configuration file in, its problems out. Needs no VPP and looks for none."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import add_config_option
from vppcfg.cli.output import paint_for, say
from vppcfg.common.printable import json_text
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.common.release import Release


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "check",
        help="validate a configuration file; needs no VPP",
        description="Validate a configuration file and show every problem. Exits 3 when one of them is an error.",
    )
    add_config_option(parser)
    parser.add_argument(
        "--for",
        dest="release",
        metavar="RELEASE",
        help="also look for what VPP of this release, such as 24.10, cannot do",
    )
    parser.add_argument("--format", choices=["text", "json"], default="text", help="for people (default) or programs")
    parser.set_defaults(run=run)


def _release(text: str | None) -> Release | None:
    """Return the release that is named. Raise UsageError for one that vppcfg does not know."""
    if text is None:
        return None
    from vppcfg.common.release import NEWEST, OLDEST, release_of

    known = f"vppcfg knows those from {OLDEST} to {NEWEST}"
    try:
        release = release_of(text)
    except ValueError as error:
        raise UsageError(str(error), known) from error
    if not OLDEST <= release <= NEWEST:
        raise UsageError(f"nothing is known of VPP {release}", known)
    return release


def run(args: argparse.Namespace) -> ExitCode:
    """Show the problems of `args.config` on standard output."""
    from vppcfg.app.loading import read
    from vppcfg.cli.problems import document, report

    release = _release(args.release)
    loaded = read(args.config, release)
    if args.format == "json":
        say(json_text(document(loaded.problems, args.config), indent=2))
    else:
        report(loaded.problems, args.config, sys.stdout, paint_for(sys.stdout, args.color))
    return ExitCode.DONE if loaded.configuration is not None else ExitCode.INVALID
