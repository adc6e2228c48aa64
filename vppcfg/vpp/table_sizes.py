"""Reads how large VPP's tables are from its stats segment, which costs VPP no message and its workers no halt.

A table's counters have a place for each of its objects, so that the length of a vector tells: of load balances, of
which each route has one (vnet/dpo/load_balance.c), of adjacencies (vnet/adj/adj.c) and of the replications of multicast
routes (vnet/dpo/replicate_dpo.c). They have these names in all releases from 23.06 to 26.10.
"""

from __future__ import annotations

import re
from functools import cached_property

from vppcfg.errors import DataplaneError
from vppcfg.model.table_sizes import TableSizes
from vppcfg.model.vrf import LAST_TYPED
from vppcfg.vpp.segment import Segment
from vppcfg.wire.reading import VppReader
from vppcfg.wire.shell import show

_LENGTHS = {
    "routes": "/net/route/to",
    "adjacencies": "/net/adjacency",
    "multicast_routes": "/net/mroute",
    "interfaces": "/if/names",
}
"""Counters with a place for each object, by the attribute."""
_FIB_MEMORY = "show fib memory"
"""Prints how many objects of each kind the FIB has (fib_entry_show_memory, vnet/fib/fib_entry.c)."""
_IPV4 = "show ip fib summary"
"""The same command for IPv6 walks the table (vnet/fib/ip6_fib.c)."""
_COUNT = re.compile(r"^ +[0-9]+ +([0-9]+) *\r?$", re.MULTILINE)
_ENTRIES = re.compile(r"^ *Entry +[0-9]+ +([0-9]+) */", re.MULTILINE)
_SESSIONS = "/nat44-ed/total-sessions"


def read_sizes(stats_socket: str) -> TableSizes | None:
    """Return how large the tables of the VPP behind a stats socket are, None when there is no segment to be read."""
    try:
        with Segment(stats_socket, only=(*_LENGTHS.values(), _SESSIONS)) as segment:
            return segment.read(lambda: _read(segment))
    except DataplaneError:
        return None


def _read(segment: Segment) -> TableSizes:
    lengths = {attribute: segment.length(name) for attribute, name in _LENGTHS.items()}
    return TableSizes(**lengths, nat44_sessions=segment.scalar(_SESSIONS))


class CountedRoutes:
    """How many routes a VPP has in its tables; it is asked when that is wanted first, and walks none of them."""

    def __init__(self, connection: VppReader) -> None:
        self._connection = connection
        self._of_tables: dict[int, int | None] = {}

    @cached_property
    def total(self) -> int | None:
        """Return how many there are in all tables, IPv6 and MPLS among them; None where VPP does not say.

        It walks all of them for that, 20 ms for 500,000: ask only where the stats segment cannot be read.
        """
        match = _ENTRIES.search(show(self._connection, _FIB_MEMORY)[1])
        return int(match[1]) if match else None

    @cached_property
    def of_ipv4(self) -> int | None:
        """Return how many all tables of IPv4 have; None where VPP does not say."""
        return _sum_of(show(self._connection, _IPV4)[1])

    def of_ipv4_table(self, table_id: int) -> int | None:
        """Return how many a table of IPv4 has; None where VPP does not say."""
        if table_id > LAST_TYPED:
            return None
        if table_id not in self._of_tables:
            self._of_tables[table_id] = _sum_of(show(self._connection, f"{_IPV4} table {table_id}")[1])
        return self._of_tables[table_id]


def _sum_of(text: str) -> int | None:
    """Return the sum of the counts by prefix length that VPP prints; it reads the sizes of hash tables for them."""
    counts = [int(count) for count in _COUNT.findall(text)]
    return sum(counts) if counts else None
