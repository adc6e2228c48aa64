"""How much one reading asks of a VPP, whose workers stand still while it answers: what is large is not walked.

VPP handles a message, unless it is marked thread safe, and most commands while all workers wait (vlib/threads.c). A
port at 10 million packets a second loses some after 100 µs. So nothing is asked that grows with the router: of a table
that is large, what was set before is asked for by name, and what is left out is said. An operator may ask for all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from vppcfg.model.interface import Interface
from vppcfg.model.state import State
from vppcfg.model.table_sizes import TableSizes
from vppcfg.model.vpp_object import VppObject
from vppcfg.model.vrf import FibTable

MOST_WALKED = 1000
"""Entries of a table that VPP walks within 0.2 ms: it takes 110 ms for 700,000 routes."""
MOST_EXAMINED = 40
"""Interfaces that may be asked about one by one, two questions each."""


class RouteCounts(Protocol):
    """How many routes a VPP has, None where it does not say."""

    @property
    def total(self) -> int | None:
        """Return how many there are in all tables; VPP walks them to tell."""

    @property
    def of_ipv4(self) -> int | None:
        """Return how many all tables of IPv4 have."""

    def of_ipv4_table(self, table_id: int) -> int | None:
        """Return how many a table of IPv4 has."""


class Survey:
    """What may be asked in one reading, and what it has left out."""

    def __init__(
        self,
        sizes: TableSizes | None = None,
        counts: RouteCounts | None = None,
        formerly: Callable[[], Iterable[State]] = tuple,
        set_since: Collection[VppObject] = (),
        closely: Collection[str] = (),
        expected: State | None = None,
        seen: State | None = None,
        *,
        is_whole: bool = False,
    ) -> None:
        """Have a survey of a VPP with tables of `sizes`; with `is_whole`, everything is read.

        `counts` asks VPP how many routes it has, where `sizes` does not tell enough.
        `formerly` returns the states that changes began with and led to, as far as these may still be there;
        `set_since` is what was set after them. The interfaces named in `closely` are read in every detail;
        `expected` is where a plan leads that touches them, `seen` what was read last.
        """
        self._sizes = sizes
        self._counts = counts
        self._formerly = formerly
        self._set_since = set_since
        self.is_whole = is_whole
        self._names: dict[str, int] = {}
        self._closely = closely
        self._expected = expected
        self._seen = seen
        self._left_out: dict[str, None] = {}

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return what was not looked for although it may be there, in the order in which that was decided."""
        return tuple(self._left_out)

    def leave_out(self, what: str) -> None:
        """Note what is not looked for."""
        self._left_out[what] = None

    def walks(self, tables: Iterable[FibTable]) -> bool:
        """Return whether VPP may walk FIB tables: they are small, or everything is wanted.

        It keeps the routes of all IPv6 tables together, so that it walks all of them for each.
        """
        if self.is_whole or (self._total is not None and self._total <= MOST_WALKED):
            return True
        counts = map(self._count_in, tables)
        return all(count is not None and count <= MOST_WALKED for count in counts)

    def _count_in(self, table: FibTable) -> int | None:
        """Return how many routes VPP walks for a table at most."""
        if self._counts is None or table.is_ipv6:
            return self._of_others
        return self._counts.of_ipv4_table(table.table_id)

    @cached_property
    def _total(self) -> int | None:
        """Return how many routes there are at most, of which the stats segment tells without a message."""
        if self._sizes is not None:
            return self._sizes.routes
        return None if self._counts is None else self._counts.total

    @property
    def _of_others(self) -> int | None:
        """Return how many routes of IPv6 and MPLS there are at most."""
        of_ipv4 = None if self._counts is None else self._counts.of_ipv4
        return None if self._total is None or of_ipv4 is None else self._total - of_ipv4

    def walkable(self, tables: Iterable[FibTable], what: str) -> list[FibTable]:
        """Return those of `tables` that VPP may walk; `what` of the others is left out."""
        tables = tuple(tables)
        found = [table for table in tables if self.walks([table])]
        large = [table for table in tables if table not in found]
        numbers = {is_ipv6: [each.table_id for each in large if each.is_ipv6 == is_ipv6] for is_ipv6 in (False, True)}
        places = (
            f"table{'s' if len(ids) > 1 else ''} {', '.join(map(str, ids))} of {'IPv6' if is_ipv6 else 'IPv4'}"
            for is_ipv6, ids in numbers.items()
            if ids
        )
        if large:
            self.leave_out(f"{what} in {' and '.join(places)}")
        return found

    @property
    def walks_mpls(self) -> bool:
        """Return whether VPP may walk its labels."""
        return self.walks([FibTable(table_id=0, is_ipv6=True)])

    def meet(self, names: Mapping[int, str]) -> None:
        """Learn which interfaces there are, by their index."""
        self._names = {name: index for index, name in names.items()}

    def index_of(self, name: str) -> int | None:
        """Return the index of an interface, None where there is none of that name."""
        return self._names.get(name)

    def examined(self, indexes: Sequence[int]) -> Sequence[int]:
        """Return which of the interfaces at `indexes` are asked about one by one: all where there are few.

        Otherwise those that are to be read closely, and those that had what is read so.
        """
        if self.examines_all(len(indexes)):
            return indexes
        wanted = {self._names[name] for name in self._closely if name in self._names}
        wanted.update(self.indexes_with(lambda each: each.ra is not None or each.link_local is not None))
        self.leave_out(f"link-local addresses and router advertisements of {len(set(indexes) - wanted)} interfaces")
        return [index for index in indexes if index in wanted]

    def indexes_with(self, has: Callable[[Interface], bool]) -> set[int]:
        """Return the indexes of the interfaces that had something when the last change began, or were to have it."""
        return {
            self._names[name]
            for state in self._states
            for name, each in state.interfaces.items()
            if name in self._names and has(each)
        }

    def indexes_closely(self) -> set[int]:
        """Return the indexes of the interfaces that are read closely."""
        return {self._names[name] for name in self._closely if name in self._names}

    @property
    def walks_neighbors(self) -> bool:
        """Return whether VPP may list its neighbours."""
        return self.is_whole or self._sizes is None or self._sizes.adjacencies <= MOST_WALKED

    @property
    def walks_macs(self) -> bool:
        """Return whether VPP may list the MAC addresses of its bridge domains: a walk of 10 ms, however few there are.

        It is done where some are known to be static, and where nothing is known.
        """
        if self.is_whole or not self.has_record or self.indexes_with(lambda each: bool(each.static_macs)):
            return True
        bridges = (each for state in self._states for each in state.bridges.values())
        return any(each.filtered_macs or each.stray_macs for each in bridges)

    @property
    def _states(self) -> Iterator[State]:
        yield from self._formerly()
        yield from filter(None, (self._seen, self._expected))

    def examines_all(self, interfaces: int) -> bool:
        """Return whether so many interfaces may be asked about one by one."""
        return self.is_whole or interfaces <= MOST_EXAMINED

    @property
    def has_record(self) -> bool:
        """Return whether it is known what was set before."""
        return any(True for _ in self._formerly())

    def known_objects(self) -> Iterator[VppObject]:
        """Yield what was set before, as far as that is known; the same object may come twice."""
        for state in self._states:
            for objects in state.objects.values():
                yield from objects.values()
        yield from self._set_since
