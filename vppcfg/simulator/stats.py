"""The stats segment of a simulated VPP: when it started, names of interfaces, sizes of tables; counters stand at 0.

Every client gets memory of its own, made when it comes: what changes later it does not see. Its bytes are as in
vlib/stats/shared.h and vppinfra/vec_bootstrap.h. Vectors are given by thread: `[[0, 7], [0, 9]]` are two places of a
simple counter on two threads, pairs in their stead those of a combined one. A symlink is a `Link`, which names a
counter and a place in it.
"""

from __future__ import annotations

import logging
import os
import socket
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from struct import Struct, pack
from typing import NamedTuple

from vppcfg.simulator.fib_entries import NetlinkMain
from vppcfg.simulator.kinds.mroute import MrouteMain
from vppcfg.simulator.kinds.nat44_main import NatMain
from vppcfg.simulator.kinds.neighbor import NeighborMain
from vppcfg.simulator.kinds.policer import PolicerMain
from vppcfg.simulator.sockets import listen_on
from vppcfg.simulator.vpp import SimulatedVpp

_COUNTERS = ("drops", "punt", "ip4", "ip6", "rx-no-buf", "rx-miss", "rx-error", "tx-error", "mpls")
"""Simple counters of interfaces (foreach_simple_interface_counter_name, vnet/interface.h)."""
_OWN_ROUTES = (5, 2)
"""That each table of IPv4 and IPv6 has of VPP itself (vnet/fib/ip4_fib.c, ip6_fib.c)."""
_OWN_MULTICAST_ROUTES = 6
"""Of the default tables (vnet/mfib)."""
_PER_ADDRESS = 4
"""Routes: the address, its subnet, and of IPv4 that one's first and last address."""
_PER_INTERFACE = 2
"""Adjacencies: for packets that find no neighbour, and for multicast."""
VERSION = 2
_BASE = 0x1000_0000_0000
"""Where VPP would have the segment in its own memory: pointers in it count from there."""
_HEADER = Struct("<5Q")
_ENTRY = Struct("<I4xQ128s")
_LENGTH = Struct("<QQ")
"""What stands before a vector; the length is in the lower half of its last eight bytes."""
_ALIGNED = 16
_SPARE_BYTES = 64
_SCALAR, _SIMPLE, _COMBINED, _NAMES, _SYMLINK = 1, 2, 3, 4, 6

_log = logging.getLogger(__name__)


def image_of(vpp: SimulatedVpp) -> bytes:
    """Return what the stats segment of `vpp` holds now: one thread, which has nothing to do."""
    names = [_name_of(vpp, index) for index in range(vpp.tables.sw.end)]
    policers = vpp.tables.part(PolicerMain).policers.end
    nothing: list[tuple[int, int]] = [(0, 0)] * len(names)
    counters: dict[str, Value] = {
        "/sys/last_stats_clear": 0,
        "/sys/heartbeat": 1,
        "/sys/boottime": vpp.boot_time_s,
        "/sys/num_worker_threads": 0,
        "/sys/vector_rate_per_worker": [[0]],
        "/sys/loops_per_worker": [[0]],
        "/if/names": names,
        "/if/rx": [nothing],
        "/if/tx": [nothing],
        "/net/route/to": Zeros(_routes(vpp)),
        "/net/adjacency": Zeros(_PER_INTERFACE * len(names) + sum(vpp.tables.part(NeighborMain).counts)),
        "/net/mroute": Zeros(_OWN_MULTICAST_ROUTES + sum(map(len, vpp.tables.part(MrouteMain).routes.values()))),
        "/nat44-ed/total-sessions": [[sum(user[2] for user in vpp.tables.part(NatMain).users)]],
        **{f"/net/policer/{name}": [[(0, 0)] * policers] for name in ("conform", "exceed", "violate") if policers},
        **{f"/if/{name}": [[0] * len(names)] for name in _COUNTERS},
    }
    return segment_of(counters)


def _routes(vpp: SimulatedVpp) -> int:
    """Return how many routes there are of all sources, at least: the real VPP shares some, and has more of others."""
    tables = vpp.tables
    count = sum(map(len, tables.part(NetlinkMain).routes.values()))
    for main, book, own in zip((tables.fib4, tables.fib6), (tables.ip4, tables.ip6), _OWN_ROUTES, strict=True):
        count += sum(own + len(table.routes) for table in main.tables.values())
        count += _PER_ADDRESS * sum(1 for row in tables.sw for _ in book.of(row.index))
    return count + sum(tables.part(NeighborMain).counts)


