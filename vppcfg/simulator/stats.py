"""The stats segment of a simulated VPP: names of interfaces and when VPP started; all counters stand at 0.

Every client gets memory of its own, made when it comes: what changes later it does not see. The layout is that of
vlib/stats/shared.h and of vectors in vppinfra/vec_bootstrap.h.
"""

from __future__ import annotations

import logging
import os
import socket
from array import array
from pathlib import Path
from struct import Struct

from vppcfg.simulator.sockets import listen_on
from vppcfg.simulator.vpp import SimulatedVpp

_VERSION = 2
_BASE = 0x1000_0000_0000
"""Where VPP would have the segment in its own memory: pointers in it count from there."""
_HEADER = Struct("5Q")
_ENTRY = Struct("IQ128s")
_LENGTH = Struct("QQ")
"""What stands before a vector; the length is in its last eight bytes."""
_POINTER = Struct("Q")
_COUNTER_PAIR_BYTES = 16
_SPARE_BYTES = 64
_SCALAR, _COMBINED, _NAMES = 1, 3, 4

_log = logging.getLogger(__name__)


class _Image:
    """The bytes of a segment while it is made."""

    def __init__(self) -> None:
        self._data = bytearray(_HEADER.size)

    def vector(self, length: int, content: bytes) -> int:
        """Add a vector of `length` elements and return its address."""
        self._data += bytes(-len(self._data) % _COUNTER_PAIR_BYTES) + _LENGTH.pack(0, length)
        address = _BASE + len(self._data)
        self._data += content
        return address

    def finished(self, directory: int) -> bytes:
        """Return the segment whose directory is at the address `directory`."""
        _HEADER.pack_into(self._data, 0, _VERSION, _BASE, 1, 0, directory)
        return bytes(self._data) + bytes(_SPARE_BYTES)


def image_of(vpp: SimulatedVpp) -> bytes:
    """Return what the stats segment of `vpp` holds now."""
    image = _Image()
    names = [_name_of(vpp, index) for index in range(vpp.tables.sw.end)]
    pointers = b"".join(_POINTER.pack(image.vector(len(name), name)) for name in names)
    counters = image.vector(len(names), bytes(len(names) * _COUNTER_PAIR_BYTES))
    threads = image.vector(1, _POINTER.pack(counters))
    entries = (
        (_SCALAR, 1, "/sys/heartbeat"),
        (_SCALAR, 0, "/sys/last_stats_clear"),
        (_SCALAR, vpp.boot_time_s, "/sys/boottime"),
        (_NAMES, image.vector(len(names), pointers), "/if/names"),
        (_COMBINED, threads, "/if/rx"),
        (_COMBINED, threads, "/if/tx"),
    )
    packed = b"".join(_ENTRY.pack(kind, value, name.encode()) for kind, value, name in entries)
    return image.finished(image.vector(len(entries), packed))


def _name_of(vpp: SimulatedVpp, index: int) -> bytes:
    row = vpp.tables.sw.get(index)
    return b"\0" if row is None else vpp.tables.name_of(row).encode(errors="surrogateescape") + b"\0"


class StatsListener:
    """The socket at which clients get a stats segment."""

    def __init__(self, path: Path) -> None:
        """Listen on `path`; raise UsageError when that cannot be, or somebody answers there."""
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
