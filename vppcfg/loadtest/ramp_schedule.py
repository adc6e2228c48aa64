"""The rate of each second of a ramp: a warm-up, an even rise to a target, and a hold; of packets or of connections."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from vppcfg.errors import UsageError
from vppcfg.record import record

LONGEST_S = 24 * 3600
"""No test takes more than a day."""


class LoadPhase(Enum):
    """What a test was doing when a sample was taken."""

    WARM_UP = "warm-up"
    RAMP = "ramp"
    HOLD = "hold"
    TRIAL = "trial"
    DRAIN = "drain"
    """After the traffic has stopped: packets that were on their way come in."""


@record
class RampSchedule:
    """The rate of every second, in whatever unit."""

    warm_up_rate: float
    target_rate: float
    warm_up_s: int = 30
    ramp_s: int = 600
    hold_s: int = 30
    step_rate: float = 0.0
    """The rate rises in steps of this; 0 for one every second."""

    def __post_init__(self) -> None:
        if min(self.warm_up_s, self.ramp_s, self.hold_s) < 0 or not self.ramp_s + self.hold_s:
            raise UsageError("a ramp without any time is none", "give it seconds to rise or to hold")
        if self.duration_s > LONGEST_S:
            raise UsageError(f"a ramp of {self.duration_s} s is too long", f"it takes {LONGEST_S} s at most")

    @property
    def duration_s(self) -> int:
        """Return the seconds of all phases; the target is reached a second before the hold."""
        return self.warm_up_s + self.ramp_s + 1 + self.hold_s

    def phase_s(self, phase: LoadPhase) -> float:
        """Return the seconds of a phase."""
        return {LoadPhase.WARM_UP: self.warm_up_s, LoadPhase.RAMP: self.ramp_s, LoadPhase.HOLD: self.hold_s}[phase]

    def rate_at(self, second: int) -> float:
        """Return the rate in a second of the rise, 0 its first; from `ramp_s` on it is the target."""
        if second >= self.ramp_s:
            return self.target_rate
        rate = self.target_rate * second / self.ramp_s
        if not self.step_rate:
            return max(rate, self.target_rate / self.ramp_s)
        steps = int(rate / self.step_rate + 1e-9)
        return min(max(steps, 1) * self.step_rate, self.target_rate)

    def seconds(self) -> Iterator[tuple[LoadPhase, float]]:
        """Yield phase and rate of every second."""
        for _ in range(self.warm_up_s):
            yield LoadPhase.WARM_UP, self.warm_up_rate
        for second in range(self.ramp_s + 1):
            yield LoadPhase.RAMP, self.rate_at(second)
        for _ in range(self.hold_s):
            yield LoadPhase.HOLD, self.target_rate
