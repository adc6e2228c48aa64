"""Reads addresses, neighbours and routes of the namespace that the calling thread is in, through a socket of our own.

Routes come by the million: what two of them have alike but their destination is decoded once. What linux-nl makes of a
route is known here (plugins/linux-cp/lcp_router.c), so that it can be held against what VPP has.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import NamedTuple

from vppcfg.common.addresses import address_text
from vppcfg.linux.link import Span, attributes_of, dump
from vppcfg.model.forwarding import (
    Hop,
    NeighborSeen,
    RouteEntry,
    Routes,
    TableId,
    canonical_hops,
)

_ROUTE = struct.Struct("=BBBBBBBBI")
"""struct rtmsg (linux/rtnetlink.h): family, destination and source length, tos, table, protocol, scope, type, flags."""
_ADDRESS = struct.Struct("=BBBBi")
"""struct ifaddrmsg (linux/if_addr.h): family, prefix length, flags, scope, index."""
_NEIGHBOR = struct.Struct("=B3xiHBB")
"""struct ndmsg (linux/neighbour.h): family, index, state, flags, type."""
_HOP = struct.Struct("=HBBi")
"""struct rtnexthop: length, flags, hops, index."""
_NUMBER = struct.Struct("=I")
_INDEX = struct.Struct("=i")
_LABEL = struct.Struct(">I")
_GETADDR, _NEWADDR = 22, 20
_GETROUTE, _NEWROUTE = 26, 24
_GETNEIGH, _NEWNEIGH = 30, 28
_TYPE_MASK = 0x3FFF
"""The two bits above it are flags of an attribute."""
_IFA_ADDRESS, _IFA_LOCAL = 1, 2
_NDA_DST, _NDA_LLADDR, _NDA_CACHEINFO = 1, 2, 3
_CACHE_INFO = struct.Struct("=IIII")
"""struct nda_cacheinfo: ticks since the neighbour was confirmed, used, updated; references."""
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_DST, _SRC, _OIF, _GATEWAY, _PRIORITY, _MULTIPATH, _TABLE, _VIA, _ENCAP_TYPE, _ENCAP, _NH_ID = (
    *(1, 2, 4, 5, 6, 9, 15, 18),
    *(21, 22, 30),
)
_ENCAP_MPLS, _MPLS_DESTINATION = 1, 1
_UNICAST, _MULTICAST = 1, 5
_ENDS = {6: "blackhole", 7: "unreachable", 8: "prohibit"}
"""Types of routes that end a packet's way; linux-nl copies them, whatever device they name (26.10)."""
_MAIN, _LOCAL = 254, 255
_KERNEL = 2
"""The protocol of connected prefixes: VPP has them from its addresses."""
_CLONED = 0x200
_VALID = 0x02 | 0x04 | 0x08 | 0x10 | 0x40 | 0x80
"""Reachable, stale, delay, probe, noarp, permanent: the states in which a neighbour is known."""
_FOR_EVER = 0x40 | 0x80
_FAILED = 0x20


class LinuxRoutes(NamedTuple):
    """The routes of a namespace that lead through devices of LCP pairs, or nowhere."""

    tables: dict[TableId, Routes]
    """What linux-nl is to copy; of several with one prefix, the one that Linux uses."""
    limits: dict[str, int]
    """How many it does not copy, or in another way, by the reason."""


def read_addresses() -> dict[int, frozenset[str]]:
    """Return the addresses of devices by index, with their lengths, without link-local ones. Raise OSError."""
    found: dict[int, set[str]] = {}
    for data, (start, end) in _ask(_GETADDR, _NEWADDR, socket.AF_UNSPEC):
        family, length, _, _, index = _ADDRESS.unpack_from(data, start)
        if family not in (socket.AF_INET, socket.AF_INET6):
            continue
        values = _values(data, (start + _ADDRESS.size, end))
        raw = values.get(_IFA_LOCAL, values.get(_IFA_ADDRESS, b""))
        if raw and not _is_link_local(raw):
            found.setdefault(index, set()).add(f"{address_text(raw)}/{length}")
    return {index: frozenset(each) for index, each in found.items()}


class LinuxNeighbors(NamedTuple):
    """The neighbours on one device, by address."""

    known: dict[str, NeighborSeen]
    failed: dict[str, float]
    """Those that were asked for in vain, and how many seconds ago the kernel gave up."""


