"""Metrics of how far a router differs from its file, which `vppcfg watch --once` finds in a process of its own.

Comparing reads the whole state, for which VPP holds its workers with many a message, and takes memory that a process
which runs for months is not to keep.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from vppcfg.app.monitoring.child_process import ChildProcess
from vppcfg.app.target import own_command
from vppcfg.app.watching.notices import WallClock

_LONGEST_S = 300.0
_log = logging.getLogger(__name__)


class DriftMetrics:
    """The metrics of the last comparison."""

    def __init__(self, words: Sequence[str], interval_s: float, clock: WallClock = time) -> None:
        """`words` are the arguments of `vppcfg` that name file and VPP, behind `watch --once --format prometheus`."""
        self._command = [*own_command(), "--quiet", "watch", "--once", "--format", "prometheus", *words]
        self._interval_s = interval_s
        self._clock = clock
        self._due_s = float("-inf")
        self._started_s = 0.0
        self._child: ChildProcess | None = None
        self._text = ""

    def text(self) -> str:
        """Return what the last comparison wrote, '' before the first; begin another one when it is due."""
        now = self._clock.monotonic()
        self._collect(0.0)
        if self._child is None and now >= self._due_s:
            self._due_s, self._started_s = now + self._interval_s, now
            self._child = ChildProcess(self._command)
        return self._text

    def wait(self) -> str:
        """Return what a comparison writes once it is there."""
        self.text()
        self._collect(_LONGEST_S)
        return self._text

    def close(self) -> None:
        """End what is comparing; safe to call twice."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _collect(self, patience_s: float) -> None:
        if self._child is None:
            return
        output = self._child.answer(patience_s)
        if output is not None:
            self._text, self._child = output.decode(errors="replace"), None
        elif self._clock.monotonic() - self._started_s > _LONGEST_S:
            _log.warning("Comparing VPP with its file takes longer than %.0f s, and is given up", _LONGEST_S)
            self.close()
