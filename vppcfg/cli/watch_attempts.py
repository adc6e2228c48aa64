"""When to try again to bring a VPP to its file: the same differences less and less often, others at once."""

from __future__ import annotations

from vppcfg.plan.drift import Differences

LONGEST_S = 3600.0


class Attempts:
    """What could not be reconciled last, and when that may be tried again."""

    def __init__(self, first_s: float) -> None:
        """Try again after `first_s`, then after twice the time, up to an hour."""
        self._first_s = self._pause_s = first_s
        self._failed: Differences = {}
        self._due_s = 0.0

    def is_due(self, differences: Differences, now_s: float) -> bool:
        """Return whether to try."""
        return differences != self._failed or now_s >= self._due_s

    def fail(self, differences: Differences, now_s: float) -> float:
        """Note a failure and return after how many seconds the next attempt is due."""
        is_same = differences == self._failed
        self._pause_s = min(2 * self._pause_s, LONGEST_S) if is_same else self._first_s
        self._failed, self._due_s = differences, now_s + self._pause_s
        return self._pause_s

    def succeed(self) -> None:
        """Forget what failed before."""
        self._failed, self._pause_s = {}, self._first_s
