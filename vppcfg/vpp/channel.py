"""Sends and receives whole messages over a stream socket, and never waits without a bound.

Sending and receiving are interleaved, so that thousands of requests can be under way while their replies come in:
doing one after the other would fill the buffers of both sides and stop both. What messages mean is not known here.
"""

from __future__ import annotations

import select
import socket
import time

from vppcfg.errors import DataplaneError
from vppcfg.vpp.unixsocket import pid_of_peer
from vppcfg.wire.codec import FRAME, HEAD

_LARGEST = 32 << 20
"""Bytes; what claims to be a longer message is none. VPP's longest are its own API definitions, 1.5 MB, and an access
list of 100,000 rules, 5 MB."""
_WHOLE = 6
"""A whole message must come within so many times the longest silence: bytes that trickle in are no answer."""
_CHUNK = 1 << 20
_SILENT = "is VPP hung or very busy, or is this another socket than its API socket (socksvr in startup.conf)?"
_WRONG_SOCKET = "is it VPP's API socket (socksvr in startup.conf), and not its CLI or statistics socket?"


class Channel:
    """One connected stream socket, owned from here on."""

    def __init__(self, sock: socket.socket, timeout_s: float, peer: str) -> None:
        """Take over `sock`; `timeout_s` bounds every silence, and `peer` names the other side in errors."""
        self.timeout_s = timeout_s
        self._peer = peer
        self._socket = sock
        self._socket.setblocking(False)
        self.peer_pid = pid_of_peer(sock)
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)
        self._outgoing = b""
        self._sent = 0
        self._incoming = b""
        self._is_garbled = False

    @property
    def patience_s(self) -> float:
        """Return how long an answer may take from its first byte to its last, however it comes."""
        return _WHOLE * self.timeout_s

    def send(self, data: bytes) -> None:
        """Queue framed messages; they leave during `receive`."""
        self._outgoing += data

    def abandon(self) -> None:
        """Forget what is queued, except for the rest of a message that has begun to leave.

        What comes after something that was no message is passed over from here on.
        """
        boundary = 0
        while boundary < self._sent:
            boundary += FRAME.size + FRAME.unpack_from(self._outgoing, boundary)[0]
        self._outgoing = self._outgoing[:boundary]

    def receive(self) -> list[bytes]:
        """Return the messages that have come, at least one, and meanwhile send what is queued.

        Raise DataplaneError when the other side closes, is silent for `timeout_s`, sends no whole message within
        `patience_s`, or sends what is no message.
        """
        deadline = time.monotonic() + self.patience_s
        while not (messages := self._take_messages()):
            if not self._transfer(self.timeout_s):
                raise self.silent(self.timeout_s)
            if time.monotonic() > deadline:
                raise DataplaneError(f"{self._peer} sent no whole message in {self.patience_s:g} seconds", _SILENT)
        return messages

    def silent(self, seconds: float) -> DataplaneError:
        """Return the error for another side that has not answered for so long, whatever else it sent."""
        return DataplaneError(f"{self._peer} has not answered for {seconds:g} seconds", _SILENT)

    def too_much(self, what: str) -> DataplaneError:
        """Return the error for another side that sends more than any VPP does."""
        return DataplaneError(f"{self._peer} sends {what}", _WRONG_SOCKET)

    def receive_within(self, seconds: float) -> list[bytes]:
        """Return the messages that come within `seconds`, as soon as there is one; silence is no error.

        Raise DataplaneError when the other side closes, or sends what is no message.
        """
        deadline = time.monotonic() + seconds
        while not (messages := self._take_messages()):
            remaining_s = deadline - time.monotonic()
            if remaining_s < 0 or not self._transfer(remaining_s):
                return []
        return messages

    def close(self) -> None:
        """Close the socket; safe to call twice."""
        self._socket.close()

    def _take_messages(self) -> list[bytes]:
        """Cut whole messages off what has come."""
        if self._is_garbled:
            self._incoming = b""
        data = self._incoming
        messages = []
        start, end = FRAME.size, len(data)
        while start <= end:
            (size,) = FRAME.unpack_from(data, start - FRAME.size)
            if not HEAD.size <= size <= _LARGEST:
                self._is_garbled = True
                raise DataplaneError(f"{self._peer} does not speak VPP's binary API", _WRONG_SOCKET)
            if start + size > end:
                break
            messages.append(data[start : start + size])
            start += size + FRAME.size
        self._incoming = data[start - FRAME.size :]
        return messages

    def _transfer(self, patience_s: float) -> bool:
        """Wait until bytes can go in either direction, and let them; return False when none could for so long."""
        if self._socket.fileno() < 0:
            raise self._gone("the connection was closed here")
        wanted = select.POLLIN | (select.POLLOUT if self._outgoing else 0)
        self._poll.modify(self._socket, wanted)
        events = self._poll.poll(patience_s * 1000)
        if not events:
            return False
        try:
            if events[0][1] & ~select.POLLOUT:
                self._read()
            if events[0][1] & select.POLLOUT:
                self._write()
        except OSError as error:
            raise self._gone(error.strerror or str(error)) from error
        return True

    def _read(self) -> None:
        data = self._socket.recv(_CHUNK)
        if not data:
            raise self._gone("the connection was closed there")
        self._incoming += data

    def _write(self) -> None:
        self._sent += self._socket.send(memoryview(self._outgoing)[self._sent : self._sent + _CHUNK])
        if self._sent == len(self._outgoing):
            self._outgoing = b""
            self._sent = 0

    def _gone(self, reason: str) -> DataplaneError:
        return DataplaneError(
            f"{self._peer} went away: {reason}",
            "did VPP stop or crash? see `systemctl status vpp` and `journalctl -u vpp`",
        )
