"""Messages about MPLS (vnet/mpls/mpls_api.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing
from vppcfg.simulator.mains.mpls import Source
from vppcfg.simulator.vnet import mpls
from vppcfg.simulator.wire import NONE


def add_delete_table(call: Call, is_add: bool, table_id: int, name: bytes) -> list[Outgoing]:
    """Make or delete a table; VPP refuses neither."""
    if is_add:
        mpls.create_table(call.tables, table_id, Source.API, name.split(b"\0", 1)[0])
    else:
        mpls.delete_table(call.tables, table_id, Source.API)
    return [("mpls_table_add_del_reply", (0,))]


def dump_tables(call: Call) -> Iterator[Outgoing]:
    """Show all tables."""
    for table_id, table in call.tables.mpls.tables.items():
        yield "mpls_table_details", (table_id, table.name[:63])


def set_enabled(call: Call, sw_if_index: int, is_on: bool) -> list[Outgoing]:
    """Let an interface take labelled packets, or no longer."""
    interface.require(call.tables, sw_if_index)
    mpls.set_enabled(call.tables, sw_if_index, is_on)
    return [("sw_interface_set_mpls_enable_reply", (0,))]


def dump_interfaces(call: Call, sw_if_index: int) -> Iterator[Outgoing]:
    """Show the interfaces that take labelled packets."""
    tables = call.tables
    indexes = [row.index for row in tables.sw] if sw_if_index == NONE else [sw_if_index]
    for index in indexes:
        if mpls.is_enabled(tables, index):
            yield "mpls_interface_details", (index,)


HANDLERS: Handlers = {
    "mpls_table_add_del": Handler(answer=add_delete_table, is_change=True),
    "mpls_table_dump": Handler(answer=dump_tables),
    "sw_interface_set_mpls_enable": Handler(answer=set_enabled, is_change=True),
    "mpls_interface_dump": Handler(answer=dump_interfaces),
}
