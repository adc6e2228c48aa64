"""The stats segment of a simulated VPP: when it started, names of interfaces, sizes of tables; counters stand at 0.

Every client gets memory of its own, made when it comes: what changes later it does not see.
"""

from __future__ import annotations

import logging
import os
import socket
from array import array
from pathlib import Path

from vppcfg.simulator.fib_entries import NetlinkMain
from vppcfg.simulator.kinds.mroute import MrouteMain
from vppcfg.simulator.kinds.nat44_main import NatMain
from vppcfg.simulator.kinds.neighbor import NeighborMain
from vppcfg.simulator.kinds.policer import PolicerMain
from vppcfg.simulator.segment import Value, Zeros, segment_of
from vppcfg.simulator.sockets import listen_on
from vppcfg.simulator.vpp import SimulatedVpp

_SIMPLE = ("drops", "punt", "ip4", "ip6", "rx-no-buf", "rx-miss", "rx-error", "tx-error", "mpls")
"""Simple counters of interfaces (foreach_simple_interface_counter_name, vnet/interface.h)."""
_OWN_ROUTES = (5, 2)
"""That each table of IPv4 and IPv6 has of VPP itself (vnet/fib/ip4_fib.c, ip6_fib.c)."""
_OWN_MULTICAST_ROUTES = 6
"""Of the default tables (vnet/mfib)."""
_PER_ADDRESS = 4
"""Routes: the address, its subnet, and of IPv4 that one's first and last address."""
_PER_INTERFACE = 2
"""Adjacencies: for packets that find no neighbour, and for multicast."""

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
        **{f"/if/{name}": [[0] * len(names)] for name in _SIMPLE},
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
