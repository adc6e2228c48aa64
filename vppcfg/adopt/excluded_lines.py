"""Lines that VPP takes and the file of an adoption must do without, because no valid file can express them.

From the problems of a file that was made of scripts, finds the lines behind each, to be left out at the next attempt.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.adopt.report_proof import elements_of, mentions
from vppcfg.model.problem import KeyPath, Problem

Key = tuple[str, int, int]
"""A line: the file that it stands in, its number, and the run of the file."""


@dataclass(slots=True, kw_only=True)
class Exclusions:
    """The lines that stay out of the file, with reasons; they become more until the file is valid and equivalent."""

    commands: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[Key, str] = field(default_factory=dict)
    undone: Collection[Key] = frozenset()
    """Excluded lines that have no effect in the end, so that they must not run."""
    dropped: Mapping[Key, tuple[str, str]] = field(default_factory=dict)
    """Lines that VPP takes and that come to nothing in the end, with reason and rule; they are in no script either."""
    taken: Collection[Key] = ()
    """The lines that VPP takes while none is excluded: what it refuses of them later needs an excluded one."""

    def why(self, line: SourceLine) -> str | None:
        """Return why a line is excluded, None when it is not."""
        return self.lines.get(key_of(line)) or self.commands.get(line.command)

    def with_commands(self, commands: Collection[str], why: str) -> Exclusions:
        """Return the exclusions with all lines of some commands."""
        return replace(self, commands={**dict.fromkeys(commands, why), **self.commands})

    def with_lines(self, lines: Mapping[Key, str]) -> Exclusions:
        """Return the exclusions with more lines."""
        return replace(self, lines={**lines, **self.lines})

    def with_undone(self, lines: Collection[Key]) -> Exclusions:
        """Return the exclusions with more lines that must not run."""
        return replace(self, undone=frozenset((*self.undone, *lines)))


def key_of(line: SourceLine) -> Key:
    """Return what identifies a line."""
    return line.source, line.number, line.run


def taken_of(lines: Iterable[SourceLine]) -> frozenset[Key]:
    """Return the lines that VPP takes."""
    return frozenset(key_of(line) for line in lines if line.is_carried_out)


def lines_behind(problems: Iterable[Problem], lines: Sequence[SourceLine], data: Any) -> dict[Key, str]:
    """Return the lines behind what is wrong in the file, with what is wrong: those nearest to each problem."""
    found: dict[Key, str] = {}
    for problem in problems:
        why = f"no file can express it: {problem.text} [{problem.rule}]"
        found |= {key_of(line): why for line in _nearest(problem.path, lines, data)}
    return found


def lines_about(subjects: Collection[str], lines: Sequence[SourceLine], why: str) -> dict[Key, str]:
    """Return the lines behind one entry of the file."""
    in_file = (line for line in lines if line.outcome is LineOutcome.FILE and line.path and line.path[-1] in subjects)
    return {key_of(line): why for line in in_file}


def _nearest(path: KeyPath, lines: Sequence[SourceLine], data: Any) -> list[SourceLine]:
    ran = (LineOutcome.FILE, LineOutcome.UNMANAGED)
    scores = [_score(path, line, data) if line.outcome in ran else (0, 0) for line in lines]
    best = max(scores, default=(0, 0))
    return [line for line, score in zip(lines, scores, strict=True) if score == best and score[0]]


def _score(path: KeyPath, line: SourceLine, data: Any) -> tuple[int, int]:
    """Return how many keys of a place a line has in common, and how much of what is there is its own."""
    place = line.path or (path[:2] if path[1:2] and path[1] in line.subjects else ())
    common = next((at for at, (one, other) in enumerate(zip(path, place, strict=False)) if one != other), None)
    common = min(len(path), len(place)) if common is None else common
    value, words = _at(data, path), line.text.split()
    own = sum(mentions(value, path[common:], each) for each in elements_of(line.text))
    named = sum(all(part in words for part in str(key).split("-")) for key in path[common:])
    return common, 2 * own + named


def _at(data: Any, path: KeyPath) -> Any:
    for key in path:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            break
    return data
