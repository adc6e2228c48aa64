"""Finds out which commands of the rest VPP can run at its start, and which only after the file has been applied.

The rest are the commands of the adopted scripts that no file can express. A command of the rest may make a port that
the file configures: then it comes first. Another one may need what the file makes, such as a VRF: then it comes last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from vppcfg.adopt.command_targets import first_unsupported_word
from vppcfg.adopt.excluded_lines import Key, key_of
from vppcfg.adopt.grammar import Grammar
from vppcfg.adopt.report import SourceLine
from vppcfg.adopt.script import without_uncomment
from vppcfg.adopt.simulation import ALL_COMMANDS, Simulation
from vppcfg.adopt.unsupported_commands import as_left, left_lines
from vppcfg.entries.configuration import Configuration
from vppcfg.model.interface import InterfaceKind
from vppcfg.record import record
from vppcfg.simulator.port import PhysicalPort

_BEFORE_TABLES = frozenset({"decap-vrf-id", "encap-vrf-id", "fib-id", "next-hop-table", "table", "table-id", "vrf"})
"""Words before the number of a FIB table."""


@record
class LeftCommand:
    """A command of the rest."""

    line: SourceLine
    command: str
    """In whole words: VPP also takes words that are cut short."""
    is_simulated: bool
    """Whether the simulated VPP has the command, so that a trial shows whether VPP takes it."""
    ports: Sequence[PhysicalPort]
    """The ports that it makes, for a simulated VPP that does not have the command."""

    def run_on(self, simulation: Simulation) -> bool:
        """Run it, and return whether VPP takes it; one that is not simulated makes its ports alone."""
        for port in self.ports:
            if not simulation.has(port.name):
                simulation.have(port)
        return not self.is_simulated or simulation.run(self.command)[0]


@record
class RestOrder:
    """The commands of the rest that come before the file, and those that come after it."""

    first: tuple[LeftCommand, ...] = ()
    last: tuple[LeftCommand, ...] = ()


def rest_lines(
    lines: Sequence[SourceLine],
    grammar: Grammar,
    ports: Mapping[Key, Sequence[PhysicalPort]],
    not_simulated: Collection[Key],
) -> list[LeftCommand]:
    """Return the commands that are left of scripts; `ports` are those that a line makes, by line.

    The lines of `not_simulated` are not run, although the simulated VPP has such commands: what they set is unknown.
    """
    found = []
    for line in left_lines(lines):
        meant = grammar.read(without_uncomment(as_left(line)))
        is_known = meant.command in ALL_COMMANDS and key_of(line) not in not_simulated
        is_simulated = is_known and first_unsupported_word(meant.command, meant.rest.split()) is None
        command, made = f"{meant.command} {meant.rest}", ports.get(key_of(line), ())
        found.append(LeftCommand(line=line, command=command, is_simulated=is_simulated, ports=made))
    return found


def orders(lines: Sequence[LeftCommand], configuration: Configuration, simulation: Simulation) -> Iterator[RestOrder]:
    """Yield the orders in which a file and what is left can be brought onto a VPP, the simplest first.

    The simplest are all commands before the file, and all behind it. `simulation` is a VPP that has only just started;
    commands are run on it.
    """
    waiting = _waiting(lines, configuration, simulation)
    if not waiting:
        yield RestOrder(first=tuple(lines))
    yield RestOrder(last=tuple(lines))
    if waiting and len(waiting) < len(lines):
        places = range(len(lines))
        yield RestOrder(
            first=tuple(lines[place] for place in places if place not in waiting),
            last=tuple(lines[place] for place in places if place in waiting),
        )


def _waiting(lines: Sequence[LeftCommand], configuration: Configuration, simulation: Simulation) -> set[int]:
    """Return the places of the commands that need what the file makes, or what such a command makes.

    Of a command that is simulated, the trial decides: it waits when VPP refuses it before the file is applied. One that
    is not simulated waits when it names something that the file makes.
    """
    names = {name for name, entry in configuration.interfaces.items() if entry.kind is not InterfaceKind.PHYSICAL}
    names |= {address.partition("/")[0] for entry in configuration.interfaces.values() for address in entry.addresses}
    tables = {str(vrf.table_id) for vrf in configuration.vrfs.values()} - {"0"}
    families = {"tcp src-address"}
    if any(entry.has_mpls for entry in configuration.interfaces.values()):
        families.add("mpls local-label")
    if configuration.bridges:
        families.add("set bridge-domain ")
    """How commands begin that wait, whatever they name.

    The file makes what these need: the way to the addresses, the MPLS table, the bridge domain. After a command that
    waits, all that begin with the same word wait too, because they may need it.
    """
    found: set[int] = set()
    for place, each in enumerate(lines):
        if each.is_simulated:
            needs = not each.run_on(simulation)
        else:
            words = each.command.split()
            behind = {word for before, word in pairwise(words) if before in _BEFORE_TABLES}
            needs = not names.isdisjoint(words) or not tables.isdisjoint(behind)
            needs |= each.command.startswith(tuple(families))
            if needs:
                families.add(f"{words[0]} ")
                names |= {port.name for port in each.ports}
            else:
                each.run_on(simulation)
        if needs:
            found.add(place)
    return found
