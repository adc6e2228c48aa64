"""Reads what VPP forwards by, for `verify`: interfaces of LCP pairs, neighbours, and routes, table by table.

A million routes are 200 MB of messages. What two of them have alike but their prefix is decoded once, and nothing is
kept here.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vppcfg.kinds import address, neighbor, unnumbered, vrf
from vppcfg.kinds.lcp import reading as lcp
from vppcfg.model.forwarding import (
    Hop,
    NeighborSeen,
    PairSide,
    RouteEntry,
    TableId,
    VppForwarding,
    VppPair,
    canonical_hops,
)
from vppcfg.model.interface import WITHOUT_MTU
from vppcfg.plan.request import NO_INDEX
from vppcfg.vpp.address_codec import text_of_address
from vppcfg.vpp.codec import Message
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.messages import interface, live
from vppcfg.vpp.reading import Replies, malformed
from vppcfg.vpp.row import Row
from vppcfg.vpp.shell import Commands

_SOURCES = "fib_source_dump"
_ROUTES = "ip_route_v2"
"""Its predecessor does not have the source of a route; every release that vppcfg knows has both."""
_SECONDS = struct.Struct(">d")
_NORMAL = 0
_ENDS = {1: "local", 2: "blackhole", 5: "unreachable", 6: "prohibit"}
"""Types of a path that end a packet's way (vnet/fib/fib_types.api)."""
_ADMIN_UP = 1
_PREFIX_BYTES = 18
_MOST_LABELS = 16


def read_forwarding(connection: Connection) -> VppForwarding:
    """Return what VPP forwards by, but for its routes. Raise DataplaneError.

    A VPP without linux-cp has no pairs, and nothing else is asked of it.
    """
    if not lcp.is_present(connection):
        return VppForwarding()
    commands = Commands(connection, lcp.commands(connection))
    asked = [*interface.requests(connection), *lcp.requests(connection), *neighbor.KIND.requests(connection)]
    asked += live.requests(connection)
    asked += [*unnumbered.KIND.requests(connection), *vrf.KIND.requests(connection), *commands.requests]
    if connection.offers(_SOURCES):
        asked.append(connection.request(_SOURCES)[1])
    replies = connection.ask(asked)
    shown = commands.read(connection, replies)
    settings = lcp.read_settings(connection, shown)
    rows = interface.read(connection, replies)
    return VppForwarding(
        pairs=tuple(_pairs(connection, replies, rows)),
        names={row.sw_if_index: row.name for row in rows},
        tables=_tables(connection, replies),
        sources=_sources(connection, replies),
        default_netns=settings.default_netns,
        has_linux_cp=True,
        has_linux_nl=lcp.has_listener(shown),
        is_sync=settings.is_sync,
    )


def _pairs(connection: Connection, replies: Replies, rows: Sequence[Row]) -> Iterator[VppPair]:
    pairs = lcp.read_pairs(connection, replies)
    hosts = lcp.find_hosts(pairs, rows)
    donors = unnumbered.read_donors(connection, replies)
    by_index = {row.sw_if_index: row for row in rows}
    owners = {pair.sw_if_index: donors.get(pair.sw_if_index, pair.sw_if_index) for pair in pairs}
    indexes = sorted({owner for owner in owners.values() if owner in by_index})
    addresses = address.read(connection, connection.ask(address.requests(connection, indexes)))
    virtual = live.read_virtual(connection, [replies], addresses)
    neighbors = _neighbors(connection, replies)
    for pair in pairs:
        row = by_index.get(pair.sw_if_index)
        side = None
        if row is not None:
            parent = by_index.get(row.parent_index, row)
            side = PairSide(
                mtu=_mtu(row, parent),
                is_up=bool(row.flags & parent.flags & _ADMIN_UP),
                addresses=frozenset(addresses.get(owners[row.sw_if_index], ())),
                neighbors=neighbors.get(row.sw_if_index, {}),
            )
        yield VppPair(
            interface=f"interface {pair.sw_if_index}" if row is None else row.name,
            host_name=pair.host_name,
            netns=pair.netns,
            device_index=pair.device_index,
            side=side,
            is_unnumbered=pair.sw_if_index in donors,
            virtual=virtual.get(owners[pair.sw_if_index], frozenset()),
            has_host=pair.sw_if_index in hosts,
        )


