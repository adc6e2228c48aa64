"""Faults on request: which state-changing message a simulated VPP refuses, dies of, or leaves unanswered."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from vppcfg.simulator.retval import Retval


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """When to fail. Messages that change something count from 1, over all clients; dumps do not count."""

    fail_at: int | None = None
    """This message is refused and changes nothing."""
    fail_retval: int = Retval.UNSPECIFIED
    """Return code of that refusal, negative."""
    die_at: int | None = None
    """VPP is gone at this message: nothing is changed, nothing is answered."""
    mute_at: int | None = None
    """From this message on VPP does what it is asked but answers nobody, pings included."""
    delay_s: float = 0.0
    """Seconds before each answer."""


class Verdict(Enum):
    """What becomes of one state-changing message."""

    CARRY_OUT = "carry out"
    REFUSE = "refuse"
    DIE = "die"


class FaultCounter:
    """Counts state-changing messages and says what becomes of each."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.count = 0

    @property
    def is_mute(self) -> bool:
        """Return whether answers are withheld by now."""
        return self.faults.mute_at is not None and self.count >= self.faults.mute_at

    def next(self) -> Verdict:
        """Count one state-changing message and return what becomes of it."""
        self.count += 1
        if self.count == self.faults.die_at:
            return Verdict.DIE
        if self.count == self.faults.fail_at:
            return Verdict.REFUSE
        return Verdict.CARRY_OUT
