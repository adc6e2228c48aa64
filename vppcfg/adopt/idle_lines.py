"""Finds the idle lines of a script: run without them, VPP ends in the same state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from vppcfg.adopt.classify import Classifier
from vppcfg.adopt.command_targets import INEXPRESSIBLE, first_unsupported_word
from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.adopt.simulation import Simulation
from vppcfg.model.state import State

UNDONE = "VPP ends the same without it: it is undone, or takes away what is not there"
_WITHOUT_EFFECT = "VPP ends the same without it"
_AS_BEFORE = "it is so by itself: VPP ends the same without it"
_IN_NO_KEY = "no key of the file has what it sets"
_COUNTING = frozenset({LineOutcome.FILE, LineOutcome.DATAPLANE, LineOutcome.UNMANAGED, LineOutcome.FAULT})
_MOST_COMMANDS = 100_000
"""How many commands are run again at most to tell idle lines from others one by one, and as many for what is undone."""
_ADDING_AND_TAKING = frozenset({"add", "del", "delete", "disable"})
"""Words in which a line may differ from the one that it undoes."""
_LOOK_BACK = 8
"""How many lines before one that takes something away may be what it undoes."""


class Reruns:
    """Runs of one script, each on a VPP that has just started and without some of the lines."""

    def __init__(self, start: Callable[[], Simulation], lines: Sequence[SourceLine]) -> None:
        self._start = start
        self._lines = lines
        self._left_to_run = self._left_to_undo = _MOST_COMMANDS
        self._whole: tuple[Simulation, Any, set[int]] | None = None

    def without(self, left_out: Sequence[SourceLine]) -> Simulation:
        """Return a VPP that has run what counts, but for some lines."""
        return self._run_without(left_out)[0]

    def is_idle(self, lines: Sequence[SourceLine]) -> bool:
        """Return whether VPP ends the same without some lines, and refuses none of the others."""
        self._left_to_undo -= len(self._lines)
        if self._left_to_undo < 0:
            return False
        if self._whole is None:
            simulation, refused = self._run_without(())
            self._whole = simulation, simulation.effects(), refused
        simulation, refused = self._run_without(lines)
        run, whole, refused_of_whole = self._whole
        # Reading takes most of the time: what others have is read only where all else is alike.
        if not refused <= refused_of_whole or simulation.observe() != whole[0]:
            return False
        if simulation.effects() != whole:
            return False
        # What is left may be of a kind that VPP does not report.
        return not any(line.is_left for line in lines) or simulation.content() == run.content()

    def _run_without(self, left_out: Sequence[SourceLine]) -> tuple[Simulation, set[int]]:
        """Return also which lines VPP refuses."""
        simulation, refused = self._start(), set()
        skipped = {id(line) for line in left_out}
        for line in self._lines:
            counts = line.outcome in _COUNTING and id(line) not in skipped
            if counts and line.command in simulation.commands and (line.is_carried_out or line.is_left):
                is_done, _ = simulation.run(line.whole)
                if not is_done:
                    refused.add(id(line))
        return simulation, refused

    def idle_among(self, lines: Sequence[SourceLine], outcome: Callable[[Simulation], Any]) -> list[SourceLine]:
        """Return those of `lines` without all of which the `outcome` is the same; of long scripts all or none."""
        return self._idle(lines, [], outcome, outcome(self.without(()))) if lines else []

    def _idle(
        self,
        lines: Sequence[SourceLine],
        known: Sequence[SourceLine],
        outcome: Callable[[Simulation], Any],
        whole: Any,
    ) -> list[SourceLine]:
        self._left_to_run -= len(self._lines)
        if outcome(self.without([*known, *lines])) == whole:
            return list(lines)
        if len(lines) == 1 or self._left_to_run < 0:
            return []
        half = len(lines) // 2
        first = self._idle(lines[:half], known, outcome, whole)
        return [*first, *self._idle(lines[half:], [*known, *first], outcome, whole)]


def _with_unreported(simulation: Simulation) -> Any:
    """Return what a VPP has, also what it does not report."""
    return simulation.effects(), simulation.content()


def withdraw_unproved(reruns: Reruns, lines: Sequence[SourceLine], state: State) -> None:
    """Count no line as one without effect, unless a VPP ends the same without it."""
    doubtful = [line for line in lines if line.outcome is LineOutcome.NO_EFFECT and (line.subjects or line.path)]
    reasons = {id(line): line.why for line in doubtful}
    for line in doubtful:
        line.set_outcome(LineOutcome.DATAPLANE if line.path else LineOutcome.FILE, "")
    for line in reruns.idle_among(doubtful, Simulation.observe):
        line.set_outcome(LineOutcome.NO_EFFECT, reasons.pop(id(line)))
    for line in doubtful:
        if id(line) in reasons:
            line.subjects = tuple(name for name in line.subjects if name in state.interfaces)


def classify_unproven(classifier: Classifier, reruns: Reruns) -> None:
    """Classify lines of which nothing is in the file: as without effect, or as left to a script."""
    idle = {id(line) for line in reruns.idle_among(classifier.unproven, _with_unreported)}
    for line in classifier.unproven:
        if id(line) in idle:
            line.set_outcome(LineOutcome.NO_EFFECT, _WITHOUT_EFFECT)
        else:
            line.set_outcome(LineOutcome.UNMANAGED, _IN_NO_KEY, "adopt-rest")
    for line in reruns.idle_among(classifier.implied, Simulation.effects):
        line.set_outcome(LineOutcome.NO_EFFECT, _AS_BEFORE)


def set_aside_undone(lines: Sequence[SourceLine], reruns: Reruns) -> None:
    """Count lines that take something away as lines without effect, with the lines that they undo."""
    _set_aside(_with_undone(lines), reruns)
    for place, line in enumerate(lines):
        if line.outcome is LineOutcome.FILE and line.takes_away:
            groups = _may_be_undone(line, lines[:place])
            _count_as_idle(next((group for group in groups if reruns.is_idle(group)), ()))


def _set_aside(groups: Sequence[Sequence[SourceLine]], reruns: Reruns) -> None:
    """Count the lines of those groups as lines without effect without which VPP ends the same."""
    lines = [line for group in groups for line in group]
    if lines and reruns.is_idle(lines):
        _count_as_idle(lines)
    elif len(groups) > 1:
        half = len(groups) // 2
        _set_aside(groups[:half], reruns)
        _set_aside(groups[half:], reruns)


def _count_as_idle(idle: Iterable[SourceLine]) -> None:
    for line in idle:
        line.set_outcome(LineOutcome.NO_EFFECT, UNDONE)


def is_simulated(line: SourceLine) -> bool:
    """Return whether the simulated VPP has carried out a line that is in the file, or left."""
    is_known = line.command in INEXPRESSIBLE and first_unsupported_word(line.command, line.arguments.split()) is None
    return line.outcome is LineOutcome.FILE or (line.outcome is LineOutcome.UNMANAGED and is_known)


def _with_undone(lines: Sequence[SourceLine]) -> list[list[SourceLine]]:
    """Return each line that takes something away, behind the last one before it that has all its other words."""
    groups: list[list[SourceLine]] = []
    by_word: dict[str, list[SourceLine]] = defaultdict(list)
    for line in lines:
        words = set(line.whole.split())
        if not is_simulated(line):
            continue
        if line.takes_away:
            words -= _ADDING_AND_TAKING
            fewest = min((by_word[word] for word in words), key=len, default=[])
            undone = next((each for each in reversed(fewest) if words <= set(each.whole.split())), None)
            groups.append([line] if undone is None else [undone, line])
        else:
            for word in words:
                by_word[word].append(line)
    return groups


def _may_be_undone(line: SourceLine, before: Sequence[SourceLine]) -> Iterator[list[SourceLine]]:
    """Yield the lines that a later one may undo, with that: none, one of those before it, or several."""
    counting = (each for each in reversed(before) if each.outcome is LineOutcome.FILE and _are_related(each, line))
    found = list(islice(counting, _LOOK_BACK))
    yield [line]
    yield from ([each, line] for each in found)
    yield from ([*found[:size], line] for size in range(2, len(found) + 1))


def _are_related(one: SourceLine, other: SourceLine) -> bool:
    return one.command.split()[:1] == other.command.split()[:1] or not set(one.subjects).isdisjoint(other.subjects)