def _mtu(row: Row, parent: Row) -> int:
    """Return the largest packet that VPP sends: a sub-interface with a larger MTU than its port has its port's.

    That is what linux-cp sets in Linux too (lcp_itf_pair_sync_state in linux-cp/lcp_interface_sync.c), but where a
    sub-interface has none: VPP then routes by another one (vnet_sw_interface_get_mtu in vnet/interface_funcs.h).
    """
    if row is not parent and not row.packet_mtu:
        return WITHOUT_MTU
    return min(filter(None, (row.packet_mtu, parent.packet_mtu)), default=0)


def _neighbors(connection: Connection, replies: Replies) -> dict[int, dict[str, NeighborSeen]]:
    found: dict[int, dict[str, NeighborSeen]] = defaultdict(dict)
    for index, flags, mac, family, raw, age in neighbor.rows(connection, replies):
        (age_s,) = _SECONDS.unpack(age)
        seen = NeighborSeen(mac=mac.hex(":"), is_static=bool(flags & neighbor.STATIC), age_s=age_s)
        found[index][text_of_address(family, raw)] = seen
    return found


def _tables(connection: Connection, replies: Replies) -> tuple[TableId, ...]:
    if not vrf.KIND.requests(connection):
        return (TableId(False, 0), TableId(True, 0))
    rows = connection.rows(replies, "ip_table_details", "table.table_id", "table.is_ip6")
    return tuple(TableId(bool(is_ipv6), number) for number, is_ipv6 in rows)


def _sources(connection: Connection, replies: Replies) -> dict[int, str]:
    if not connection.offers(_SOURCES):
        return {}
    rows = connection.rows(replies, "fib_source_details", "src.id", "src.name")
    return {number: text_of(name) for number, name in rows}


def read_routes(
    connection: Connection, table: TableId, names: Mapping[int, str], sources: Mapping[int, str]
) -> Iterator[tuple[bytes, RouteEntry]]:
    """Yield the routes of a table as they come: the prefix, as `prefix_key` makes it, and where its packets go.

    Of a prefix that has routes of several sources VPP reports the one in effect, and the best paths are taken.
    Raise DataplaneError.
    """
    values = {"table.table_id": table.number, "table.is_ip6": int(table.is_ipv6)}
    message = connection.message(f"{_ROUTES}_details")
    place = message.start_of("route.prefix.address.af")
    after = place + _PREFIX_BYTES
    if message.start_of("route.prefix.len") != after - 1:
        raise malformed(message.name)
    head = message.index.to_bytes(2)
    known: dict[bytes, RouteEntry] = {}
    for data in connection.stream(connection.request(f"{_ROUTES}_dump", values)[1]):
        rest = data[after:]
        way = known.get(rest)
        if way is None:
            if not data.startswith(head):
                continue
            way = known[rest] = _way(message, data, names, sources)
        yield data[place:after], way


def _way(message: Message, data: bytes, names: Mapping[int, str], sources: Mapping[int, str]) -> RouteEntry:
    paths = ("sw_if_index", "weight", "preference", "type", "proto", "nh.address", "n_labels")
    labels = [f"label_stack.{place}.label" for place in range(_MOST_LABELS)]
    try:
        (source,) = message.reader("route.src")(data)
        rows = list(message.items(data, *paths, *labels))
    except struct.error as error:
        raise malformed(message.name) from error
    best = min((row[2] for row in rows), default=0)
    hops = canonical_hops([_hop(row, names) for row in rows if row[2] == best])
    return RouteEntry(hops, source=sources.get(source, ""), metric=best)


def _hop(row: tuple[Any, ...], names: Mapping[int, str]) -> Hop:
    index, weight, _, kind, proto, raw, count, *stack = row
    if kind != _NORMAL:
        return Hop("", end=_ENDS.get(kind, f"type {kind}"))
    used = raw[:4] if proto == 0 else raw
    name = "" if index == NO_INDEX else names.get(index, f"interface {index}")
    return Hop(name, used if any(used) else b"", weight, tuple(stack[:count]))
