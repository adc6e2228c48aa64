"""Messages about TAPs (plugins/tap/tapv2_api.c)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing, cstring, fixed
from vppcfg.simulator.mains.tap import TapRow
from vppcfg.simulator.retval import RefusedError
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.vnet import tap
from vppcfg.simulator.wire import NONE, Value


def create_v2(call: Call, number: int, is_mac_random: bool, mac: bytes, _queues: int, *rest: Any) -> list[Outgoing]:
    """Make a TAP, version 2."""
    return [("tap_create_v2_reply", _made(call, _wish(number, b"" if is_mac_random else mac, *rest[:-1]), rest[-1]))]


def create_v3(
    call: Call, number: int, is_mac_random: bool, mac: bytes, _rx_queues: int, _tx_queues: int, *rest: Any
) -> list[Outgoing]:
    """Make a TAP, version 3: with more queues, which nothing here counts."""
    return [("tap_create_v3_reply", _made(call, _wish(number, b"" if is_mac_random else mac, *rest[:-1]), rest[-1]))]


def _wish(number: int, mac: bytes, tx_size: int, rx_size: int, has_mtu: bool, mtu: int, *rest: Any) -> tap.Wish:
    """Read what both versions end with; addresses and gateways of the Linux device are not kept."""
    has_host_mac, host_mac, flags = rest[0], rest[1], rest[12]
    netns, host_name, bridge = (cstring(rest[at + 1]) if rest[at] else "" for at in (13, 15, 17))
    return tap.Wish(
        number=number,
        mac=mac,
        tx_ring_size=tx_size,
        rx_ring_size=rx_size,
        host_mtu=mtu if has_mtu else 0,
        host_mac=host_mac if has_host_mac else bytes(6),
        flags=flags,
        netns=netns,
        host_name=host_name,
        host_bridge=bridge,
    )


def _made(call: Call, wish: tap.Wish, tag: bytes) -> tuple[int, int]:
    try:
        _, row = tap.create(call.tables, wish)
    except RefusedError as refusal:
        return refusal.retval, NONE
    if tag:
        row.tag = tag
    return 0, row.index


def delete(call: Call, sw_if_index: int) -> list[Outgoing]:
    """Delete a TAP."""
    tap.delete(call.tables, sw_if_index)
    return [("tap_delete_v2_reply", (0,))]


def dump(call: Call, sw_if_index: int) -> Iterator[Outgoing]:
    """Show all TAPs or one, those of LCP pairs too; they are shown as they were asked for."""
    for row in call.tables.taps.taps:
        if sw_if_index in {NONE, row.sw_if_index}:
            yield "sw_interface_tap_v2_details", _details(call.tables, row)


def _details(tables: Tables, row: TapRow) -> tuple[Value, ...]:
    return (
        row.sw_if_index,
        row.number,
        row.tx_ring_size,
        row.rx_ring_size,
        row.host_mtu,
        row.host_mac,
        bytes(4),
        0,
        bytes(16),
        0,
        row.flags,
        fixed(tables.name_of(tables.sw[row.sw_if_index]), 64),
        fixed(row.host_name, 64),
        fixed(row.netns, 64),
        fixed(row.host_bridge, 64),
    )


HANDLERS: Handlers = {
    "tap_create_v2": Handler(answer=create_v2, is_change=True),
    "tap_create_v3": Handler(answer=create_v3, is_change=True),
    "tap_delete_v2": Handler(answer=delete, is_change=True),
    "sw_interface_tap_v2_dump": Handler(answer=dump),
}
