"""Problems: what a rule found in a configuration, and where."""

from __future__ import annotations

from enum import Enum

from vppcfg.record import record

KeyPath = tuple[str | int, ...]


class Severity(Enum):
    """Whether a problem forbids going on."""

    ERROR = "error"
    WARNING = "warning"


@record
class Problem:
    """One finding about one place of a configuration file."""

    rule: str
    """Stable id, such as l2xc-target-missing; `vppcfg explain` knows it."""
    path: KeyPath
    text: str
    """What is wrong, and what to do."""
    line: int = 0
    """From 1; 0 when the place is not in a file."""
    column: int = 0
    severity: Severity = Severity.ERROR
