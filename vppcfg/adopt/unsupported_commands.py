"""The commands that no configuration can express, as scripts ("the rest") for before and after the configuration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from vppcfg.adopt.others import OthersOfKind
from vppcfg.adopt.report import SourceLine
from vppcfg.adopt.script import escaped
from vppcfg.common.printable import is_harmless, printable
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.record import record

_HEAD = "# Commands that the configuration cannot express, in their order."
_FIRST = "# VPP can run them at its start: dataplane.unix.exec in vppcfg.yaml, unix { exec } in startup.conf."
_AFTER = "# They need what vppcfg makes: run them after `vppcfg apply` with `vppcfg rest`, not at VPP's start."
_CREATE_SOCKET, _CREATE_MEMIF = "create memif socket", "create interface memif"
"""A memif that is left needs its socket when the script runs, though the file has a memif at it too."""
_NUMBERED: Mapping[str, str] = {
    **dict.fromkeys(("bvi create", "create loopback interface"), "instance"),
    **{kind.command: kind.number_word for kind in VIRTUAL_INTERFACES if kind.number_word},
}
"""The word by which a command gets the number that VPP chooses otherwise, by what there is at that time."""
_NUMBER = re.compile(r"\d+$")


@record
class RestFile:
    """The commands that no configuration can express: a script for VPP's start, and one for after the file."""

    first: tuple[str, ...] = ()
    """What works without the configuration, which may need it."""
    last: tuple[str, ...] = ()
    """What works only on what the configuration makes."""
    notes: tuple[str, ...] = ()
    """What is in none of the commands, and why."""

    @property
    def commands(self) -> tuple[str, ...]:
        """Return all commands, in the order in which they run."""
        return self.first + self.last

    @property
    def first_text(self) -> str:
        """Return the script for VPP's start, '' for none."""
        notes = () if self.last else self.notes
        return _script(_FIRST, self.first, notes) if self.first else ""

    @property
    def last_text(self) -> str:
        """Return the script for after the file, '' for none."""
        return _script(_AFTER, self.last, self.notes) if self.last else ""

    @property
    def unwritten(self) -> int:
        """Return how many commands stand in the scripts as comments, for they have characters that do not show."""
        return sum(not is_harmless(each) for each in self.commands)


def _script(when: str, commands: Iterable[str], notes: Iterable[str]) -> str:
    shown = (escaped(each) if is_harmless(each) else f"# Not written: `{printable(each)}`" for each in commands)
    return "\n".join((_HEAD, when, *shown, *(f"# {note}" for note in notes), ""))


def left_lines(lines: Sequence[SourceLine]) -> list[SourceLine]:
    """Return the lines that the rest has: those that are left, and the sockets of memifs among them."""
    sockets = {_number_after("socket-id", line) for line in lines if line.is_left and line.command == _CREATE_MEMIF}
    return [
        line
        for line in lines
        if line.is_left or (line.command == _CREATE_SOCKET and _number_after("id", line) in sockets)
    ]


def rest_of_others(others: Sequence[OthersOfKind]) -> RestFile:
    """Return the commands that bring it back, and as comments what is in none."""
    notes = [f"Not written: {each.kind} ({len(each.names)}): {each.why}" for each in others if each.why]
    commands = dict.fromkeys(command for each in others for command in each.commands)
    return RestFile(last=tuple(commands), notes=tuple(notes))


def _number_after(word: str, line: SourceLine) -> str:
    words = line.text.split()
    return words[words.index(word) + 1] if word in words[:-1] else "0"


def as_left(line: SourceLine) -> str:
    """Return a command in one line. What it creates keeps its number, though there may be others now when it runs."""
    words = line.text.split()
    word = _NUMBERED.get(line.command)
    number = _NUMBER.search(line.subjects[-1]) if line.subjects else None
    if word is not None and word not in words and number is not None:
        words += [word, number[0]]
    return " ".join(words)
