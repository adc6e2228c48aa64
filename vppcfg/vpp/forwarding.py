"""Reads what VPP forwards by, for `verify`: interfaces of LCP pairs, neighbours, and routes, by prefix or all.

VPP stops its workers for each message but those that are thread safe, such as `sw_interface_dump`: some microseconds
for one look-up, which is asked in small batches with pauses, and seconds for all routes of a full table
(`ip_route_v2_dump`), 200 MB of messages for a million. What two of them have alike but their prefix is decoded once,
and nothing is kept here.
"""

from __future__ import annotations

import re
import struct
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from vppcfg.errors import DataplaneError
from vppcfg.kinds import address, neighbor, unnumbered, vrf
from vppcfg.kinds.lcp import reading as lcp
from vppcfg.model.forwarding import (
    Hop,
    NeighborSeen,
    PairSide,
    RouteEntry,
    RoutePlace,
    TableId,
    VppForwarding,
    VppPair,
    canonical_hops,
    prefix_key,
)
from vppcfg.model.interface import WITHOUT_MTU
from vppcfg.model.vrf import LAST_TYPED
from vppcfg.operations.carried_in_linux import LISTENER
from vppcfg.operations.request import NO_INDEX, Value
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.messages import live
from vppcfg.wire.codec import HEAD, Message, family_and_bytes, text_of_address
from vppcfg.wire.reading import Replies, malformed
from vppcfg.wire.row import ADMIN_UP, Row, read_interfaces, request_interfaces
from vppcfg.wire.shell import Commands, show

_SOURCES = "fib_source_dump"
_ROUTES = "ip_route_v2"
"""Its predecessor does not have the source of a route; every release that vppcfg knows has both."""
_LOOKUP = "ip_route_lookup_v2"
_TABLE = "sw_interface_get_table"
_COPIED = "lcp-rt"
"""The FIB source that linux-nl adds when VPP starts (lcp_router_init in linux-cp/lcp_router.c)."""
MOST_WALKED_NEIGHBORS = 300
"""Up to so many adjacencies, all neighbours are asked for at once: VPP tells one in less than half a microsecond.

There is no look-up of one, and a question for one interface has all of its neighbours (vnet/ip-neighbor).
"""
_BATCH = 16
"""Look-ups that are asked together: VPP lets its workers go on between two of them."""
_NO_SUCH_TABLE, _NO_SUCH_ENTRY = -3, -6
"""VNET_API_ERROR_NO_SUCH_FIB and NO_SUCH_ENTRY (vnet/error.h)."""
_LENGTH_LINE = re.compile(r"^ +(\d+) +(\d+)\s*$", re.MULTILINE)
"""A prefix length and how many prefixes have it, in `show ip fib summary`: see counted_routes.py."""
Rest = Callable[[float], bool]
T = TypeVar("T")
_SECONDS = struct.Struct(">d")
_NORMAL = 0
_ENDS = {1: "local", 2: "blackhole", 5: "unreachable", 6: "prohibit"}
"""Types of a path that end a packet's way (vnet/fib/fib_types.api)."""
_PREFIX_BYTES = 18
_MOST_LABELS = 16


