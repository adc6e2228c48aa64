"""Interfaces that borrow the addresses of another (vnet_sw_interface_update_unnumbered in vnet/interface.c)."""

from __future__ import annotations

from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import SwInterface, Tables

_TABLES_DIFFER = "When enabling unnumbered both interfaces must be in the same tables"


def borrow(tables: Tables, borrower: SwInterface, donor: int) -> None:
    """Borrow the addresses of `donor`, even one's own; raise RefusedError when it is in another FIB table."""
    books = (tables.ip4, tables.ip6)
    if any(book.table_of(borrower.index) != book.table_of(donor) for book in books):
        raise RefusedError(Retval.UNEXPECTED_INTF_STATE, _TABLES_DIFFER)
    borrower.unnumbered = donor
    for book in books:
        book.borrow(borrower.index, donor)


def stop(tables: Tables, sw_if_index: int) -> None:
    """End borrowing; nothing happens to an interface that does not borrow."""
    borrower = tables.sw.stale(sw_if_index)
    if borrower is None or borrower.unnumbered is None:
        return
    borrower.unnumbered = None
    for book in (tables.ip4, tables.ip6):
        book.stop_borrowing(sw_if_index)
