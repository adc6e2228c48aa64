"""Problems: what a rule found in a configuration, and where."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from vppcfg.common.bounds import PROBLEMS
from vppcfg.record import record

KeyPath = tuple[str | int, ...]


class Severity(Enum):
    """Whether a problem forbids going on, should be looked at, or is only good to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"
    """Nothing needs to be done; `check` alone reports it."""


@record
class Problem:
    """One finding about one place of a configuration file."""

    rule: str
    """Stable id, such as l2xc-target-missing; `vppcfg explain` explains it."""
    path: KeyPath
    text: str
    """What is wrong, and what to do."""
    line: int = 0
    """From 1; 0 when the place is not in a file."""
    column: int = 0
    file: str = ""
    """Its name where there are several; the place is in it."""
    severity: Severity = Severity.ERROR

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """Return what sorts problems as they stand in the file."""
        return self.file, self.line, self.column, self.rule, self.text


class ProblemList(list[Problem]):
    """Problems up to a bound: the first so many of each severity are kept."""

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        super().__init__()
        self.is_cut = False
        """Whether there are more errors than are kept; further ones need not be looked for then."""
        self._left = dict.fromkeys(Severity, PROBLEMS)
        self.extend(problems)

    def append(self, problem: Problem) -> None:
        """Keep a problem if there is room for it."""
        if self._left[problem.severity]:
            self._left[problem.severity] -= 1
            super().append(problem)
        elif problem.severity is Severity.ERROR:
            self.is_cut = True

    def extend(self, problems: Iterable[Problem]) -> None:
        """Keep those for which there is room, and look at no further one once there are too many errors."""
        for problem in problems:
            self.append(problem)
            if self.is_cut:
                return

    def __iadd__(self, problems: Iterable[Problem]) -> ProblemList:  # type: ignore[override, misc]  # as extend
        """Keep those for which there is room."""
        self.extend(problems)
        return self
