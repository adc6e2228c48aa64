"""The outcome of a rehearsal: what a real VPP did at each step of a plan, and on the ways back."""

from __future__ import annotations

from vppcfg.probe.transients import Transient
from vppcfg.record import record


@record
class LeftOut:
    """A step that was not carried out."""

    step: int
    """Counted from 1, as everywhere here."""
    subject: str
    why: str


@record
class MeasuredStep:
    """A step that was carried out."""

    step: int
    blocked_ms: float | None
    """How long VPP held its workers, by its own clock; None where it had none."""
    estimated_ms: float | None
    """How long the plan expects it to, None where that is less than a millisecond."""


@record
class Refused:
    """The step at which the rehearsal ended, because VPP does not take it."""

    step: int
    subject: str
    why: str


@record
class PlanRehearsal:
    """All that a rehearsal has shown."""

    version: str
    """Of the VPP that it was made on."""
    steps: tuple[MeasuredStep, ...]
    left_out: tuple[LeftOut, ...]
    frames: int
    """How many frames say what becomes of them before and after."""
    unclear: int
    """How many more would, and did not do that before the first step: nothing is told by them."""
    transients: tuple[Transient, ...]
    refused: Refused | None
    backs_from: tuple[int, ...]
    """The steps behind which the way back was gone."""
    backs_unlike: tuple[tuple[int, str], ...]
    """Those of them whose way back did not lead to where the plan began, with what is otherwise."""
    took_s: float
    memory_bytes: int
    """What the VPP had at most, 0 where it has ended."""

    @property
    def unannounced(self) -> tuple[Transient, ...]:
        """Return what happened to frames that the impact of the plan does not name."""
        return tuple(each for each in self.transients if not each.is_announced)

    @property
    def has_failed(self) -> bool:
        """Return whether something happened that must not happen, or that the plan does not tell."""
        return bool(self.refused or self.backs_unlike or self.unannounced)
