"""Messages about IP addresses (vnet/interface_api.c, vnet/ip/ip_api.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing
from vppcfg.simulator.vnet import address

_IPV6 = 1


def add_delete(
    call: Call, sw_if_index: int, is_add: bool, is_all: bool, family: int, packed: bytes, length: int
) -> list[Outgoing]:
    """Add or delete an address, or delete all."""
    tables = call.tables
    row = interface.require(tables, sw_if_index)
    is_ipv6 = family == _IPV6
    value = int.from_bytes(packed if is_ipv6 else packed[:4])
    if is_all:
        address.remove_all(tables, sw_if_index)
    elif is_add:
        address.add(tables, row, is_ipv6, value, length)
    else:
        address.remove(tables, row, is_ipv6, value, length)
    return [("sw_interface_add_del_address_reply", (0,))]


def dump(call: Call, sw_if_index: int, is_ipv6: bool) -> Iterator[Outgoing]:
    """Show the addresses of one interface and family; nothing for an index that is free."""
    tables = call.tables
    if not tables.sw.has(sw_if_index):
        return
    book = tables.ip6 if is_ipv6 else tables.ip4
    for assigned in book.of(sw_if_index):
        packed = assigned.address.to_bytes(book.bits // 8)
        yield "ip_address_details", (sw_if_index, int(is_ipv6), packed, assigned.length)


HANDLERS: Handlers = {
    "sw_interface_add_del_address": Handler(answer=add_delete, is_change=True),
    "ip_address_dump": Handler(answer=dump),
}
