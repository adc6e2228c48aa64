"""VPP's CLI commands in each release, and which command a line means: VPP takes abbreviated words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from vppcfg import assets
from vppcfg.adopt.nodes import Nodes
from vppcfg.common.release import OLDEST, Release, release_of
from vppcfg.record import record

TABLE = "schema/vpp-commands.txt"
_NODES = "schema/vpp-nodes.txt"
_WORD = re.compile(r"\s*([A-Za-z0-9_-]*)(\s|$)?")
_SAME = {"ip neighbor": "set ip neighbor"}
"""Commands that VPP has under two names (vnet/ip-neighbor/ip_neighbor.c), each with the one that is known here."""
_END = ""
"""The key, in the tree of words, of a command that ends there."""


@record
class ParsedCommand:
    """What a line means to VPP."""

    command: str = ""
    """The whole words of the command; '' when there is none."""
    rest: str = ""
    """What follows them."""
    choices: tuple[str, ...] = ()
    """The words that the last word could be the start of, when they are several."""
    word: str = ""
    """The word that no command has there, or that could be several."""


class Grammar:
    """The commands and the nodes of one release, all plugins of VPP's own included."""

    def __init__(self, formats: Mapping[str, tuple[str, ...]], nodes: Nodes) -> None:
        """`formats` has what each command takes, () where that is not known."""
        self._formats = formats
        self.nodes = nodes
        self._tree: dict[str, Any] = {}
        for command in formats:
            branch = self._tree
            for word in command.split():
                branch = branch.setdefault(word, {})
            branch[_END] = command
        self._found: dict[str, tuple[dict[str, Any], int]] = {}

    def formats_of(self, command: str) -> tuple[str, ...]:
        """Return the formats that a command takes, () where that is not known, or makes no difference.

        Where the first words of a command are one too, VPP runs that when the longer one fails, on what this left of
        the line, and forgets the error (vlib_cli_dispatch_sub_commands).
        """
        words = command.split()
        is_forgiven = any(" ".join(words[:count]) in self._formats for count in range(1, len(words)))
        return () if is_forgiven else self._formats[command]

    def read(self, line: str) -> ParsedCommand:
        """Return what a line means (vlib_cli_sub_command_match): a whole word, or the start of only one."""
        branch, position = self._tree, 0
        while True:
            match = _WORD.match(line, position)
            word = match[1] if match else ""
            fitting = _fitting(branch, word) if word else []
            if match is None or len(fitting) != 1:
                break
            branch, position = branch[fitting[0]], match.end()
        if _END in branch:
            command = branch[_END]
            return ParsedCommand(command=_SAME.get(command, command), rest=_unbraced(line[position:].strip()))
        if not fitting and line[position:].lstrip().startswith("{"):
            return self._in_braces(line, position)
        words = line[position:].split()
        return ParsedCommand(word=words[0] if words else "", choices=tuple(sorted(fitting)))

    def _in_braces(self, line: str, position: int) -> ParsedCommand:
        """Return what a line means whose end stands in braces: `set interface { state loop0 up }`."""
        inner = _unbraced(line[position:].strip())
        if inner.startswith("{"):
            return ParsedCommand(word="{")
        return self.read(f"{line[:position]} {inner}")


def _fitting(branch: dict[str, Any], word: str) -> list[str]:
    return [word] if word in branch else [known for known in branch if known and known.startswith(word)]


def _unbraced(text: str) -> str:
    """Return the text in braces that begin and end it, else all of it."""
    if not text.startswith("{") or not text.endswith("}"):
        return text
    depth = 0
    for position, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1].strip() if depth == 0 else text


@cache
def grammar_of(release: Release) -> Grammar:
    """Return the commands of a release, of the nearest known one for another."""
    formats = {name: tuple(takes) for name, takes in _rows(TABLE, release)}
    return Grammar(formats, {name: frozenset(can) for name, can in _rows(_NODES, release)})


def _rows(table: str, release: Release) -> Iterator[tuple[str, list[str]]]:
    """Yield the names in a table that a release has, each with what follows."""
    rows = (line.split("\t") for line in assets.find(table).read_text(encoding="utf-8").splitlines())
    wanted = max(release, OLDEST)
    return ((row[0], row[2:]) for row in rows if row[0][0] != "#" and _is_in(wanted, "".join(row[1:2])))


def _is_in(release: Release, span: str) -> bool:
    first, _, last = span.partition("-")
    return (not first or release >= release_of(first)) and (not last or release <= release_of(last))
