"""The commands that no configuration can express, as a script ("the rest"), and whether VPP can run it at its start."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from vppcfg.adopt.command_targets import first_unsupported_word
from vppcfg.adopt.grammar import Grammar
from vppcfg.adopt.others import OthersOfKind
from vppcfg.adopt.report import SourceLine
from vppcfg.adopt.script import without_uncomment
from vppcfg.adopt.simulation import Simulation
from vppcfg.common.printable import is_harmless, printable
from vppcfg.entries.configuration import Configuration
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.interface import InterfaceKind
from vppcfg.record import record

_HEAD = "# Commands that the configuration cannot express, in their order."
_FIRST = "# VPP can run them at its start: dataplane.unix.exec in vppcfg.yaml, unix { exec } in startup.conf."
_AFTER = "# They need what vppcfg makes: run them after `vppcfg apply` with `vppcfg rest`, not at VPP's start."
_CREATE_SOCKET, _CREATE_MEMIF = "create memif socket", "create interface memif"
"""A memif that is left needs its socket when the script runs, though the file has a memif at it too."""
_NUMBERED: Mapping[str, str] = {
    "create loopback interface": "instance",
    **{kind.command: kind.number_word for kind in VIRTUAL_INTERFACES if kind.number_word},
}
"""The word by which a command gets the number that VPP chooses otherwise, by what there is at that time."""
_NUMBER = re.compile(r"\d+$")


@record
class RestFile:
    """The script of commands that no configuration can express."""

    commands: tuple[str, ...] = ()
    needs_the_file: bool = False
    """Whether they work only on what the configuration makes, and so come after it."""
    notes: tuple[str, ...] = ()
    """What is in none of the commands, and why."""

    @property
    def text(self) -> str:
        """Return the script."""
        commands = (each if is_harmless(each) else f"# Not written: `{printable(each)}`" for each in self.commands)
        notes = (f"# {note}" for note in self.notes)
        return "\n".join((_HEAD, _AFTER if self.needs_the_file else _FIRST, *commands, *notes, ""))

    @property
    def unwritten(self) -> int:
        """Return how many commands stand in the script as comments, for they have characters that do not show."""
        return sum(not is_harmless(each) for each in self.commands)


def rest_of(
    lines: Sequence[SourceLine], configuration: Configuration, start: Callable[[], Simulation], grammar: Grammar
) -> RestFile:
    """Return the commands that are left; they are tried on a VPP that has only just started."""
    texts = tuple(map(as_left, left_lines(lines)))
    if not texts:
        return RestFile()
    return RestFile(commands=texts, needs_the_file=_needs_more_than_ports(texts, configuration, start(), grammar))


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
    return RestFile(commands=tuple(commands), needs_the_file=True, notes=tuple(notes))


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


def _needs_more_than_ports(
    commands: Sequence[str], configuration: Configuration, simulation: Simulation, grammar: Grammar
) -> bool:
    names = {name for name, entry in configuration.interfaces.items() if entry.kind is not InterfaceKind.PHYSICAL}
    for line in commands:
        meant = grammar.read(without_uncomment(line))
        is_simulated = first_unsupported_word(meant.command, meant.rest.split()) is None
        if is_simulated and meant.command in simulation.commands:
            is_done, _ = simulation.run(f"{meant.command} {meant.rest}")
            if not is_done:
                return True
        elif names.intersection(meant.rest.split()):
            return True
    return False
