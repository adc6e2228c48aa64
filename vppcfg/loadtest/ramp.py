"""Runs a ramp: a warm-up, a load that rises evenly, and a hold at the target.

A ramp passes when every direction loses less than the limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.clock import Clock
from vppcfg.common.rates import pps
from vppcfg.loadtest.engine import Engine, Traffic
from vppcfg.loadtest.load import first_of_last_failing_run, is_losing, loss_text
from vppcfg.loadtest.ramp_schedule import LoadPhase, RampSchedule
from vppcfg.loadtest.recorder import UNSENT_TOLERANCE, Observer, Recorder
from vppcfg.loadtest.result import Sample, Total, Verdict
from vppcfg.record import record

SETTLE_S = 2.0
"""Between the end of the traffic and the last count (RFC 2544, section 23)."""
MARGIN_S = 30.0
"""A generator stops by itself so long after the planned end: vppcfg may no longer be there to stop it."""
EARLY_SAMPLES = 3
"""So many samples in a row that lose too much end a test that stops early."""


@record
class RampPlan(RampSchedule):
    """The load of every second of a ramp, in packets per second and direction."""

    limit_ratio: float = 1e-4
    """Passes below this share of lost packets."""
    stops_early: bool = False
    settle_s: float = SETTLE_S


@record
class RampOutcome:
    """The totals and the verdict of a ramp, and the load at which loss begins."""

    totals: tuple[Total, ...]
    verdict: Verdict
    loss_begins_pps: float | None
    notes: tuple[str, ...]


class Ramp:
    """One ramp on an engine that has been acquired.

    `samples` grows while it runs, and stays when it is interrupted.
    """

    def __init__(self, engine: Engine, traffic: Traffic, plan: RampPlan, clock: Clock, observer: Observer) -> None:
        self._engine = engine
        self._traffic = traffic
        self._plan = plan
        self._clock = clock
        self._observer = observer
        self._recorder = Recorder(engine, traffic, clock, observer, plan.limit_ratio)
        self._losing = 0

    @property
    def samples(self) -> tuple[Sample, ...]:
        """Return the samples so far."""
        return tuple(self._recorder.samples)

    def run(self) -> RampOutcome:
        """Run the ramp to its end. Raise EngineError when the generator or the device fails."""
        self._engine.prepare(self._traffic)
        self._recorder.begin()
        stopped_at_pps = self._ramp_up()
        self._engine.stop()
        self._clock.sleep(self._plan.settle_s)
        return self._outcome(self._recorder.totals(), stopped_at_pps)

    def _ramp_up(self) -> float | None:
        """Offer the loads of the plan; return the one at which too much was lost, when that ends it."""
        plan, former_phase, former_pps = self._plan, None, None
        for second, (phase, load_pps) in enumerate(plan.seconds(), start=1):
            if former_pps is None:
                self._engine.start(load_pps, plan.duration_s + MARGIN_S)
            elif load_pps != former_pps:
                self._engine.update(load_pps)
            if phase is not former_phase:
                self._observer.begin(phase, load_pps, plan.phase_s(phase))
            if load_pps != former_pps and phase is not LoadPhase.WARM_UP:
                self._observer.change(load_pps)
            former_phase, former_pps = phase, load_pps
            sample = self._recorder.wait(second, phase, load_pps, plan.duration_s - second)
            if self._must_stop(sample):
                return load_pps
        return None

    def _must_stop(self, sample: Sample) -> bool:
        self._losing = self._losing + 1 if is_losing(sample, self._plan.limit_ratio) else 0
        return self._plan.stops_early and self._losing >= EARLY_SAMPLES

    def _outcome(self, totals: tuple[Total, ...], stopped_at_pps: float | None) -> RampOutcome:
        notes = list(_notes(totals, self.samples))
        if stopped_at_pps is not None:
            notes.append(f"stopped early at {pps(stopped_at_pps)} per direction")
        first = first_of_last_failing_run(self.samples, self._plan.limit_ratio)
        return RampOutcome(
            totals=totals,
            verdict=verdict_of(totals, self._plan.limit_ratio),
            loss_begins_pps=first.load_pps if first else None,
            notes=tuple(notes),
        )


def verdict_of(totals: tuple[Total, ...], limit_ratio: float) -> Verdict:
    """Return whether every direction lost less than `limit_ratio`; nothing sent is no pass."""
    worst = max(totals, key=lambda total: total.loss_ratio)
    if not all(total.tally.sent for total in totals):
        return Verdict(has_passed=False, limit_ratio=limit_ratio, text="the generator sent nothing")
    text = f"{worst.direction.name} lost {loss_text(worst.loss_ratio)}, the limit is {loss_text(limit_ratio)}"
    has_passed = worst.loss_ratio < limit_ratio or worst.loss_ratio == 0
    return Verdict(has_passed=has_passed, limit_ratio=limit_ratio, text=text)


def _notes(totals: tuple[Total, ...], samples: tuple[Sample, ...]) -> Iterator[str]:
    """Yield a sentence for everything that makes a result less than certain."""
    for total in totals:
        unsent = total.intended - total.tally.sent
        if unsent > total.intended * UNSENT_TOLERANCE:
            yield (
                f"the generator did not send {unsent:,} of {total.intended:,} packets of {total.direction.name}, "
                "which count as lost: the limit found may be the generator's"
            )
        if total.tally.received > total.tally.sent:
            more, name = total.tally.received - total.tally.sent, total.direction.name
            yield f"{more:,} packets more came back from {name} than were sent: something else sends too"
    full = sum(sample.queue_full or 0 for sample in samples)
    if full:
        yield f"the generator found its queues full {full:,} times"
