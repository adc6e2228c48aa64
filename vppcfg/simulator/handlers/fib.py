"""Messages about FIB tables (vnet/ip/ip_api.c, vnet/interface_api.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing
from vppcfg.simulator.vnet import fib


def add_delete(call: Call, is_add: bool, table_id: int, is_ipv6: bool, name: bytes) -> list[Outgoing]:
    """Make or delete a table; VPP refuses neither."""
    tables = call.tables
    if is_add:
        fib.create(tables, is_ipv6, table_id, name.split(b"\0", 1)[0])
    else:
        fib.delete(tables, is_ipv6, table_id)
    return [("ip_table_add_del_reply", (0,))]


def dump(call: Call) -> Iterator[Outgoing]:
    """Show all tables, those of IPv4 first."""
    tables = call.tables
    for main, is_ipv6 in ((tables.fib4, False), (tables.fib6, True)):
        for table_id, table in main.tables.items():
            yield "ip_table_details", (table_id, is_ipv6, table.name[:63])


def bind(call: Call, sw_if_index: int, is_ipv6: bool, table_id: int) -> list[Outgoing]:
    """Put an interface into a table."""
    interface.require(call.tables, sw_if_index)
    fib.bind(call.tables, sw_if_index, is_ipv6, table_id)
    return [("sw_interface_set_table_reply", (0,))]


HANDLERS: Handlers = {
    "ip_table_add_del": Handler(answer=add_delete, is_change=True),
    "ip_table_dump": Handler(answer=dump),
    "sw_interface_set_table": Handler(answer=bind, is_change=True),
}
