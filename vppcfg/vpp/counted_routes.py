"""Asks VPP's CLI how many routes its tables have; VPP walks none of those of IPv4 for that."""

from __future__ import annotations

import re
from functools import cached_property

from vppcfg.model.vrf import LAST_TYPED
from vppcfg.wire.reading import VppReader
from vppcfg.wire.shell import show

_FIB_MEMORY = "show fib memory"
"""Prints how many objects of each kind the FIB has (fib_entry_show_memory, vnet/fib/fib_entry.c)::

             Name               Size  in-use /allocated   totals
             Entry               72     12   /    12      864/864
"""
_ENTRIES = re.compile(r"^ *Entry +[0-9]+ +([0-9]+) */", re.MULTILINE)
_IPV4 = "show ip fib summary"
"""Prints a line for each prefix length in use. The same command for IPv6 walks the table (vnet/fib/ip6_fib.c)::

    Prefix length         Count
                  24               1
                  32               5
"""
_COUNT = re.compile(r"^ +[0-9]+ +([0-9]+) *\r?$", re.MULTILINE)


class CountedRoutes:
    """How many routes a VPP has in its tables; it is asked when that is wanted first."""

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
