"""`vppcfg rest`: runs the commands that no configuration can express; run again, it changes nothing."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING

from vppcfg.cli.arguments import Subparsers
from vppcfg.cli.options import add_dataplane_options, target_of
from vppcfg.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vppcfg.app.rest import RestLine

_PASSED_OVER = ("comment", "define", "undefine")
"""Commands that do nothing to VPP; `adopt` has put the values of macros in their places."""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser(
        "rest",
        help="run the commands that a configuration cannot express",
        description=(
            "Run the commands in a file, such as the one that `vppcfg adopt` writes, one by one on a running VPP. A "
            "command whose effect is already there is skipped, so the file can be run again after each apply, boot "
            "and rollback, as a hook of the configuration."
        ),
    )
    parser.add_argument("file", metavar="FILE", help="the commands, a line each; - is standard input")
    add_dataplane_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> ExitCode:
    """Run the commands and report each; one that VPP refuses ends nothing but makes the command fail."""
    from vppcfg.app.rest import LineEnd, run_rest
    from vppcfg.entries.yaml.files import read_source

    commands = list(_commands(read_source(args.file).decode(errors="replace")))
    ends: Counter[LineEnd] = Counter()
    for line in run_rest(commands, target_of(args), meaning=meaning_of):
        ends[line.end] += 1
        _print(line)
    counts = ", ".join(f"{ends[end]} {end.value}" for end in LineEnd if ends[end]) or "nothing to do"
    total = "1 command" if len(commands) == 1 else f"{len(commands)} commands"
    _write(f"{args.file}: {total}: {counts}")
    return ExitCode.DATAPLANE if ends[LineEnd.FAILED] else ExitCode.DONE


def _commands(text: str) -> Iterator[tuple[int, str]]:
    from vppcfg.adopt.script import commands_in, unescaped

    for number, command in commands_in(text):
        words = command.split()
        if words[0] not in _PASSED_OVER:
            yield number, unescaped(" ".join(words))


def meaning_of(line: str) -> str:
    """Return a command with the words in full that VPP takes abbreviated, such as `set int state loop0 up`."""
    from vppcfg.adopt.grammar import grammar_of
    from vppcfg.common.release import NEWEST

    parsed = grammar_of(NEWEST).read(line)
    return f"{parsed.command} {parsed.rest}".strip() if parsed.command else line


def _print(line: RestLine) -> None:
    answer = f": {line.answer}" if line.answer else ""
    _write(f"{line.end.value:<13}  {line.text}{answer}")


def _write(text: str) -> None:
    from vppcfg.cli.output import print_line
    from vppcfg.common.printable import printable

    print_line(printable(text))
