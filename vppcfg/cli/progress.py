"""Shows how far something long has got: a bar on a terminal after the first second, nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

from vppcfg.cli.output import is_terminal, write

PATIENCE_S = 1.0
INTERVAL_S = 0.1
WIDTH = 30


class Progress:
    """A context manager around the work; `report` takes the number of units done so far."""

    def __init__(
        self,
        label: str,
        total: int,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        unit: str = "steps",
    ) -> None:
        self._label = label
        self._total = total
        self._unit = unit
        self._stream = stream or sys.stderr
        self._clock = clock
        self._due = clock() + PATIENCE_S
        self._is_shown = False

    def report(self, done: int) -> None:
        """Show that `done` units are done, at most ten times a second."""
        now = self._clock()
        if now < self._due or not is_terminal(self._stream):
            return
        self._due = now + INTERVAL_S
        self._is_shown = True
        filled = WIDTH * done // max(self._total, 1)
        bar = "#" * filled + "." * (WIDTH - filled)
        write(f"\r{self._label} [{bar}] {done} of {self._total} {self._unit}", self._stream)

    def clear(self) -> None:
        """Take the bar away; safe to call twice."""
        if self._is_shown:
            self._is_shown = False
            write("\r\x1b[K", self._stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()
