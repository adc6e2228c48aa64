"""Samples an engine's counters once a second, and notifies an observer of each sample."""

from __future__ import annotations

from typing import Protocol

from vppcfg.common.clock import Clock, sleep_until
from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import Count, Direction, Engine, Tally, Traffic
from vppcfg.loadtest.load import certain_loss_ratio, is_losing, loss_ratio, sum_of
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.result import Sample, Total
from vppcfg.record import record

SILENCE_S = 5.0
"""A device that returns nothing for so long is taken to be dead."""
UNSENT_TOLERANCE = 0.01
"""A generator that sends this share less than it should was started late; one that sends still less cannot keep up."""


@record
class EngineStatus:
    """How far a test has come, with its last sample and what was counted since it began."""

    phase: LoadPhase
    elapsed_s: float
    remaining_s: float
    """At most, as far as it is known."""
    load_pps: float
    """Per direction."""
    sample: Sample
    so_far: Tally
    """All directions, since the test began."""
    loss_ratio: float
    """What is lost of that for certain."""
    is_losing: bool = False
    """Whether this sample lost more than allowed."""


class Observer(Protocol):
    """What is notified of each phase, load and sample of a test; its methods must return at once."""

    def begin(self, phase: LoadPhase, load_pps: float, duration_s: float) -> None:
        """Take note that a phase begins."""

    def change(self, load_pps: float) -> None:
        """Take note that the load is another now."""

    def observe(self, status: EngineStatus) -> None:
        """Take note of a sample."""


class SilentObserver:
    """An observer that ignores everything."""

    def begin(self, phase: LoadPhase, load_pps: float, duration_s: float) -> None:
        """Do nothing."""

    def change(self, load_pps: float) -> None:
        """Do nothing."""

    def observe(self, status: EngineStatus) -> None:
        """Do nothing."""


class Recorder:
    """Takes the samples of one test. `begin` comes after the engine's `prepare` and before its `start`."""

    def __init__(
        self,
        engine: Engine,
        traffic: Traffic,
        clock: Clock,
        observer: Observer,
        limit_ratio: float,
        *,
        may_lose_all: bool = False,
    ) -> None:
        """With `may_lose_all`, a device that returns nothing is no error but loses all packets."""
        self.samples: list[Sample] = []
        self._engine = engine
        self._directions = traffic.directions
        self._latency_pps = traffic.latency_pps
        self._clock = clock
        self._observer = observer
        self._limit_ratio = limit_ratio
        self._may_lose_all = may_lose_all
        self._began_s = 0.0
        self._former: Count | None = None
        self._intended = 0.0
        self._silent_s = [0.0] * len(traffic.directions)
        self._idle_s = 0.0

    def begin(self) -> None:
        """Begin to count time and packets."""
        self._former = self._engine.count()
        self._began_s = self._clock.now()

    @property
    def elapsed_s(self) -> float:
        """Return how long the test has been running."""
        return self._clock.now() - self._began_s

    def wait(self, moment_s: float, phase: LoadPhase, load_pps: float, remaining_s: float) -> Sample:
        """Wait until `moment_s` of the test and take a sample. Raise EngineError when nothing comes back any more."""
        sleep_until(self._clock, self._began_s + moment_s)
        sample = self._sample(phase, load_pps)
        self.samples.append(sample)
        self._intended += (load_pps + self._latency_pps) * sample.duration_s
        self._observer.observe(self._status(sample, remaining_s))
        self._watch_for_silence(sample)
        return sample

    def totals(self) -> tuple[Total, ...]:
        """Return what every direction counted; the traffic must have stopped and settled."""
        tallies = self._engine.count().tallies
        return totals_of(self._directions, tallies, int(self._intended))

    def _sample(self, phase: LoadPhase, load_pps: float) -> Sample:
        former, count = self._former, self._engine.count()
        assert former is not None
        self._former = count
        full = None
        if count.queue_full is not None and former.queue_full is not None:
            full = max(count.queue_full - former.queue_full, 0)
        return Sample(
            at_s=round(count.at_s - self._began_s, 6),
            duration_s=round(count.at_s - former.at_s, 6),
            phase=phase,
            load_pps=load_pps,
            tallies=tuple(now - before for now, before in zip(count.tallies, former.tallies, strict=True)),
            uncertainty_s=count.uncertainty_s,
            cpu_share=count.cpu_share,
            queue_full=full,
        )

    def _status(self, sample: Sample, remaining_s: float) -> EngineStatus:
        assert self._former is not None
        so_far = sum_of(self._former.tallies)
        rate = sum(tally.sent for tally in sample.tallies) / sample.duration_s
        return EngineStatus(
            phase=sample.phase,
            elapsed_s=sample.at_s,
            remaining_s=remaining_s,
            load_pps=sample.load_pps,
            sample=sample,
            so_far=so_far,
            loss_ratio=certain_loss_ratio(so_far, rate * sample.uncertainty_s),
            is_losing=is_losing(sample, self._limit_ratio),
        )

    def _watch_for_silence(self, sample: Sample) -> None:
        is_idle = not any(tally.sent for tally in sample.tallies)
        self._idle_s = self._idle_s + sample.duration_s if is_idle else 0.0
        if self._idle_s >= SILENCE_S:
            raise EngineError(
                f"the generator has sent nothing for {self._idle_s:.0f} s",
                "was its traffic stopped, or were its ports taken over?",
            )
        for place, tally in enumerate(sample.tallies):
            is_silent = tally.sent > 0 and tally.received == 0 and not self._may_lose_all
            self._silent_s[place] = self._silent_s[place] + sample.duration_s if is_silent else 0.0
            if self._silent_s[place] >= SILENCE_S:
                raise EngineError(
                    f"nothing came back from {self._directions[place].name} for {self._silent_s[place]:.0f} s",
                    "does the router forward it? See its routes, its neighbours and the state of its ports",
                )


def totals_of(directions: tuple[Direction, ...], tallies: tuple[Tally, ...], intended: int) -> tuple[Total, ...]:
    """Return the totals of directions, each of which should have sent `intended` packets."""
    return tuple(
        Total(direction=direction, tally=tally, intended=intended, loss_ratio=_loss(tally, intended))
        for direction, tally in zip(directions, tallies, strict=True)
    )


def _loss(tally: Tally, intended: int) -> float:
    """Return the lost share of a direction.

    Packets that the generator could not send count as lost, but not those that are missing because it started late.
    """
    keeps_up = tally.sent >= intended * (1 - UNSENT_TOLERANCE)
    return loss_ratio(tally, 0 if keeps_up else intended)
