"""The differences that there can be between Linux and VPP: something is missing, stale or different."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import Enum
from typing import NamedTuple

from vppcfg.model.forwarding import RouteEntry, RoutePlace, TableId
from vppcfg.record import record


class MismatchKind(Enum):
    """How VPP is not as Linux."""

    MISSING = "missing"
    """Linux has it, and VPP lacks it."""
    STALE = "stale"
    """VPP has it, and Linux lacks it."""
    DIFFERENT = "different"
    LOST = "lost"
    """Neither has it any more, and the last change was to set it."""
    VPP_ONLY = "alone"
    """VPP has it, and Linux lacks it, which may be right; it does not count."""


class Subject(Enum):
    """What is compared, in the order of reports."""

    PAIR = "pair"
    STATE = "state"
    MTU = "mtu"
    ADDRESS = "address"
    NEIGHBOR = "neighbor"
    ROUTE = "route"


class Mismatch(NamedTuple):
    """One thing on one interface that is not the same on both sides."""

    kind: MismatchKind
    subject: Subject
    interface: str
    """VPP's name."""
    name: str = ""
    """The address of a neighbour, or an address; of a pair its Linux device."""
    linux: str = ""
    """What Linux has, where that is more than the name."""
    vpp: str = ""


class RouteMismatch(NamedTuple):
    """How one prefix is not the same on both sides."""

    kind: MismatchKind
    linux: RouteEntry | None = None
    vpp: RouteEntry | None = None


@record
class Comparison:
    """What came out of one look at both sides."""

    mismatches: frozenset[Mismatch] = frozenset()
    routes: Mapping[TableId, Mapping[bytes, RouteMismatch]] = field(default_factory=dict)
    """By prefix."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """How much linux-cp and linux-nl do not copy, or in another way, by what it is."""
    compared: Mapping[Subject, int] = field(default_factory=dict)
    """How many of each were held against each other."""
    own: Mapping[str, int] = field(default_factory=dict)
    """Routes of VPP itself or of other programs, by their source; Linux is not to have them."""
    in_linux: Mapping[Subject, int] = field(default_factory=dict)
    """How many there are of what is looked up one by one."""
    uncounted: Mapping[tuple[TableId, int], int] = field(default_factory=dict)
    """How many prefixes of a length VPP has less than Linux, beside those that were found missing."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """What was not looked at, and how much of it, by what it is."""
    looked_up: frozenset[RoutePlace] = frozenset()
    """The prefixes that VPP was asked about one by one."""

    def both(self, later: Comparison) -> Comparison:
        """Return the later comparison with those of its mismatches that this one has too."""
        routes = {
            table: {prefix: each for prefix, each in found.items() if self.routes[table].get(prefix) == each}
            for table, found in later.routes.items()
            if table in self.routes
        }
        return Comparison(
            mismatches=self.mismatches & later.mismatches,
            routes={table: found for table, found in routes.items() if found},
            limits=later.limits,
            compared=self.compared,
            own=self.own,
            in_linux=self.in_linux,
            uncounted={
                place: min(count, later.uncounted[place])
                for place, count in self.uncounted.items()
                if place in later.uncounted
            },
            unread=later.unread,
        )

    def count(self) -> int:
        """Return how many mismatches there are that count."""
        counting = sum(each.kind is not MismatchKind.VPP_ONLY for each in self.mismatches)
        return counting + sum(map(len, self.routes.values())) + sum(self.uncounted.values())

    def places(self) -> list[RoutePlace]:
        """Return the prefixes that are not the same, with their tables."""
        return [(table, prefix) for table, found in self.routes.items() for prefix in found]

    def counts(self) -> Mapping[tuple[Subject, MismatchKind], int]:
        """Return how many mismatches there are, by what and how."""
        counts = Counter(self._kinds())
        if self.uncounted:
            counts[Subject.ROUTE, MismatchKind.MISSING] += sum(self.uncounted.values())
        return counts

    def _kinds(self) -> Iterator[tuple[Subject, MismatchKind]]:
        for mismatch in self.mismatches:
            yield mismatch.subject, mismatch.kind
        for found in self.routes.values():
            for each in found.values():
                yield Subject.ROUTE, each.kind