def read_forwarding(connection: Connection, *, with_tables: bool, with_neighbors: bool) -> VppForwarding:
    """Return what VPP forwards by, but for its routes; which tables it has, and its neighbours, only where asked for.

    A VPP without linux-cp has no pairs, and nothing else is asked of it. Raise DataplaneError.
    """
    if not lcp.is_present(connection):
        return VppForwarding()
    has_sources = connection.offers(_SOURCES)
    commands = Commands(connection, lcp.commands(connection)[: 1 if has_sources else None])
    asked = [*request_interfaces(connection), *lcp.requests(connection), *live.router_requests(connection)]
    asked += [*unnumbered.KIND.requests(connection), *commands.requests]
    asked += neighbor.KIND.requests(connection) if with_neighbors else []
    asked += vrf.KIND.requests(connection) if with_tables else []
    if has_sources:
        asked.append(connection.request(_SOURCES)[1])
    replies = connection.ask(asked)
    shown = commands.read(connection, replies)
    settings = lcp.read_settings(connection, shown)
    rows = read_interfaces(connection, replies)
    sources = _sources(connection, replies)
    return VppForwarding(
        pairs=tuple(_pairs(connection, replies, rows)),
        names={row.sw_if_index: row.name for row in rows},
        tables=_tables(connection, replies) if with_tables else (),
        sources=sources,
        default_netns=settings.default_netns,
        has_linux_cp=True,
        has_linux_nl=_COPIED in sources.values() if has_sources else lcp.runs(LISTENER, shown),
        is_sync=settings.is_sync,
        has_neighbors=with_neighbors,
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
                is_up=bool(row.flags & parent.flags & ADMIN_UP),
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
    place, after = _place_of_prefix(message)
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


def find_routes(
    connection: Connection, places: Iterable[RoutePlace], around: VppForwarding, rest: Rest
) -> Iterator[tuple[RoutePlace, RouteEntry | None]]:
    """Yield the routes of single prefixes, each looked up by itself, None for what is not there.

    They are asked in small batches; `rest` is called after each with the seconds that VPP took to answer, and returns
    whether to go on. Raise DataplaneError.
    """
    message = connection.message(f"{_LOOKUP}_reply")
    _, after = _place_of_prefix(message)
    known: dict[bytes, RouteEntry] = {}
    for place, data in _looked_up(connection, message, places, rest):
        if data is None:
            yield place, None
            continue
        way = known.get(data[after:])
        if way is None:
            way = known[data[after:]] = _way(message, data, around.names, around.sources)
        yield place, way


def _looked_up(
    connection: Connection, reply: Message, places: Iterable[RoutePlace], rest: Rest
) -> Iterator[tuple[RoutePlace, bytes | None]]:
    """Yield VPP's answer about each prefix, None where it is not there."""
    requests = ((place, connection.request(_LOOKUP, _lookup_values(*place))) for place in places)
    for place, data in _answers(connection, reply, requests, rest):
        retval = _retval(reply, data)
        if retval not in (0, _NO_SUCH_TABLE, _NO_SUCH_ENTRY):
            raise DataplaneError(f"VPP does not look up a route ({retval})", "does its API lack the message?")
        yield place, None if retval else data


def _answers(
    connection: Connection, reply: Message, requests: Iterable[tuple[T, tuple[int, bytes]]], rest: Rest
) -> Iterator[tuple[T, bytes]]:
    """Yield what was asked with VPP's answer, in batches, as long as `rest` wants it."""
    left = iter(requests)
    while batch := list(islice(left, _BATCH)):
        asked = {context: what for what, (context, _) in batch}
        start_s = time.monotonic()
        answers = connection.ask([request for _, (_, request) in batch]).get(reply.index, [])
        took_s = time.monotonic() - start_s
        for data in answers:
            context = HEAD.unpack_from(data)[1]
            if context in asked:
                yield asked[context], data
        if not rest(took_s):
            return


def _retval(reply: Message, data: bytes) -> int:
    try:
        (retval,) = reply.reader("retval")(data)
    except struct.error as error:
        raise malformed(reply.name) from error
    return int(retval)


def _lookup_values(table: TableId, prefix: bytes) -> Mapping[str, Value]:
    return {
        "table_id": table.number,
        "exact": 1,
        "prefix.address.af": prefix[0],
        "prefix.address.un": prefix[1:17],
        "prefix.len": prefix[17],
    }


def find_neighbors(
    connection: Connection, asked: Collection[tuple[str, str]], around: VppForwarding, rest: Rest
) -> dict[tuple[str, str], bool]:
    """Return whether VPP has a complete neighbour for each of `asked`, interfaces by name and addresses.

    Such a one has a route for itself alone in the table of its interface (ip_neighbor_adj_fib_add, vnet/ip-neighbor);
    a route of another source to the same address counts. Once `rest` returns False, the others are left out. Raise
    DataplaneError.
    """
    indexes = {name: index for index, name in around.names.items()}
    families = {(indexes[name], ":" in host) for name, host in asked if name in indexes}
    tables = dict(_tables_of(connection, sorted(families), rest))
    by_place: dict[RoutePlace, list[tuple[str, str]]] = defaultdict(list)
    for name, host in asked:
        is_ipv6 = ":" in host
        number = tables.get((indexes.get(name, NO_INDEX), is_ipv6))
        if number is not None:
            key = prefix_key(is_ipv6, family_and_bytes(host)[1], 128 if is_ipv6 else 32)
            by_place[TableId(is_ipv6, number), key].append((name, host))
    answers = _looked_up(connection, connection.message(f"{_LOOKUP}_reply"), by_place, rest)
    return {each: data is not None for place, data in answers for each in by_place[place]}


def _tables_of(
    connection: Connection, asked: Sequence[tuple[int, bool]], rest: Rest
) -> Iterator[tuple[tuple[int, bool], int]]:
    """Yield the number of the table of each interface, by its index and family."""
    reply = connection.message(f"{_TABLE}_reply")
    requests = ((each, connection.request(_TABLE, {"sw_if_index": each[0], "is_ipv6": int(each[1])})) for each in asked)
    for each, data in _answers(connection, reply, requests, rest):
        if not _retval(reply, data):
            yield each, int(connection.values(data, reply.name, "vrf_id")[0])


def count_prefixes(connection: Connection, table: TableId) -> Mapping[int, int]:
    """Return how many prefixes of each length a table of IPv4 has; nothing of one that VPP lacks, or cannot count.

    VPP has a hash table for each length and prints how many entries it has (ip4_show_fib in vnet/fib/ip4_fib.c). Of
    IPv6 it would walk all routes (ip6_show_fib in vnet/fib/ip6_fib.c), and is not asked. Raise DataplaneError.
    """
    if table.is_ipv6 or table.number > LAST_TYPED:
        return {}
    code, text = show(connection, f"show ip fib summary table {table.number}")
    return {} if code else {int(length): int(count) for length, count in _LENGTH_LINE.findall(text.replace("\r", ""))}


def _place_of_prefix(message: Message) -> tuple[int, int]:
    """Return where the prefix begins and ends in a message of a route, which has it as `prefix_key` does."""
    place = message.start_of("route.prefix.address.af")
    after = place + _PREFIX_BYTES
    if message.start_of("route.prefix.len") != after - 1:
        raise malformed(message.name)
    return place, after


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
