"""The outcome of parsing a file: its valid entries, and the names of those that are not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vppcfg.entries.configuration import Configuration
from vppcfg.model.problem import Problem
from vppcfg.record import record


@record
class Parsed:
    """The outcome of parsing a file."""

    configuration: Configuration
    """The valid entries."""
    broken: frozenset[str] = frozenset()
    """Names of the interfaces and loopbacks that the file has but `configuration` lacks."""
    broken_entries: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The same for the entries of other sections, by section."""
    lost_sections: frozenset[str] = frozenset()
    """Sections of which nothing at all is known."""
    problems: tuple[Problem, ...] = ()
    is_cut: bool = False
    """Whether there are more problems than these."""
