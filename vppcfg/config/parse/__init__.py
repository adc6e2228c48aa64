"""Data of the right shape to a Configuration with canonical values and defaults; no entry is compared with another.

Entries that have problems of their own are left out, and named, so that rules can tell them from missing ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from vppcfg.config.parse.dataplane import parse_dataplane
from vppcfg.config.parse.section import Section
from vppcfg.model.configuration import Configuration
from vppcfg.model.problem import KeyPath, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What could be made of a file."""

    configuration: Configuration
    """The sound entries."""
    broken: frozenset[str] = frozenset()
    """Names of the interfaces that the file has but `configuration` lacks."""
    problems: tuple[Problem, ...] = ()


def parse(data: Any, bad_paths: Iterable[KeyPath]) -> Parsed:
    """Parse data in which everything is of the right shape but for what stands at `bad_paths`."""
    content = data if isinstance(data, dict) else {}
    bad = frozenset(bad_paths)
    section = Section(bad)
    section.parse(content.get("interfaces"))
    is_sound = not any(path[:1] == ("unmanaged",) for path in bad)
    globs = tuple(content.get("unmanaged") or ()) if is_sound else ()
    dataplane, dataplane_problems = parse_dataplane(content.get("dataplane"), bad)
    return Parsed(
        configuration=Configuration(interfaces=section.interfaces, unmanaged=globs, dataplane=dataplane),
        broken=frozenset(section.broken),
        problems=(*section.problems, *dataplane_problems),
    )
