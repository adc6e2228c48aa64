"""Parses data of the right shape to a Configuration with canonical values; no entry is compared with another.

Entries that have problems of their own are left out, and named, so that rules can distinguish them from missing ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vppcfg.config.section_list import SECTIONS
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.index import Parsed
from vppcfg.entries.section import Parsing, enter
from vppcfg.model.problem import KeyPath


def parse(data: Any, bad_paths: Iterable[KeyPath]) -> Parsed:
    """Parse data in which everything is of the right shape but for what stands at `bad_paths`."""
    parsing = Parsing(data if isinstance(data, dict) else {}, frozenset(bad_paths))
    attributes: dict[str, Any] = {}
    for section in SECTIONS:
        part = parsing.parts[section.key] = section.parse(parsing)
        if section.attribute is not None:
            enter(attributes, section.attribute, part)
    return Parsed(
        configuration=Configuration(**attributes),
        broken=frozenset(parsing.broken),
        broken_entries=parsing.broken_entries,
        lost_sections=frozenset(str(path[0]) for path in parsing.bad_paths if len(path) == 1),
        problems=tuple(parsing.problems),
        is_cut=parsing.problems.is_cut,
    )
