"""FIB tables, and which of them an interface is in (vnet/ip/ip_api.c, table_api.c)."""

from __future__ import annotations

from vppcfg.simulator.addresses import AddressBook
from vppcfg.simulator.mains.fib import FibMain
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables


def _of(tables: Tables, is_ipv6: bool) -> tuple[FibMain, AddressBook]:
    return (tables.fib6, tables.ip6) if is_ipv6 else (tables.fib4, tables.ip4)


def bind(tables: Tables, sw_if_index: int, is_ipv6: bool, table_id: int) -> None:
    """Put an interface into a FIB table; raise RefusedError when there is no such table or it has addresses."""
    main, book = _of(tables, is_ipv6)
    if table_id not in main.tables:
        raise RefusedError(Retval.NO_SUCH_FIB)
    if any(True for _ in book.of(sw_if_index)):
        raise RefusedError(Retval.ADDRESS_FOUND_FOR_INTERFACE)
    old = book.table_of(sw_if_index)
    book.unbind(sw_if_index)
    if table_id:
        book.bind(sw_if_index, table_id)
    _collect(main, book, old)


def unbind(tables: Tables, sw_if_index: int) -> None:
    """Take an interface that goes away out of its FIB tables."""
    for is_ipv6 in (False, True):
        main, book = _of(tables, is_ipv6)
        old = book.table_of(sw_if_index)
        book.unbind(sw_if_index)
        _collect(main, book, old)


def create(tables: Tables, is_ipv6: bool, table_id: int, name: bytes) -> None:
    """Make a table; one that is there stays as it is."""
    _of(tables, is_ipv6)[0].make(table_id, name)


def delete(tables: Tables, is_ipv6: bool, table_id: int) -> None:
    """Let a table go; it stays as long as an interface is in it."""
    main, book = _of(tables, is_ipv6)
    table = main.tables.get(table_id)
    if table is not None and table_id:
        table.is_wanted = False
        _collect(main, book, table_id)


def _collect(main: FibMain, book: AddressBook, table_id: int) -> None:
    table = main.tables.get(table_id)
    if table is not None and table_id and not table.is_wanted and not book.is_bound(table_id):
        del main.tables[table_id]
