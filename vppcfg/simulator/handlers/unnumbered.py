"""Messages about borrowed addresses (vnet/interface_api.c, vnet/ip/ip_api.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.vnet import unnumbered
from vppcfg.simulator.wire import NONE


def set_unnumbered(call: Call, donor: int, borrower: int, is_add: bool) -> list[Outgoing]:
    """Borrow addresses or stop it; the donor is looked at only for the former."""
    tables = call.tables
    row = interface.require(tables, borrower)
    if not is_add:
        unnumbered.stop(tables, borrower)
    elif not tables.sw.has(donor):
        raise RefusedError(Retval.INVALID_SW_IF_INDEX_2)
    else:
        unnumbered.borrow(tables, row, donor)
    return [("sw_interface_set_unnumbered_reply", (0,))]


def dump(call: Call, sw_if_index: int) -> Iterator[Outgoing]:
    """Show who borrows from whom, be it from an interface that is gone."""
    for row in call.tables.sw:
        if row.unnumbered is not None and sw_if_index in {NONE, row.index}:
            yield "ip_unnumbered_details", (row.index, row.unnumbered)


HANDLERS: Handlers = {
    "sw_interface_set_unnumbered": Handler(answer=set_unnumbered, is_change=True),
    "ip_unnumbered_dump": Handler(answer=dump),
}
