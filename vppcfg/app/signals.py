"""Turns signals into an orderly end: SIGTERM raises Terminated; during a change, signals only ask it to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from vppcfg.errors import GivenUpError


class Terminated(BaseException):
    """SIGTERM has arrived. Not an Exception: like KeyboardInterrupt, nothing but the very end may swallow it."""


class Stop:
    """Whether the work is to end, and by which signal first."""

    def __init__(self, on_request: Callable[[], None]) -> None:
        self.number: signal.Signals | None = None
        self._on_request = on_request
        self._is_waiting = False

    def __call__(self) -> bool:
        """Return whether the work is to end."""
        return self.number is not None

    def request(self, number: int, frame: FrameType | None) -> None:
        """Note a signal; only the first one counts. Raise GivenUpError while the command only waits."""
        if self.number is None:
            self.number = signal.Signals(number)
            self._on_request()
        if self._is_waiting:
            raise GivenUpError("VPP did not answer, and the wait for it was interrupted")

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Let a signal end what is done within this context at once, by GivenUpError."""
        self._is_waiting = True
        try:
            yield
        finally:
            self._is_waiting = False


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


@contextmanager
def deferring(on_request: Callable[[], None]) -> Iterator[Stop]:
    """Yield what notes SIGINT and SIGTERM within this context, where neither ends anything by itself.

    The terminal may be closed meanwhile (SIGHUP): a change that cuts its own connection must not stop half-way. SIGINT
    that was ignored when vppcfg started stays so: a shell ignores it for what it runs in the background, so that Ctrl-C
    ends only what stands in front. Signals are the business of the main thread: in others nothing is noted.
    """
    stop = Stop(on_request)
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    numbers = [signal.SIGTERM]
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        numbers.append(signal.SIGINT)
    former = {number: signal.signal(number, stop.request) for number in numbers}
    former[signal.SIGHUP] = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        yield stop
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
