"""A finding about a startup.conf: the problem, what had to be known to see it, and the releases of VPP it is about."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from vppcfg.common.release import Release
from vppcfg.model.host import Host
from vppcfg.model.problem import Problem, Severity
from vppcfg.record import record
from vppcfg.startup.conf.problem_text import problem
from vppcfg.startup.conf.tree import ConfEntry


class Level(Enum):
    """How deep one has to look."""

    FORM = "form"
    """The file cannot be read: braces, placeholders, the values of keys."""
    WORDS = "words"
    """Keys, sections or plugins that the release does not know."""
    SENSE = "sense"
    """Values that contradict each other."""
    MACHINE = "machine"
    """What this machine does not have: memory, CPUs, devices, folders."""
    HABITS = "habits"
    """What VPP accepts and may surprise: its defaults, and keys with side effects."""


NEEDS = {Level.WORDS: "release", Level.MACHINE: "host", Level.HABITS: "release"}
"""What has to be known besides the file."""


@record
class ConfFinding:
    """One problem of a startup.conf."""

    problem: Problem
    level: Level
    releases: tuple[Release, ...]
    """Those that were asked about and that have the problem, ascending."""


@record
class ConfJudgement:
    """All that was found, and what was looked at."""

    findings: tuple[ConfFinding, ...]
    levels: tuple[Level, ...]
    releases: tuple[Release, ...]
    stopped: tuple[Release, ...] = ()
    """The releases that do not start with the file, as far as is known."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the problems alone."""
        return tuple(finding.problem for finding in self.findings)

    @property
    def has_errors(self) -> bool:
        """Return whether one of the problems is an error."""
        return any(found.severity is Severity.ERROR for found in self.problems)


@record
class ConfSurroundings:
    """What is known besides the file."""

    host: Host | None = None
    folders: Collection[str] | None = None
    """Those of the machine that the file names and that exist; None when unknown."""
    installed: Collection[str] | None = None
    """Names of the plugins that are there; None when only the release is known."""
    allowed: frozenset[str] = frozenset()
    """Words that are known beside those of upstream VPP."""


def warning(rule: str, entry: ConfEntry, text: str) -> Problem:
    """Return a warning at an entry."""
    return problem(rule, entry, text, Severity.WARNING)


def notice(rule: str, entry: ConfEntry | None, text: str) -> Problem:
    """Return a notice at an entry, or about the whole file."""
    return problem(rule, entry or ConfEntry(name=""), text, Severity.NOTICE)
