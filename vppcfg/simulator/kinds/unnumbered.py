"""Simulates interfaces that borrow the addresses of another (vnet_sw_interface_update_unnumbered, vnet/interface.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

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


def _answer(call: Call, values: Values) -> Outgoing:
    """Borrow addresses or end it. `sw_if_index` is the donor, which must exist for the former only."""
    donor, borrower = values["sw_if_index"], values["unnumbered_sw_if_index"]
    row = interfaces.require(call.tables, borrower)
    if not values["is_add"]:
        stop(call.tables, borrower)
    elif not call.tables.sw.has(donor):
        raise RefusedError(Retval.INVALID_SW_IF_INDEX_2)
    else:
        borrow(call.tables, row, donor)
    return call.reply()


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show every interface that borrows, with its donor, even when the donor is deleted."""
    for row in call.tables.sw:
        if row.unnumbered is not None and values["sw_if_index"] in {NONE, row.index}:
            yield call.details({"sw_if_index": row.index, "ip_sw_if_index": row.unnumbered})


def _command(tables: Tables, line: Input) -> str:
    """`set interface unnumbered <interface> use <interface>`, `set interface unnumbered del <interface>`."""
    refusal = RefusedError(Retval.UNSPECIFIED, f"parse error '{line.shown}'")
    if line.take("del"):
        row = line.interface(tables)
        if row is None:
            raise refusal
        stop(tables, row.index)
        return ""
    row = line.interface(tables)
    donor = line.interface_after(tables, "use") if row is not None else None
    if row is None or donor is None:
        raise refusal
    borrow(tables, row, donor.index)
    return ""


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Let interfaces borrow addresses; a donor that is gone leaves its index behind."""
    for name, row in rows.items():
        donor = state.interfaces[name].unnumbered
        if donor is not None:
            borrow(tables, row, rows[donor].index if donor in rows else tables.sw.end)


KIND = Kind(
    changes={"sw_interface_set_unnumbered": _answer},
    queries={"ip_unnumbered_dump": _dump},
    commands={"set interface unnumbered": _command},
    load=_load,
)
