"""Turns SIGTERM into an exception, so that a command that is told to stop tidies up on its way out."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(BaseException):
    """SIGTERM has arrived. Not an Exception: like KeyboardInterrupt, nothing but the very end may swallow it."""


@contextmanager
def terminating() -> Iterator[None]:
    """Raise Terminated in the main thread when SIGTERM arrives within this context."""
    former = signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated
