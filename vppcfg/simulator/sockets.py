"""The sockets of a simulated VPP: listens, splits what clients send into messages, and sends answers, also late.

On VPP's stream sockets a header with the length stands before every message (vlibapi/api_common.h)."""

from __future__ import annotations

import errno
import selectors
import socket
from collections.abc import Iterator
from pathlib import Path
from struct import Struct

from vppcfg.errors import UsageError
from vppcfg.simulator.wire import Client

_HINT = "name another path with --socket or --stats-socket"
_BACKLOG = 64
_HEADER = Struct(">QII")
"""A pointer of VPP's own, the length of the message, a mark of VPP's own."""
_MAX_MESSAGE_BYTES = 1 << 20
"""A longer message is no message."""
_READ_BYTES = 1 << 18
_MAX_UNREAD_BYTES = 1 << 28
"""A client that lets more answers pile up than this is dropped."""


def listen_on(path: Path, kind: socket.SocketKind = socket.SOCK_STREAM) -> socket.socket:
    """Return a socket that listens on `path`; raise UsageError when that cannot be, or is in use."""
    _remove_stale(path, kind)
    listener = socket.socket(socket.AF_UNIX, kind)
    try:
        listener.bind(str(path))
        listener.listen(_BACKLOG)
    except OSError as problem:
        listener.close()
        raise UsageError(f"cannot listen on {path}: {problem.strerror or problem}", _HINT) from problem
    listener.setblocking(False)
    return listener


def is_answered(path: Path, kind: socket.SocketKind) -> bool:
    """Return whether a program listens on `path`; raise OSError when that is unknown."""
    with socket.socket(socket.AF_UNIX, kind) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
    return True


def _remove_stale(path: Path, kind: socket.SocketKind) -> None:
    """Remove a socket without a listener; raise UsageError when it is in use or no socket."""
    try:
        if not path.exists():
            return
        if not path.is_socket():
            raise UsageError(f"{path} exists and is no socket", _HINT)
        if is_answered(path, kind):
            raise UsageError(f"a VPP answers at {path} already", f"stop it, or {_HINT}")
        path.unlink(missing_ok=True)
    except OSError as problem:
        raise UsageError(f"cannot use {path}: {problem.strerror or problem}", _HINT) from problem


class Connection:
    """One client's socket, with the bytes that came and make no whole message yet, and those to be sent."""

    def __init__(self, sock: socket.socket, client: Client) -> None:
        sock.setblocking(False)
        self.sock = sock
        self.client = client
        self.events = selectors.EVENT_READ
        """What the server waits for."""
        self._unread = bytearray()
        self._unsent = bytearray()

    @property
    def wanted_events(self) -> int:
        """Return the selector's events to wait for now."""
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0)

    def receive(self) -> Iterator[bytes]:
        """Yield the messages that are whole by now; raise EOFError at the end, OSError when the client is gone."""
        try:
            data = self.sock.recv(_READ_BYTES)
        except BlockingIOError:
            return
        if not data:
            raise EOFError
        self._unread += data
        yield from take_messages(self._unread)

    def queue(self, message: bytes) -> None:
        """Append a message to what `send` will send."""
        self._unsent += framed(message)

    def send(self) -> bool:
        """Send what the client takes; return False when it ended the session, is gone, or does not read."""
        try:
            if self._unsent:
                del self._unsent[: self.sock.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:
            return False
        is_done = self.client.is_leaving and not self._unsent
        return not is_done and len(self._unsent) <= _MAX_UNREAD_BYTES


class LateAnswers:
    """Answers that are kept until their time has come."""

    def __init__(self) -> None:
        self._held: list[tuple[float, int, bytes]] = []

    def hold(self, due_s: float, handle: int, answer: bytes) -> None:
        """Keep an answer to the client `handle`."""
        self._held.append((due_s, handle, answer))

    def wait_s(self, now_s: float) -> float | None:
        """Return in how many seconds the next one is due; None when there is none."""
        return max(0.0, min(due for due, _, _ in self._held) - now_s) if self._held else None

    def take_due(self, now_s: float) -> list[tuple[int, bytes]]:
        """Return those that are due, each with the handle of its receiver, and forget them."""
        due = [(handle, answer) for due, handle, answer in self._held if due <= now_s]
        self._held = [entry for entry in self._held if entry[0] > now_s]
        return due

    def clear(self) -> None:
        """Forget all answers."""
        self._held.clear()


def framed(message: bytes) -> bytes:
    """Return a message with its header in front."""
    return _HEADER.pack(0, len(message), 0) + message


def take_messages(buffer: bytearray) -> Iterator[bytes]:
    """Remove every whole message from the start of `buffer` and yield it.

    Raise OSError for one that is longer than any can be. Like VPP, this looks at a message of no bytes only once
    something follows it.
    """
    start = 0
    try:
        while len(buffer) - start > _HEADER.size:
            _, length, _ = _HEADER.unpack_from(buffer, start)
            if length > _MAX_MESSAGE_BYTES:
                raise OSError(errno.EMSGSIZE, f"a message of {length} bytes")
            end = start + _HEADER.size + length
            if end > len(buffer):
                return
            message = bytes(buffer[start + _HEADER.size : end])
            start = end
            yield message
    finally:
        del buffer[:start]