def _name_of(vpp: SimulatedVpp, index: int) -> str:
    """Return what an interface is called there; a renamed one keeps its name, and one that went is `deleted`."""
    row = vpp.tables.sw.get(index)
    return "deleted" if row is None else vpp.tables.name_of(row)


class Link(NamedTuple):
    """A name for one place of a simple counter."""

    target: str
    place: int


class Zeros(NamedTuple):
    """So many places of a combined counter on each of so many threads, where nothing was counted."""

    places: int
    threads: int = 1


SimpleRows = Sequence[Sequence[int]]
CombinedRows = Sequence[Sequence[tuple[int, int]]]
Value = int | Link | Zeros | Sequence[str] | SimpleRows | CombinedRows


def segment_of(counters: Mapping[str, Value], *, epoch: int = 1, is_changing: bool = False) -> bytes:
    """Return the segment that holds `counters`; while it `is_changing`, no client takes what it reads."""
    image = _Image()
    places = {name: place for place, name in enumerate(counters)}
    entries = [_ENTRY.pack(*image.entry(value, places), name.encode()) for name, value in counters.items()]
    return image.finished(image.vector(len(entries), b"".join(entries)), epoch, is_changing=is_changing)


class _Image:
    """The bytes of a segment while it is made."""

    def __init__(self) -> None:
        self._data = bytearray(_HEADER.size)

    def vector(self, length: int, content: bytes) -> int:
        """Add a vector of `length` elements and return its address."""
        self._data += bytes(-len(self._data) % _ALIGNED) + _LENGTH.pack(0, length)
        address = _BASE + len(self._data)
        self._data += content
        return address

    def entry(self, value: Value, places: Mapping[str, int]) -> tuple[int, int]:
        """Add what a directory's entry leads to, and return its type and value."""
        if isinstance(value, int):
            return _SCALAR, value
        if isinstance(value, Link):
            return _SYMLINK, value.place << 32 | places[value.target]
        if isinstance(value, Zeros):
            return _COMBINED, self._pointers([self.vector(value.places, bytes(16 * value.places))] * value.threads)
        if value and all(isinstance(each, str) for each in value):
            return _NAMES, self._names([str(each) for each in value])
        return self._rows(value)

    def _names(self, names: Sequence[str]) -> int:
        texts = [name.encode(errors="surrogateescape") + b"\0" for name in names]
        return self._pointers([self.vector(len(text), text) for text in texts])

    def _pointers(self, pointers: Sequence[int]) -> int:
        return self.vector(len(pointers), pack(f"<{len(pointers)}Q", *pointers))

    def _rows(self, rows: Sequence[object]) -> tuple[int, int]:
        """Add the counters of each thread."""
        pointers, kind = [], _SIMPLE
        for row in rows:
            assert isinstance(row, Sequence)
            numbers = [number for each in row for number in (each if isinstance(each, tuple) else (each,))]
            kind = _COMBINED if len(numbers) > len(row) else kind
            pointers.append(self.vector(len(row), pack(f"<{len(numbers)}Q", *numbers)))
        return kind, self._pointers(pointers)

    def finished(self, directory: int, epoch: int, *, is_changing: bool) -> bytes:
        """Return the segment whose directory is at the address `directory`."""
        _HEADER.pack_into(self._data, 0, VERSION, _BASE, epoch, int(is_changing), directory)
        return bytes(self._data) + bytes(_SPARE_BYTES)


class StatsListener:
    """The socket at which clients get a stats segment."""

    def __init__(self, path: Path) -> None:
        """Listen on `path`; raise UsageError when that cannot be, or it is in use."""
        self._path = path
        self.sock = listen_on(path, socket.SOCK_SEQPACKET)

    def attend(self, vpp: SimulatedVpp) -> None:
        """Give the next client a segment and let it go, as VPP does."""
        try:
            client, _ = self.sock.accept()
            with client:
                _hand_over(client, image_of(vpp))
        except OSError as problem:
            _log.warning("cannot hand out the stats segment: %s", problem)

    def close(self) -> None:
        """Stop listening and remove the socket."""
        self.sock.close()
        self._path.unlink(missing_ok=True)


def _hand_over(client: socket.socket, image: bytes) -> None:
    descriptor = os.memfd_create("stat segment")
    try:
        os.write(descriptor, image)
        client.sendmsg([], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [descriptor]))])
    finally:
        os.close(descriptor)
