"""Messages about LCP pairs and their settings (plugins/linux-cp/lcp_api.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing, cstring, fixed
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Pair, Tables
from vppcfg.simulator.vnet import lcp
from vppcfg.simulator.wire import NONE, Value

_TUN = 1
_PAGE_ROWS = 512
"""VPP shows pairs for a millisecond at a time and then wants to be asked again, with the cursor it gives."""


def add_delete(call: Call, is_add: bool, sw_if_index: int, host_name: bytes, kind: int, netns: bytes) -> list[Outgoing]:
    """Make or delete a pair, version 1."""
    retval, _ = _add_delete(call.tables, is_add, sw_if_index, (host_name, kind, netns))
    return [("lcp_itf_pair_add_del_reply", (retval,))]


def add_delete_v2(
    call: Call, is_add: bool, sw_if_index: int, host_name: bytes, kind: int, netns: bytes
) -> list[Outgoing]:
    """Make or delete a pair; a new one's host interface is named."""
    retval, pair = _add_delete(call.tables, is_add, sw_if_index, (host_name, kind, netns))
    return [("lcp_itf_pair_add_del_v2_reply", (retval, pair.host if pair else NONE))]


def add_delete_v3(
    call: Call, is_add: bool, sw_if_index: int, host_name: bytes, kind: int, netns: bytes
) -> list[Outgoing]:
    """Make or delete a pair; a new one's Linux index and host interface are named."""
    retval, pair = _add_delete(call.tables, is_add, sw_if_index, (host_name, kind, netns))
    values = (pair.vif_index, pair.host) if pair else (NONE, NONE)
    return [("lcp_itf_pair_add_del_v3_reply", (retval, *values))]


def _add_delete(
    tables: Tables, is_add: bool, sw_if_index: int, texts: tuple[bytes, int, bytes]
) -> tuple[int, Pair | None]:
    host_name, kind, netns = texts
    try:
        interface.require(tables, sw_if_index)
        if not is_add:
            lcp.delete(tables, sw_if_index)
            return 0, None
        wish = lcp.Wish(host_name=cstring(host_name), netns=cstring(netns), is_tun=kind == _TUN)
        return 0, lcp.create(tables, sw_if_index, wish)
    except RefusedError as refusal:
        return refusal.retval, None


def get(call: Call, cursor: int) -> Iterator[Outgoing]:
    """Show pairs from `cursor` on, a page at a time."""
    pairs = call.tables.lcp.pairs
    if not len(pairs):
        yield "lcp_itf_pair_get_reply", (0, 0)
        return
    rows = [row for row in pairs if row.index >= cursor]
    for row in rows[:_PAGE_ROWS]:
        yield "lcp_itf_pair_details", _details(row)
    if not rows:
        yield "lcp_itf_pair_get_reply", (Retval.INVALID_VALUE, NONE)
    elif len(rows) > _PAGE_ROWS:
        yield "lcp_itf_pair_get_reply", (Retval.EAGAIN, rows[_PAGE_ROWS].index)
    else:
        yield "lcp_itf_pair_get_reply", (0, NONE)


def get_v2(call: Call, cursor: int, sw_if_index: int) -> Iterator[Outgoing]:
    """Show the pair of one interface, or for ~0 all, which VPP ends with version 1's reply."""
    if sw_if_index == NONE:
        yield from get(call, cursor)
        return
    tables = call.tables
    index = tables.lcp.by_phy.get(sw_if_index)
    if index is None:
        yield "lcp_itf_pair_get_v2_reply", (Retval.INVALID_SW_IF_INDEX, NONE)
        return
    yield "lcp_itf_pair_details", _details(tables.lcp.pairs[index])
    yield "lcp_itf_pair_get_v2_reply", (0, NONE)


def _details(pair: Pair) -> tuple[Value, ...]:
    host_name, netns = fixed(pair.host_name, 16), fixed(pair.netns, 32)
    return pair.phy, pair.host, pair.vif_index, host_name, int(pair.is_tun), netns


def set_default_netns(call: Call, netns: bytes) -> list[Outgoing]:
    """Set the namespace of pairs that name none; '' is the one that VPP runs in."""
    call.tables.lcp.default_netns = cstring(netns)
    return [("lcp_default_ns_set_reply", (0,))]


def get_default_netns(call: Call) -> list[Outgoing]:
    """Show the namespace of pairs that name none."""
    return [("lcp_default_ns_get_reply", (fixed(call.tables.lcp.default_netns, 32),))]


HANDLERS: Handlers = {
    "lcp_itf_pair_add_del": Handler(answer=add_delete, is_change=True),
    "lcp_itf_pair_add_del_v2": Handler(answer=add_delete_v2, is_change=True),
    "lcp_itf_pair_add_del_v3": Handler(answer=add_delete_v3, is_change=True),
    "lcp_itf_pair_get": Handler(answer=get),
    "lcp_itf_pair_get_v2": Handler(answer=get_v2),
    "lcp_default_ns_set": Handler(answer=set_default_netns, is_change=True),
    "lcp_default_ns_get": Handler(answer=get_default_netns),
}
