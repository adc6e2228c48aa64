"""The stats segment of a simulated VPP: names of interfaces and when VPP started; all counters stand at 0.

Every client gets memory of its own, made when it comes: what changes later it does not see.
"""

from __future__ import annotations

import logging
import os
import socket
from array import array
from pathlib import Path

from vppcfg.simulator.segment import Value, segment_of
from vppcfg.simulator.sockets import listen_on
from vppcfg.simulator.vpp import SimulatedVpp

_SIMPLE = ("drops", "punt", "ip4", "ip6", "rx-no-buf", "rx-miss", "rx-error", "tx-error", "mpls")
"""Simple counters of interfaces (foreach_simple_interface_counter_name, vnet/interface.h)."""

_log = logging.getLogger(__name__)


def image_of(vpp: SimulatedVpp) -> bytes:
    """Return what the stats segment of `vpp` holds now: one thread, which has nothing to do."""
    names = [_name_of(vpp, index) for index in range(vpp.tables.sw.end)]
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
        **{f"/if/{name}": [[0] * len(names)] for name in _SIMPLE},
    }
    return segment_of(counters)


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
