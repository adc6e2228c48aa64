"""What SIGTERM and SIGINT do to a command: it tidies up on its way out, or ends its work in good order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(BaseException):
    """SIGTERM has arrived. Not an Exception: like KeyboardInterrupt, nothing but the very end may swallow it."""


@contextmanager
def terminating() -> Iterator[None]:
    """Raise Terminated in the main thread when SIGTERM arrives within this context."""
    with _handling(signal.SIGTERM, _raise):
        yield


@contextmanager
def calling(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` when SIGINT or SIGTERM arrives within this context: for a service, whose normal end that is."""

    def handle(number: int, frame: FrameType | None) -> None:
        stop()

    with _handling(signal.SIGINT, handle), _handling(signal.SIGTERM, handle):
        yield


@contextmanager
def _handling(number: signal.Signals, handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    former = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, former)


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated
