"""A command that is killed at a message of its change, at a call of a function, or after a while."""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vppcfg.vpp.connection import Connection
from vppcfg.wire.codec import FRAME

_MOST_CALLS = 18
"""A power of 2: about as many calls as a large change makes before it begins to send."""
_MORE = 20
"""Bytes of the next message."""
_PERFORM_S = 0.03
"""How long VPP has for what it got."""


@dataclass(frozen=True)
class KillPoint:
    """Where a command is killed."""

    kind: str
    """`performed`: VPP has had time for a message; `sent`: VPP got it just now; `half`: and a part of the next one;
    `batch`: all that is sent together; `call`: a call of a function; `time`: so many milliseconds; `none`: nowhere."""
    number: int = 0


NOWHERE = KillPoint("none")


def drawn_point(dice: random.Random, messages: int, duration_ms: int) -> KillPoint:
    """Return a point in a change that has so many messages and takes so long."""
    kind = dice.choice(["performed", "performed", "sent", "half", "batch", "call", "time"])
    if kind == "call":
        return KillPoint(kind, int(2 ** dice.uniform(10, _MOST_CALLS)))
    return KillPoint(kind, dice.randrange(duration_ms if kind == "time" else max(1, messages)))


def run_until(point: KillPoint, work: Callable[[], int], count: Path) -> int:
    """Do some work in this process, which ends at the point; `count` gets the number of messages of the change."""
    sender = _Sender(point, count)
    Connection.send = lambda self, requests: sender.send(self, requests)  # type: ignore[method-assign]
    if point.kind == "time":
        signal.signal(signal.SIGALRM, lambda number, frame: _kill())
        signal.setitimer(signal.ITIMER_REAL, max(1, point.number) / 1000)
    if point.kind == "call":
        left = point.number

        def at_call(frame: object, event: str, argument: object) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                _kill()

        sys.setprofile(at_call)
    return work()


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class _Sender:
    """Stands between a command and VPP."""

    def __init__(self, point: KillPoint, count: Path) -> None:
        self._point = point
        self._left = point.number
        self._count = count
        self._sent = 0
        self._send = Connection.send
        count.write_text("0")

    def send(self, connection: Connection, requests: bytes) -> None:
        """Send messages of a change, or as many as there are until the point, and end."""
        ends = _ends_of_messages(requests)
        self._sent += len(ends)
        self._count.write_text(str(self._sent))
        if self._point.kind in {"performed", "sent", "half", "batch"} and self._left < len(ends):
            part = len(requests) if self._point.kind == "batch" else ends[self._left]
            self._end(connection, requests[: part + _MORE * (self._point.kind == "half")])
        self._left -= len(ends)
        self._send(connection, requests)

    def _end(self, connection: Connection, requests: bytes) -> None:
        channel: Any = connection._channel
        channel._socket.setblocking(True)
        channel._socket.sendall(channel._outgoing[channel._sent :] + requests)
        if self._point.kind == "performed":
            time.sleep(_PERFORM_S)
        _kill()


def _ends_of_messages(requests: bytes) -> list[int]:
    ends = [0]
    while ends[-1] < len(requests):
        ends.append(ends[-1] + FRAME.size + FRAME.unpack_from(requests, ends[-1])[0])
    return ends[1:]
