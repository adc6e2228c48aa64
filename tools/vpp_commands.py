"""Writes schema/vpp-commands.txt: VPP's CLI commands, the releases that have them, and what they take.

`python -m tools.vpp_commands REPOSITORY` reads a clone of VPP's repository: all VLIB_CLI_COMMAND in the source of each
release, and the functions of those that change something. It needs no network and builds nothing, and the same clone
gives the same bytes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tools.command_formats import BY_HAND, formats_of

Formats = tuple[str, ...]
REVISIONS = {
    **{release: f"v{release}" for release in ("23.06", "23.10", "24.02", "24.06", "24.10", "25.02", "25.06", "25.10")},
    "26.02": "v26.02",
    "26.06": "v26.06",
    "26.10": "origin/master",
}
"""The newest release has no tag yet."""
FOLDERS = ("src/plugins", "src/vat2", "src/vlib", "src/vlibapi", "src/vlibmemory", "src/vnet", "src/vpp")
LEFT_OUT = "src/plugins/unittest"
"""A plugin that VPP loads on demand only, with some 150 commands for VPP's own tests."""
TARGET = Path(__file__).resolve().parents[1] / "schema" / "vpp-commands.txt"
HEADER = """\
# VPP's CLI commands, the first and the last release that have them where not all do, and the formats of what follows,
# in any order, where that is known: `-` is nothing, <any> whatever comes.
# Written by tools/vpp_commands.py from the source of VPP (Apache License 2.0), {first} to {last}.
"""
_COMMAND = re.compile(r"VLIB_CLI_COMMAND\s*\([^)]*\)\s*=\s*\{(.*?)\}\s*;", re.DOTALL)
_PATH = re.compile(r'\.path\s*=\s*((?:"[^"]*"\s*)+)')
_FUNCTION = re.compile(r"\.function\s*=\s*(\w+)")
"""What a command lacks that is only there for the help text of those that begin with its words."""
_NEVER = re.compile(r"\s*#\s*if(?:def)?\s+(?:0|TEST_CODE|DEBUG|CLIB_DEBUG|SESSION_DEBUG)\b")
"""Conditions of what only its authors build; VPP's packages have none of it."""
_IF, _ELSE, _ENDIF = (re.compile(rf"\s*#\s*{word}") for word in ("if", "else", "endif"))
_READING = frozenset({"clear", "debug", "pcap", "show", "test", "trace"})
"""First words of commands that set nothing, whose formats nobody asks for."""


def main(repository: str) -> None:
    """Write the table."""
    releases = list(REVISIONS)
    known: dict[str, dict[int, Formats | None]] = {}
    for number, revision in enumerate(REVISIONS.values()):
        for command, formats in commands_of(repository, revision).items():
            known.setdefault(command, {})[number] = formats
    table = {command: (list(found), _in_all(found.values())) for command, found in known.items()}
    TARGET.write_text(HEADER.format(first=releases[0], last=releases[-1]) + "".join(lines_of(table)))


def lines_of(table: Mapping[str, tuple[list[int], Iterable[str]]]) -> Iterator[str]:
    """Yield the lines of a table: each name with a span of the releases that have it, by number, and its columns."""
    for name, (numbers, columns) in sorted(table.items()):
        for row in rows(name, numbers, list(REVISIONS)):
            yield "\t".join((row if "\t" in row else f"{row}\t", *columns)).rstrip("\t") + "\n"


def sources(repository: str, revision: str, pattern: str) -> Iterator[str]:
    """Yield the files of one revision in which a pattern stands, but for those of VPP's own tests."""
    words = ["git", "-C", repository, "grep", "-lE", pattern, revision, "--", *FOLDERS]
    for place in subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines():
        if not place.partition(":")[2].startswith(LEFT_OUT):
            shown = subprocess.run(["git", "-C", repository, "show", place], check=True, capture_output=True)
            yield built(shown.stdout.decode(errors="replace"))


def built(source: str) -> str:
    """Return the lines of a source but for those that no package of VPP is built with."""
    kept, depth = [], 0
    for line in source.split("\n"):
        if depth:
            depth += bool(_IF.match(line)) - bool(_ENDIF.match(line) or (depth == 1 and _ELSE.match(line)))
        elif _NEVER.match(line):
            depth = 1
        else:
            kept.append(line)
    return "\n".join(kept)


def _in_all(found: Collection[Formats | None]) -> Sequence[str]:
    """Return the formats of all releases together, none where those of one release are not known."""
    known = [formats for formats in found if formats is not None]
    if len(known) < len(found):
        return ()
    return sorted({each for formats in known for each in formats}) or ("-",)


def commands_of(repository: str, revision: str) -> dict[str, Formats | None]:
    """Return the words of all commands in one revision, each with its formats where they are known."""
    found: dict[str, Formats | None] = {}
    for source in sources(repository, revision, "VLIB_CLI_COMMAND"):
        for body in _COMMAND.findall(source):
            path, function = _PATH.search(body), _FUNCTION.search(body)
            if path is not None and function is not None:
                command = " ".join("".join(re.findall(r'"([^"]*)"', path[1])).split())
                is_unclear = command in found or command.partition(" ")[0] in _READING
                found[command] = None if is_unclear else BY_HAND.get(command) or formats_of(source, function[1])
    found.pop("", None)
    return found


def rows(command: str, numbers: list[int], releases: list[str]) -> list[str]:
    """Return a line for each run of releases that have a command."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [command + span_of(run, releases) for run in runs]


def span_of(run: list[int], releases: list[str]) -> str:
    """Return a tab and the releases of a run, nothing for all of them."""
    first = "" if run[0] == 0 else releases[run[0]]
    last = "" if run[-1] == len(releases) - 1 else releases[run[-1]]
    return f"\t{first}-{last}" if first or last else ""


if __name__ == "__main__":
    main(sys.argv[1])
