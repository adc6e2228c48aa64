"""Holds a generator for the length of a test: whatever ends the test, its traffic stops and its ports are free."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import Engine

_INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def held(engine: Engine, ports: tuple[str, ...]) -> Iterator[None]:
    """Take the ports of a generator for this context. An interruption at any moment leaves no traffic and no port."""
    try:
        with uninterrupted():
            engine.acquire(ports)
        yield
    except BaseException:
        with suppress(EngineError):  # the first error says more
            give_back(engine)
        raise
    else:
        give_back(engine)


def give_back(engine: Engine) -> None:
    """Stop the traffic and free the ports; the latter even if the former fails."""
    with uninterrupted():
        try:
            engine.stop()
        finally:
            engine.release()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let SIGINT and SIGTERM wait until this context ends. For work of a moment only."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python runs handlers of signals in the main thread only
        return
    pending: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        pending.append(number)

    former = {number: signal.signal(number, note) for number in _INTERRUPTIONS}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        for noted in dict.fromkeys(pending):
            signal.raise_signal(noted)
