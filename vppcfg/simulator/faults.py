"""Faults that a test asks for: messages that a simulated VPP refuses, ignores, answers wrongly, or dies of.

It can also hang at one, and answer late.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from enum import Enum
from math import inf
from sys import maxsize

from vppcfg.record import record
from vppcfg.simulator.retval import Retval

_SPAN = re.compile(r"([0-9]+)(-([0-9]*))?")

Occasions = int | Container[int] | None
"""One number, or several of them, such as {2, 5} or range(3, 1000)."""


class _Spans:
    """Ranges of numbers, each with its first and its last."""

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._spans = spans

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and any(first <= number <= last for first, last in self._spans)


def parse_occasions(text: str) -> Container[int]:
    """Return the numbers in a text such as `3`, `3,9`, `3-9` or `3-`; raise ValueError when it is none."""
    spans = []
    for part in text.split(","):
        match = _SPAN.fullmatch(part)
        first = int(match[1]) if match else 0
        last = first if match is None or match[2] is None else int(match[3]) if match[3] else maxsize
        if not 0 < first <= last:
            raise ValueError(text)
        spans.append((first, last))
    return _Spans(spans)


@record
class Faults:
    """The numbers of messages at which to fail, and how.

    Messages that change something count from 1, over all clients and restarts; dumps do not count.
    """

    fail_at: Occasions = None
    """These messages are refused and change nothing."""
    fail_retval: int = Retval.UNSPECIFIED
    """Return code of a refusal, negative."""
    lie_at: Occasions = None
    """These are carried out and answered as if they were refused."""
    skip_at: Occasions = None
    """These are answered as if they were carried out and change nothing; an index in the answer is ~0."""
    late_at: Occasions = None
    """The answers to these come `late_s` later, and what is asked meanwhile is answered before them."""
    late_s: float = 1.0
    """Seconds."""
    die_at: int | None = None
    """VPP is gone at this message: nothing is changed, nothing is answered."""
    restart_s: float | None = None
    """Seconds after which an unconfigured VPP takes the place of the one that died; None for never."""
    hang_at: int | None = None
    """VPP stands still at this message for `hang_s`; then it carries on with it and with all that came meanwhile."""
    hang_s: float = inf
    """Seconds."""
    mute_at: int | None = None
    """From this message on VPP executes requests but answers none, pings included."""
    delay_s: float = 0.0
    """Seconds before each answer."""
    pace_s: float = 0.0
    """Seconds before each message that changes something is carried out; the answers before it have left by then."""


class Verdict(Enum):
    """What the faults do to one state-changing message."""

    CARRY_OUT = "carry out"
    REFUSE = "refuse"
    LIE = "lie"
    SKIP = "skip"
    DIE = "die"


class FaultCounter:
    """Counts the state-changing messages and returns the verdict on each."""

    def __init__(self, faults: Faults, on_change: Callable[[int], None] | None = None) -> None:
        """`on_change` is called with the number of each such message before anything becomes of it."""
        self.faults = faults
        self.count = 0
        self._on_change = on_change

    @property
    def is_mute(self) -> bool:
        """Return whether VPP has stopped answering, as the faults asked for."""
        return self.faults.mute_at is not None and self.count >= self.faults.mute_at

    @property
    def is_late(self) -> bool:
        """Return whether the answer to the message counted last comes late."""
        return _is_among(self.count, self.faults.late_at)

    def pause_before_next(self) -> float:
        """Return for how many seconds VPP stands still before the next state-changing message."""
        return self.faults.hang_s if self.count + 1 == self.faults.hang_at else self.faults.pace_s

    def next(self) -> Verdict:
        """Count one state-changing message and return what happens to it."""
        self.count += 1
        if self._on_change is not None:
            self._on_change(self.count)
        if self.count == self.faults.die_at:
            return Verdict.DIE
        choices = (
            (self.faults.fail_at, Verdict.REFUSE),
            (self.faults.lie_at, Verdict.LIE),
            (self.faults.skip_at, Verdict.SKIP),
        )
        for occasions, verdict in choices:
            if _is_among(self.count, occasions):
                return verdict
        return Verdict.CARRY_OUT


def _is_among(number: int, occasions: Occasions) -> bool:
    return number == occasions if isinstance(occasions, int) or occasions is None else number in occasions