def read_neighbors() -> dict[int, LinuxNeighbors]:
    """Return the neighbours by the index of the device. Raise OSError.

    Groups and the broadcast address of a link are none: the kernel makes them up.
    """
    found: dict[int, LinuxNeighbors] = {}
    for data, (start, end) in _ask(_GETNEIGH, _NEWNEIGH, socket.AF_UNSPEC):
        family, index, state, _, _ = _NEIGHBOR.unpack_from(data, start)
        values = _values(data, (start + _NEIGHBOR.size, end))
        mac, address = values.get(_NDA_LLADDR, b""), values.get(_NDA_DST, b"")
        if family not in (socket.AF_INET, socket.AF_INET6) or not address:
            continue
        known, failed = found.setdefault(index, LinuxNeighbors({}, {}))
        if state & _FAILED:
            ticks = _CACHE_INFO.unpack(values[_NDA_CACHEINFO])[2] if _NDA_CACHEINFO in values else 0
            failed[address_text(address)] = ticks / _TICKS_PER_S
        elif state & _VALID and len(mac) == 6 and not mac[0] & 1:
            known[address_text(address)] = NeighborSeen(mac=mac.hex(":"), is_static=bool(state & _FOR_EVER))
    return found


def read_static_neighbors() -> set[tuple[int, str, str]]:
    """Return the index of the device, address and MAC address of the neighbours that never age. Raise OSError.

    Those of groups, which the kernel has for itself and linux-nl ignores (lcp_router_neigh_add), are left out.
    """
    found = set()
    for data, (start, end) in _ask(_GETNEIGH, _NEWNEIGH, socket.AF_UNSPEC):
        family, index, state, _, _ = _NEIGHBOR.unpack_from(data, start)
        if state & _FOR_EVER and family in (socket.AF_INET, socket.AF_INET6):
            values = _values(data, (start + _NEIGHBOR.size, end))
            if _NDA_DST in values and _NDA_LLADDR in values:
                found.add((index, address_text(values[_NDA_DST]), values[_NDA_LLADDR].hex(":")))
    return {each for each in found if not ip_address(each[1]).is_multicast}


def read_routes(interfaces: Mapping[int, str]) -> LinuxRoutes:
    """Return the routes through the devices `interfaces`, which have the names of VPP's interfaces by index.

    Raise OSError.
    """
    reader = RouteReader(interfaces)
    for family in (socket.AF_INET, socket.AF_INET6):
        for data, span in _ask(_GETROUTE, _NEWROUTE, family):
            reader.take(data, span)
    return reader.routes()


class RouteReader:
    """Takes the kernel's messages of routes one by one."""

    def __init__(self, interfaces: Mapping[int, str]) -> None:
        """Name devices by index as VPP names the interface that they belong to; others have no pair."""
        self._interfaces = interfaces
        self._tables: dict[TableId, Routes] = {}
        self._limits: dict[str, int] = {}
        self._known: dict[bytes, tuple[Routes, int, str] | None] = {}
        """What is to become of a route, by its message without the destination."""

    def take(self, data: bytes, span: Span) -> None:
        """Take one message, which stands in `data` behind its header."""
        start, end = span
        length = data[start + 1]
        place, after = _destination(data, span, length)
        key = data[start : start + 1] + data[start + 2 : place] + data[after:end]
        try:
            known = self._known[key]
        except KeyError:
            known = self._known[key] = self._decide(data, span)
        if known is None:
            return
        routes, way, note = known
        is_ipv6 = data[start] == socket.AF_INET6
        raw = data[place + 4 : after]
        if is_ipv6 and raw and (raw[0] == 0xFF or _is_link_local(raw)):
            return
        if note:
            self._limits[note] = self._limits.get(note, 0) + 1
        prefix = b"%c%b%c" % (is_ipv6, raw.ljust(16, b"\0"), length)
        other = routes.by_prefix.setdefault(prefix, way)
        if other is not way and _is_better(routes.entries[way], routes.entries[other]):
            routes.by_prefix[prefix] = way

    def routes(self) -> LinuxRoutes:
        """Return what was taken."""
        return LinuxRoutes(self._tables, self._limits)

    def _decide(self, data: bytes, span: Span) -> tuple[Routes, int, str] | None:
        """Return the table and the way of routes like this one; None when linux-nl passes over them.

        It skips the table `local`, the kernel's own routes, and what has no hop through a pair and no end.
        """
        start, end = span
        family, _, source_length, tos, table, protocol, _, kind, flags = _ROUTE.unpack_from(data, start)
        values = _values(data, (start + _ROUTE.size, end))
        number = _NUMBER.unpack(values[_TABLE])[0] if _TABLE in values else table
        if number == _LOCAL or protocol == _KERNEL or flags & _CLONED or kind not in (_UNICAST, _MULTICAST, *_ENDS):
            return None
        way = self._way(family, kind, values, is_special=bool(source_length or tos))
        if way is None:
            return None
        routes = self._table(TableId(family == socket.AF_INET6, 0 if number == _MAIN else number))
        routes.entries.append(way)
        return routes, len(routes.entries) - 1, way.uncopied_reason or way.remark

    def _table(self, table: TableId) -> Routes:
        if table not in self._tables:
            self._tables[table] = Routes(entries=[], by_prefix={})
        return self._tables[table]

    def _way(self, family: int, kind: int, values: Mapping[int, bytes], *, is_special: bool) -> RouteEntry | None:
        metric = _NUMBER.unpack(values[_PRIORITY])[0] if _PRIORITY in values else 0
        if kind in _ENDS:
            return RouteEntry((Hop("", end=_ENDS[kind]),), metric=metric)
        hops, strangers, odd = self._hops(family, values)
        if not hops:
            if strangers or _NH_ID not in values:
                return None
            return RouteEntry(
                (), metric=metric, uncopied_reason="routes with a next-hop object whose hops the kernel does not report"
            )
        limit = odd
        if kind == _MULTICAST:
            limit = "multicast routes, which go to multicast tables"
        elif is_special:
            limit = "routes by source or type of service, which linux-nl does not look at"
        if limit:
            return RouteEntry((), metric=metric, uncopied_reason=limit)
        has_shares = len({hop.weight for hop in hops}) > 1
        copied = [hop._replace(weight=max(1, hop.weight - 1)) for hop in hops]
        remark = "routes with weights, which linux-nl makes less by one" if has_shares else ""
        if strangers:
            remark = "routes with a next hop that has no pair and is left out"
        return RouteEntry(canonical_hops(copied), metric=metric, remark=remark)

    def _hops(self, family: int, values: Mapping[int, bytes]) -> tuple[list[Hop], int, str]:
        """Return the hops through pairs, the number of others, and why linux-nl cannot copy them."""
        each = [(values, 1)] if _OIF in values else []
        each += _multipath(values.get(_MULTIPATH, b""))
        hops, strangers, odd = [], 0, ""
        for attributes, weight in each:
            name = self._interfaces.get(_INDEX.unpack(attributes[_OIF])[0])
            if name is None:
                strangers += 1
                continue
            gateway = attributes.get(_GATEWAY, attributes.get(_VIA, b"\0\0")[2:])
            labels: tuple[int, ...] = ()
            if _ENCAP_TYPE in attributes:
                kind = int.from_bytes(attributes[_ENCAP_TYPE][:2], "little" if _IS_LITTLE else "big")
                labels = _labels(attributes.get(_ENCAP, b"")) if kind == _ENCAP_MPLS else ()
                odd = odd if labels else "routes with an encapsulation that linux-nl drops"
            hops.append(Hop(name, gateway, weight, labels))
        return hops, strangers, odd


