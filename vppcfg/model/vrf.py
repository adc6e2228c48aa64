"""FIB tables other than the default one: what VPP has of a VRF, one table for each family (vnet/fib/fib_table.c)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from vppcfg.record import record

MAX_TABLE = 0xFFFFFFFE
"""The largest number of a table; all ones mean none, and 0 is the default table, which is in no State."""
UNMANAGED_VRF = "vrf:"
"""What stands before the name of a table where objects of all kinds are named."""
_UNNAMED = re.compile(r"ipv[46]-VRF:-?[0-9]+")


def table_key(table_id: int, *, is_ipv6: bool) -> str:
    """Return the key of a table in states and plans: the name that VPP gives to an unnamed table."""
    return f"ipv{6 if is_ipv6 else 4}-VRF:{table_id}"


def table_keys(tables: tuple[int, int]) -> Iterator[str]:
    """Yield the keys of the tables of IPv4 and of IPv6 with some ids, without the default ones."""
    for is_ipv6, table_id in zip((False, True), tables, strict=True):
        if table_id:
            yield table_key(table_id, is_ipv6=is_ipv6)


@record
class FibTable:
    """One FIB table. Its name is given when it is made, and never changes."""

    table_id: int
    is_ipv6: bool = False
    name: str = ""
    """Two tables may have the same one."""

    @property
    def key(self) -> str:
        """Return the key of the table."""
        return table_key(self.table_id, is_ipv6=self.is_ipv6)

    @property
    def is_unnamed(self) -> bool:
        """Return whether the name is VPP's own, as that of a table which linux-nl created: it has no owner then."""
        return is_unnamed(self.name)


@record
class ForeignRoutes:
    """The routes of a FIB table that come from elsewhere than VPP's API."""

    table: FibTable
    source: str
    """Who did, as VPP calls it: CLI for its prompt, lcp-rt for routes of Linux."""
    prefixes: tuple[str, ...] = ()
    """Where the routes lead, in no order; none when all that is known is that the source holds the table."""


def names_of_tables(tables: tuple[int, int], vrfs: Mapping[str, FibTable]) -> tuple[str, ...]:
    """Return the names of the tables of IPv4 and of IPv6, given by their ids; '' for one that `vrfs` lacks."""
    found = [
        vrfs.get(table_key(number, is_ipv6=is_ipv6)) for is_ipv6, number in zip((False, True), tables, strict=True)
    ]
    return tuple("" if table is None else table.name for table in found)


def is_unnamed(name: str) -> bool:
    """Return whether a name of a table is one that VPP gives to tables without any."""
    return _UNNAMED.fullmatch(name) is not None


LAST_TYPED = 0x7FFFFFFF
"""The largest number of a FIB table that VPP's CLI reads, as a signed integer; the API takes larger ones."""
