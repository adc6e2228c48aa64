"""Messages about interfaces: dump, state, MTUs, tag, MAC, FIB table, events (vnet/interface_api.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator import l2
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing, fixed
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.wire import NONE, Value

_ADMIN_UP, _LINK_UP = 1, 2
_TYPE_HARDWARE, _TYPE_SUB = 0, 1
_VISIBLE_FLAGS = 0xFE
_ONE_TAG, _TWO_TAGS = 2, 4
_NO_MAC = bytes(6)


def dump(call: Call, sw_if_index: int, is_filtered: bool, name_filter: bytes) -> Iterator[Outgoing]:
    """Show one interface, or all whose name holds a text; index 0 and ~0 stand for all."""
    tables = call.tables
    if not is_filtered and sw_if_index not in {0, NONE}:
        only = tables.sw.get(sw_if_index)
        if only is not None:
            yield "sw_interface_details", _details(tables, only)
        return
    wanted = name_filter.decode(errors="surrogateescape").split("\0")[0].lower() if is_filtered else ""
    for row in tables.sw:
        if not wanted or wanted in tables.name_of(row).lower():
            yield "sw_interface_details", _details(tables, row)


def _details(tables: Tables, row: SwInterface) -> tuple[Value, ...]:
    port = tables.hw_of(row)
    rewrite, is_dot1q, tag1, tag2 = l2.rewrite_of(tables, row)
    is_hardware = row.sup_index == row.index
    return (
        row.index,
        row.sup_index,
        port.mac if is_hardware and port.is_ethernet else _NO_MAC,
        (_ADMIN_UP if row.is_up else 0) | (_LINK_UP if port.is_link_up else 0),
        _TYPE_SUB if row.is_sub else _TYPE_HARDWARE,
        0,
        0,
        port.link_mtu & 0xFFFF,
        *row.mtus,
        row.sub_id,
        (1 if row.flags & _ONE_TAG else 0) + (2 if row.flags & _TWO_TAGS else 0),
        row.outer_vlan,
        row.inner_vlan,
        row.flags & _VISIBLE_FLAGS,
        rewrite,
        is_dot1q,
        tag1,
        tag2,
        0,
        _NO_MAC,
        _NO_MAC,
        0,
        0,
        fixed(tables.name_of(row), 64),
        fixed(port.device_class, 64),
        row.tag[:63],
    )


def set_flags(call: Call, sw_if_index: int, flags: int) -> list[Outgoing]:
    """Bring an interface up or down."""
    tables = call.tables
    interface.set_admin_state(tables, interface.require(tables, sw_if_index), bool(flags & _ADMIN_UP))
    return [("sw_interface_set_flags_reply", (0,))]


def set_mtu(call: Call, sw_if_index: int, *mtus: int) -> list[Outgoing]:
    """Set the L3, IPv4, IPv6 and MPLS MTUs."""
    tables = call.tables
    interface.set_packet_mtus(tables, interface.require(tables, sw_if_index), list(mtus))
    return [("sw_interface_set_mtu_reply", (0,))]


def set_link_mtu(call: Call, sw_if_index: int, mtu: int) -> list[Outgoing]:
    """Set a port's link MTU."""
    tables = call.tables
    row = interface.require(tables, sw_if_index)
    if row.is_sub:
        raise RefusedError(Retval.INVALID_VALUE)
    port = tables.hw_of(row)
    if not port.is_ethernet:
        raise RefusedError(Retval.FEATURE_DISABLED)
    interface.set_link_mtu(tables, port, mtu)
    return [("hw_interface_set_mtu_reply", (0,))]


def set_tag(call: Call, is_add: bool, sw_if_index: int, tag: bytes) -> list[Outgoing]:
    """Set or clear a tag; an empty one cannot be set."""
    row = interface.require(call.tables, sw_if_index)
    text = tag[:-1].split(b"\0", 1)[0]
    if is_add and not tag[0]:
        raise RefusedError(Retval.INVALID_VALUE)
    row.tag = text if is_add else b""
    return [("sw_interface_tag_add_del_reply", (0,))]


def set_mac(call: Call, sw_if_index: int, mac: bytes) -> list[Outgoing]:
    """Set an interface's MAC address."""
    tables = call.tables
    interface.set_mac(tables, interface.require(tables, sw_if_index), mac)
    return [("sw_interface_set_mac_address_reply", (0,))]


def get_mac(call: Call, sw_if_index: int) -> list[Outgoing]:
    """Show the MAC address of an interface, of its parent for a sub-interface."""
    tables = call.tables
    row = interface.require(tables, sw_if_index)
    return [("sw_interface_get_mac_address_reply", (0, tables.hw_of(row).mac))]


def want_events(call: Call, is_wanted: int, pid: int) -> list[Outgoing]:
    """Subscribe to sw_interface_event or leave; asking for what is so already is refused (pub_sub_handler)."""
    if bool(is_wanted) == call.client.wants_events:
        raise RefusedError(Retval.INVALID_REGISTRATION)
    call.client.wants_events = bool(is_wanted)
    call.client.pid = pid
    return [("want_interface_events_reply", (0,))]


HANDLERS: Handlers = {
    "sw_interface_dump": Handler(answer=dump),
    "sw_interface_set_flags": Handler(answer=set_flags, is_change=True),
    "sw_interface_set_mtu": Handler(answer=set_mtu, is_change=True),
    "hw_interface_set_mtu": Handler(answer=set_link_mtu, is_change=True),
    "sw_interface_tag_add_del": Handler(answer=set_tag, is_change=True),
    "sw_interface_set_mac_address": Handler(answer=set_mac, is_change=True),
    "sw_interface_get_mac_address": Handler(answer=get_mac),
    "want_interface_events": Handler(answer=want_events),
}
