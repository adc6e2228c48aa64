"""Messages about VXLAN tunnels, in all their versions (plugins/vxlan/vxlan_api.c)."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing
from vppcfg.simulator.mains.vxlan import Address, Tunnel
from vppcfg.simulator.retval import RefusedError
from vppcfg.simulator.vnet import vxlan
from vppcfg.simulator.wire import NONE, Value


def add_delete(call: Call, is_add: bool, number: int, *rest: Value) -> list[Outgoing]:
    """Make or delete a tunnel, version 1: without ports."""
    wish = _wish(number, rest[:4], (0, 0), rest[4:8])
    return [("vxlan_add_del_tunnel_reply", _add_delete(call, is_add, wish))]


def add_delete_v2(call: Call, is_add: bool, number: int, *rest: Value) -> list[Outgoing]:
    """Make or delete a tunnel, version 2: with ports."""
    wish = _wish(number, rest[:4], rest[4:6], rest[6:10])
    return [("vxlan_add_del_tunnel_v2_reply", _add_delete(call, is_add, wish))]


def add_delete_v3(call: Call, is_add: bool, number: int, *rest: Value) -> list[Outgoing]:
    """Make or delete a tunnel, version 3: for L3 packets if wanted."""
    wish = _wish(number, rest[:4], rest[4:6], rest[6:10], is_l3=bool(rest[10]))
    return [("vxlan_add_del_tunnel_v3_reply", _add_delete(call, is_add, wish))]


def _wish(
    number: int, ends: tuple[Value, ...], ports: tuple[Value, ...], numbers: tuple[Value, ...], *, is_l3: bool = False
) -> vxlan.Wish:
    source_port, destination_port = (int(port) for port in ports if isinstance(port, int))
    mcast, table, decap_next, vni = (int(value) for value in numbers if isinstance(value, int))
    return vxlan.Wish(
        number=number,
        source=_address(ends[0], ends[1]),
        destination=_address(ends[2], ends[3]),
        source_port=source_port,
        destination_port=destination_port,
        mcast_sw_if_index=mcast,
        table=table,
        decap_next=decap_next,
        vni=vni,
        is_l3=is_l3,
    )


def _address(family: Value, packed: Value) -> Address:
    raw = packed if isinstance(packed, bytes) else bytes(16)
    return IPv6Address(raw) if family else IPv4Address(raw[:4])


def _add_delete(call: Call, is_add: bool, wish: vxlan.Wish) -> tuple[int, int]:
    tables = call.tables
    try:
        vxlan.check(tables, wish)
        return 0, vxlan.create(tables, wish).index if is_add else vxlan.delete(tables, wish)
    except RefusedError as refusal:
        return refusal.retval, NONE


def dump(call: Call, sw_if_index: int) -> Iterator[Outgoing]:
    """Show all tunnels or one, version 1."""
    for tunnel in _wanted(call, sw_if_index):
        details = _details(tunnel)
        yield "vxlan_tunnel_details", (*details[:6], *details[8:])


def dump_v2(call: Call, sw_if_index: int) -> Iterator[Outgoing]:
    """Show all tunnels or one, version 2: with ports."""
    for tunnel in _wanted(call, sw_if_index):
        yield "vxlan_tunnel_v2_details", _details(tunnel)


def _wanted(call: Call, sw_if_index: int) -> Iterator[Tunnel]:
    main = call.tables.vxlan
    if sw_if_index == NONE:
        yield from main.tunnels
    elif sw_if_index in main.by_sw:
        yield main.tunnels[main.by_sw[sw_if_index]]


def _details(tunnel: Tunnel) -> tuple[Value, ...]:
    ends = (*_packed(tunnel.source), *_packed(tunnel.destination))
    ports = tunnel.source_port, tunnel.destination_port
    numbers = tunnel.mcast_sw_if_index, tunnel.table, tunnel.decap_next, tunnel.vni
    return tunnel.sw_if_index, tunnel.number, *ends, *ports, *numbers


def _packed(address: Address) -> tuple[int, bytes]:
    return int(address.version == 6), address.packed


HANDLERS: Handlers = {
    "vxlan_add_del_tunnel": Handler(answer=add_delete, is_change=True),
    "vxlan_add_del_tunnel_v2": Handler(answer=add_delete_v2, is_change=True),
    "vxlan_add_del_tunnel_v3": Handler(answer=add_delete_v3, is_change=True),
    "vxlan_tunnel_dump": Handler(answer=dump),
    "vxlan_tunnel_v2_dump": Handler(answer=dump_v2),
}
