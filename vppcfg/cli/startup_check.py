"""`vppcfg startup check`: checks any startup.conf, with or without a machine."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vppcfg.app.default_paths import STARTUP_CONF
from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import add_allow_option, known_release
from vppcfg.cli.output import paint_for, print_line
from vppcfg.common.printable import json_text, printable
from vppcfg.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from vppcfg.common.release import Release
    from vppcfg.startup.lint.finding import ConfJudgement, ConfSurroundings

FORMAT_VERSION = 1
"""Of the JSON document; grows when a reader of the former one would misread it."""
_LIMIT_BYTES = 16 << 20


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "check",
        help="check a startup.conf",
        description=(
            "Check a startup.conf: its syntax, its words in each release of VPP, the consistency of its values, "
            "whether a machine has the resources, and VPP's defaults for what is absent. Exits 3 when VPP does not "
            "start with it, or ignores a part of it."
        ),
    )
    parser.add_argument(
        "checked_file",
        metavar="FILE",
        nargs="?",
        help=f"the file, - for standard input (default: /{STARTUP_CONF}, below the directory of --root)",
    )
    parser.add_argument(
        "--vpp-version",
        dest="checked_version",
        metavar="VERSION",
        help="check for this release of VPP, such as 24.10 (default: for all from 23.06 on)",
    )
    machine = parser.add_mutually_exclusive_group()
    machine.add_argument(
        "--host",
        dest="checked_host",
        metavar="FILE",
        help="also check against the machine of this inventory, written by `vppcfg host -o`",
    )
    machine.add_argument(
        "--root",
        dest="checked_root",
        metavar="DIR",
        help="also check against the machine whose proc, sys and etc are below this directory; / is this machine",
    )
    parser.add_argument(
        "--plugins",
        metavar="DIR",
        help="the directory of VPP's plugins, to see which are installed (default: assume all plugins of the release)",
    )
    add_allow_option(parser)
    parser.add_argument("--strict", action="store_true", help="exit 3 after a warning too")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="for people (default) or programs")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Show what is wrong with the file on standard output."""
    from vppcfg.cli.problems import report
    from vppcfg.model.problem import Severity
    from vppcfg.startup.lint.lint import judge

    name, text = _source(args)
    known = _surroundings(args, text)
    judgement = judge(text, _releases(args.checked_version), known)
    if args.format == "json":
        print_line(json_text(document(judgement, name), indent=2))
    else:
        report(judgement.problems, name, sys.stdout, paint_for(sys.stdout, args.color), _scope(judgement))
    worst = {problem.severity for problem in judgement.problems}
    is_refused = Severity.ERROR in worst or (args.strict and Severity.WARNING in worst)
    return ExitCode.INVALID if is_refused else ExitCode.DONE


def document(judgement: ConfJudgement, file_name: str) -> dict[str, Any]:
    """Return a judgement as data for JSON."""
    from vppcfg.cli.problems import document as problems_document
    from vppcfg.startup.lint.finding import NEEDS

    whole = problems_document(judgement.problems, file_name)
    entries = [
        {
            **entry,
            "level": finding.level.value,
            "releases": [str(release) for release in finding.releases],
            "needs": NEEDS.get(finding.level),
        }
        for entry, finding in zip(whole["problems"], judgement.findings, strict=True)
    ]
    return {
        **whole,
        "format_version": FORMAT_VERSION,
        "levels": [level.value for level in judgement.levels],
        "releases": [str(release) for release in judgement.releases],
        "stopped": [str(release) for release in judgement.stopped],
        "problems": entries,
    }


def _scope(judgement: ConfJudgement) -> str:
    """Return what was judged, and what more could be, for the last line."""
    from vppcfg.startup.lint.finding import Level

    judged = ", ".join(level.value for level in judgement.levels)
    first, last = judgement.releases[0], judgement.releases[-1]
    about = f"VPP {first}" if first == last else f"VPP {first} to {last}"
    if judgement.levels == (Level.FORM,):
        return f"{judged} alone, which must be corrected first"
    missing = "" if Level.MACHINE in judgement.levels else "; give --host or --root for the machine"
    return f"{judged}; {about}{missing}"


def _releases(version: str | None) -> Sequence[Release]:
    from vppcfg.common.release import RELEASES

    return RELEASES if version is None else (known_release(version),)


def _source(args: argparse.Namespace) -> tuple[str, str]:
    """Return the name and the text of the file. Raise UsageError when it cannot be read."""
    default = os.path.join(args.checked_root or "/", STARTUP_CONF)
    name: str = args.checked_file or default
    try:
        if name == "-":
            data = sys.stdin.buffer.read(_LIMIT_BYTES + 1)
        else:
            with open(name, "rb") as stream:
                data = stream.read(_LIMIT_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"cannot read {name}: {reason}", "name the startup.conf that is to be judged") from error
    if len(data) > _LIMIT_BYTES:
        raise UsageError(f"{name} is larger than {_LIMIT_BYTES >> 20} MB", "that is no file of settings")
    return name, data.decode(errors="surrogateescape")


def _surroundings(args: argparse.Namespace, text: str) -> ConfSurroundings:
    from vppcfg.cli.host import machine_at, read_machine
    from vppcfg.startup.lint.finding import ConfSurroundings

    host = None
    if args.checked_host is not None:
        host = read_machine(args.checked_host)
    elif args.checked_root is not None:
        host = machine_at(args.checked_root)
    return ConfSurroundings(
        host=host,
        folders=None if args.checked_root is None else _folders(text, args.checked_root),
        installed=None if args.plugins is None else _installed(args.plugins),
        allowed=frozenset(args.allow),
    )


def _folders(text: str, root: str) -> frozenset[str]:
    """Return the folders that the file names and that are below `root`."""
    from vppcfg.common.release import NEWEST
    from vppcfg.startup.conf.reader import read_conf
    from vppcfg.startup.lint.machine import folders_named

    conf, _ = read_conf(text, NEWEST)
    return frozenset(folder for folder in folders_named(conf) if os.path.isdir(os.path.join(root, folder.lstrip("/"))))


def _installed(folder: str) -> frozenset[str]:
    """Return the plugins in a folder. Raise UsageError when it cannot be read, or has none."""
    from vppcfg.startup.conf.plugin_names import SUFFIX, name_in

    try:
        names = os.listdir(folder)
    except OSError as error:
        raise UsageError(f"cannot read {folder}: {error.strerror}", "name the directory of VPP's plugins") from error
    found = frozenset(name_in(name) for name in names if name.endswith(SUFFIX))
    if not found:
        raise UsageError(f"{printable(folder)} holds no plugin of VPP", f"their names end in {SUFFIX}")
    return found
