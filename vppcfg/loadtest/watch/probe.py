"""Probes on the wire: ICMP echo (RFC 792, RFC 4443) or UDP to whoever sends it back (RFC 862)."""

from __future__ import annotations

import os
import socket
import struct
import time
from typing import Protocol

from vppcfg.common.packets import checksum
from vppcfg.errors import EngineError
from vppcfg.record import record

_MARK = b"vppcfg-probe"
_PAYLOAD = struct.Struct("!12sIQ")
"""Mark, number of the watch, number of the probe."""
_ECHO = struct.Struct("!BBHHH")
_REQUEST, _REPLY = {4: 8, 6: 128}, {4: 0, 6: 129}
_TIMESTAMP = getattr(socket, "SO_TIMESTAMPNS", 35)
_TIMESPEC = struct.Struct("@qq")
_BUFFER = 2048


@record
class Answer:
    """An answer to a probe: the probe's number and the time that the answer waited in the kernel."""

    number: int
    waited_ns: int
    """How long it lay in the socket before it was read."""


class Probe(Protocol):
    """A socket towards one target."""

    def fileno(self) -> int:
        """Return the descriptor to wait for answers on."""

    def send(self, number: int) -> None:
        """Send a probe. Raise OSError."""

    def receive(self) -> Answer | None:
        """Return the answer that is waiting, None when something else was. Raise OSError: nothing is waiting, or a
        router on the way has refused."""

    def close(self) -> None:
        """Close the socket."""


class IcmpProbe:
    """ICMP echo; without privileges where the kernel allows it (net.ipv4.ping_group_range), else as root."""

    def __init__(self, address: str, watch: int) -> None:
        self._version = 6 if ":" in address else 4
        self._watch = watch
        self._sock, self._is_raw = _icmp_socket(self._version)
        self._sock.setsockopt(socket.SOL_SOCKET, _TIMESTAMP, 1)
        self._sock.setblocking(False)
        self._sock.connect((address, 0))

    def fileno(self) -> int:
        """Return the socket's descriptor."""
        return self._sock.fileno()

    def send(self, number: int) -> None:
        """Send an echo request; on an unprivileged socket the kernel sets identifier and checksum."""
        body = _PAYLOAD.pack(_MARK, self._watch, number)
        header = _ECHO.pack(_REQUEST[self._version], 0, 0, self._watch & 0xFFFF, number & 0xFFFF)
        if self._is_raw and self._version == 4:
            header = _ECHO.pack(_REQUEST[4], 0, checksum(header + body), self._watch & 0xFFFF, number & 0xFFFF)
        self._sock.send(header + body)

    def receive(self) -> Answer | None:
        """Return the answer that is waiting; a raw socket also gets those of others."""
        data, waited_ns = _read(self._sock)
        if self._is_raw and self._version == 4 and data:
            data = data[(data[0] & 15) * 4 :]
        if len(data) < _ECHO.size or data[0] != _REPLY[self._version]:
            return None
        return _answer(data[_ECHO.size :], self._watch, waited_ns)

    def close(self) -> None:
        """Close the socket."""
        self._sock.close()


class UdpProbe:
    """UDP to a port that echoes everything."""

    def __init__(self, address: str, port: int, watch: int) -> None:
        self._watch = watch
        self._sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
        self._sock.setsockopt(socket.SOL_SOCKET, _TIMESTAMP, 1)
        self._sock.setblocking(False)
        self._sock.connect((address, port))

    def fileno(self) -> int:
        """Return the socket's descriptor."""
        return self._sock.fileno()

    def send(self, number: int) -> None:
        """Send a datagram."""
        self._sock.send(_PAYLOAD.pack(_MARK, self._watch, number))

    def receive(self) -> Answer | None:
        """Return the answer that is waiting."""
        data, waited_ns = _read(self._sock)
        return _answer(data, self._watch, waited_ns)

    def close(self) -> None:
        """Close the socket."""
        self._sock.close()


def new_watch_id() -> int:
    """Return a random number, by which this watch tells answers to its probes from others."""
    return int.from_bytes(os.urandom(4), "big")


def _icmp_socket(version: int) -> tuple[socket.socket, bool]:
    """Return a socket and whether it is raw. Raise EngineError when this user may have neither."""
    family = socket.AF_INET6 if version == 6 else socket.AF_INET
    protocol = socket.IPPROTO_ICMPV6 if version == 6 else socket.IPPROTO_ICMP
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
        try:
            return socket.socket(family, kind, protocol), kind is socket.SOCK_RAW
        except PermissionError:
            continue
        except OSError as error:
            raise EngineError(f"this machine has no ICMP for IPv{version}: {error.strerror}") from error
    raise EngineError(
        "this user may not send ICMP",
        "run it as root, let the group do so (sysctl net.ipv4.ping_group_range), or use --probe udp",
    )


def _read(sock: socket.socket) -> tuple[bytes, int]:
    """Return a packet and how long ago the kernel took it from the network."""
    data, ancillary, _, _ = sock.recvmsg(_BUFFER, 64)
    for level, kind, value in ancillary:
        if level == socket.SOL_SOCKET and kind == _TIMESTAMP and len(value) >= _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack(value[: _TIMESPEC.size])
            return data, max(time.time_ns() - seconds * 10**9 - nanoseconds, 0)
    return data, 0


def _answer(body: bytes, watch: int, waited_ns: int) -> Answer | None:
    if len(body) < _PAYLOAD.size:
        return None
    mark, whose, number = _PAYLOAD.unpack_from(body)
    return Answer(number=number, waited_ns=waited_ns) if mark == _MARK and whose == watch else None
