"""Finds the command that a CLI line starts with and runs it, as vlib/cli.c does, one command after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.unformat import Input

Command = Callable[[Tables, Input], str]
"""Reads what follows its own words and returns what it prints; raises RefusedError with VPP's words."""


class CommandLine:
    """The CLI of one VPP."""

    def __init__(self, tables: Tables, commands: Mapping[str, Command]) -> None:
        """Have `commands`, each by the words that it starts with."""
        self._tables = tables
        self._commands = commands
        self._tree: dict[str, Any] = {}
        """The words that can come next, at every point of the way to a command."""
        for command in commands:
            branch = self._tree
            for word in command.split():
                branch = branch.setdefault(word, {})

    def run(self, text: str) -> tuple[int, str]:
        """Run all commands in `text` and return VPP's code and what they print; the first refusal ends it."""
        rest = Input(text)
        printed = []
        try:
            while True:
                printed.append(self._run_next(rest))
                if rest.is_at_end:
                    return 0, "".join(printed)
        except RefusedError as refusal:
            printed.append(f"{refusal.text}\n")
            return Retval.UNSPECIFIED, "".join(printed)

    def _run_next(self, rest: Input) -> str:
        if rest.take_word("comment"):
            if rest.string() is None:
                raise rest.unknown()
            return ""
        path = self._path(rest)
        rest.skip_space()
        if path not in self._commands:
            raise rest.unknown(f"{path}: unknown input" if path else "unknown input")
        try:
            return self._commands[path](self._tables, rest)
        except RefusedError as refusal:
            raise RefusedError(refusal.retval, f"{path}: {refusal.text}") from None

    def _path(self, rest: Input) -> str:
        """Take the words of the longest path that commands share with the input.

        The start of a word will do when only one word starts so.
        """
        taken: list[str] = []
        branch = self._tree
        while True:
            written = rest.next_word
            fitting = (
                [written] if written in branch else [word for word in branch if written and word.startswith(written)]
            )
            if len(fitting) != 1 or not rest.take_word(written):
                return " ".join(taken)
            taken.append(fitting[0])
            branch = branch[fitting[0]]
