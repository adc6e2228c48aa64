"""Writes schema/vpp-commands.txt: the words of VPP's CLI commands, and the releases that have them.

`python tools/vpp_commands.py REPOSITORY` reads a clone of VPP's repository: the paths of all VLIB_CLI_COMMAND in the
source of each release. It needs no network and builds nothing, and the same clone gives the same bytes.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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
# The words of VPP's CLI commands, and the first and the last release that have them where not all do.
# Written by tools/vpp_commands.py from the source of VPP (Apache License 2.0), {first} to {last}.
"""
_COMMAND = re.compile(r"VLIB_CLI_COMMAND\s*\([^)]*\)\s*=\s*\{(.*?)\}\s*;", re.DOTALL)
_PATH = re.compile(r'\.path\s*=\s*((?:"[^"]*"\s*)+)')
_FUNCTION = re.compile(r"\.function\s*=")
"""What a command lacks that is only there for the help text of those that begin with its words."""


def main(repository: str) -> None:
    """Write the table."""
    releases = list(REVISIONS)
    known: dict[str, list[int]] = {}
    for number, revision in enumerate(REVISIONS.values()):
        for command in commands_of(repository, revision):
            known.setdefault(command, []).append(number)
    lines = [line for command in sorted(known) for line in rows(command, known[command], releases)]
    TARGET.write_text(HEADER.format(first=releases[0], last=releases[-1]) + "".join(f"{line}\n" for line in lines))


def commands_of(repository: str, revision: str) -> set[str]:
    """Return the words of all commands in one revision."""
    words = ["git", "-C", repository, "grep", "-l", "VLIB_CLI_COMMAND", revision, "--", *FOLDERS]
    found: set[str] = set()
    for place in subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines():
        if place.partition(":")[2].startswith(LEFT_OUT):
            continue
        shown = subprocess.run(["git", "-C", repository, "show", place], check=True, capture_output=True)
        for body in _COMMAND.findall(shown.stdout.decode(errors="replace")):
            if (path := _PATH.search(body)) is not None and _FUNCTION.search(body) is not None:
                found.add(" ".join("".join(re.findall(r'"([^"]*)"', path[1])).split()))
    return found - {""}


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