_IS_LITTLE = struct.pack("=H", 1) == b"\1\0"


def _destination(data: bytes, span: Span, length: int) -> tuple[int, int]:
    """Return where the attribute with the destination of a route begins and ends; the same place when it has none.

    The kernel writes it behind the table (fib_dump_info in net/ipv4, rt6_fill_node in net/ipv6), and leaves out that of
    a default route.
    """
    place = span[0] + _ROUTE.size + 8
    if not length or place + 4 > span[1]:
        return span[1], span[1]
    if data[place + 2] == _DST and not data[place + 3]:
        return place, place + data[place]
    for kind, (first, end) in attributes_of(data, (span[0] + _ROUTE.size, span[1])):
        if kind & _TYPE_MASK == _DST:
            return first - 4, end
    return span[1], span[1]


def _is_better(one: RouteEntry, other: RouteEntry) -> bool:
    """Return whether Linux prefers `one` to `other`, which has the same prefix and table.

    What linux-nl passes over is no reason against what it copies.
    """
    return (bool(one.uncopied_reason), one.metric) < (bool(other.uncopied_reason), other.metric)


def _multipath(data: bytes) -> list[tuple[Mapping[int, bytes], int]]:
    """Return the attributes of each next hop, and its weight as `ip route` shows it: one more than on the wire."""
    found: list[tuple[Mapping[int, bytes], int]] = []
    start = 0
    while start + _HOP.size <= len(data):
        length, _, more, index = _HOP.unpack_from(data, start)
        if length < _HOP.size:
            break
        values = _values(data, (start + _HOP.size, start + length))
        found.append(({**values, _OIF: _INDEX.pack(index)}, more + 1))
        start += length + 3 & ~3
    return found


def _labels(encapsulation: bytes) -> tuple[int, ...]:
    """Return the labels of a stack of MPLS, the outermost first."""
    stack = _values(encapsulation, (0, len(encapsulation))).get(_MPLS_DESTINATION, b"")
    return tuple(entry >> 12 for (entry,) in _LABEL.iter_unpack(stack[: len(stack) & ~3]))


def _values(data: bytes, span: Span) -> dict[int, bytes]:
    return {kind & _TYPE_MASK: data[slice(*value)] for kind, value in attributes_of(data, span)}


def _is_link_local(raw: bytes) -> bool:
    return len(raw) == 16 and raw[0] == 0xFE and raw[1] & 0xC0 == 0x80


def _ask(request: int, answer: int, family: int) -> Iterator[tuple[bytes, Span]]:
    """Yield the messages of a dump, each behind its header. Raise OSError."""
    return dump(request, answer, bytes((family,)).ljust(_ROUTE.size, b"\0"))
