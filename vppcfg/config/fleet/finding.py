"""A finding of `check --fleet`: a problem, and what it is about, by which fleet.yml can accept it."""

from __future__ import annotations

import os
from typing import NamedTuple

from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.record import record


class Place(NamedTuple):
    """Where something stands in a file of the folder."""

    file: str
    path: KeyPath
    line: int
    column: int

    @property
    def short(self) -> str:
        """Return the file and the line, for a text that is about another place."""
        return f"{os.path.basename(self.file)}:{self.line}"


@record
class FleetFinding:
    """A problem, and what `accept` of fleet.yml calls it: a subnet, an address, or ROUTER:INTERFACE."""

    problem: Problem
    subject: str


def finding(rule: str, place: Place, text: str, subject: str, severity: Severity = Severity.ERROR) -> FleetFinding:
    """Return what was found at a place."""
    problem = Problem(
        rule=rule,
        path=place.path,
        text=text,
        line=place.line,
        column=place.column,
        file=place.file,
        severity=severity,
    )
    return FleetFinding(problem=problem, subject=subject)
