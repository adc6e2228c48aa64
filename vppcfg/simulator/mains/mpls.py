"""MPLS tables, and the interfaces that take labelled packets (vnet/mpls)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Source(Enum):
    """Who keeps a table alive (fib_source_t)."""

    API = "API"
    CLI = "CLI"
    INTERFACE = "interface"


@dataclass(slots=True, kw_only=True)
class MplsTable:
    """One table."""

    name: bytes
    locks: dict[Source, int] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class MplsMain:
    """All tables by id, in the order in which they were made."""

    tables: dict[int, MplsTable] = field(default_factory=dict)
    enabled: dict[int, int] = field(default_factory=dict)
    """How often MPLS was enabled, 0 to 255, by sw_if_index; it outlives the interface."""
