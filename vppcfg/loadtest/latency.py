"""Measures latency under load: the generator sends a stream with time stamps beside the load.

The delays are read at the end of each load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vppcfg.common.clock import Clock
from vppcfg.errors import EngineError, UsageError
from vppcfg.loadtest.engine import Engine, Traffic
from vppcfg.loadtest.ramp import MARGIN_S, SETTLE_S
from vppcfg.loadtest.ramp_schedule import LONGEST_S, LoadPhase
from vppcfg.loadtest.recorder import Observer, Recorder
from vppcfg.loadtest.result import DelayAtLoad, Sample
from vppcfg.record import record

PERCENTILES = (0.5, 0.99, 0.999)


@record
class LatencyPlan:
    """The loads to measure at, in packets per second per direction and in this order."""

    loads_pps: tuple[float, ...]
    duration_s: int = 30
    """At each load."""
    limit_ratio: float = 1e-4
    settle_s: float = SETTLE_S

    def __post_init__(self) -> None:
        if not self.loads_pps or self.duration_s < 1:
            raise UsageError("a measurement of latency needs a load and a time")
        if self.total_s > LONGEST_S:
            raise UsageError(f"a test of {self.total_s:g} s is too long", f"it takes {LONGEST_S} s at most")

    @property
    def total_s(self) -> float:
        """Return the seconds of all loads, pauses included."""
        return len(self.loads_pps) * (self.duration_s + self.settle_s)


class LatencyTest:
    """One measurement on an engine that has been acquired; `found` and `samples` grow while it runs."""

    def __init__(self, engine: Engine, traffic: Traffic, plan: LatencyPlan, clock: Clock, observer: Observer) -> None:
        self.samples: list[Sample] = []
        self.found: list[DelayAtLoad] = []
        self._engine = engine
        self._traffic = traffic
        self._plan = plan
        self._clock = clock
        self._observer = observer

    def run(self) -> tuple[DelayAtLoad, ...]:
        """Measure at each load. Raise EngineError when the generator fails, or cannot measure latency."""
        began_s = self._clock.now()
        for place, load_pps in enumerate(self._plan.loads_pps):
            self._measure(load_pps, self._clock.now() - began_s, place)
        return tuple(self.found)

    def _measure(self, load_pps: float, offset_s: float, place: int) -> None:
        plan = self._plan
        recorder = Recorder(self._engine, self._traffic, self._clock, self._observer, plan.limit_ratio)
        self._engine.prepare(self._traffic)
        recorder.begin()
        self._engine.start(load_pps, plan.duration_s + MARGIN_S)
        self._observer.begin(LoadPhase.TRIAL, load_pps, plan.duration_s)
        self._observer.change(load_pps)
        later_s = (len(plan.loads_pps) - place - 1) * (plan.duration_s + plan.settle_s)
        for second in range(1, plan.duration_s + 1):
            sample = recorder.wait(second, LoadPhase.TRIAL, load_pps, plan.duration_s - second + later_s)
            self.samples.append(replace(sample, at_s=round(sample.at_s + offset_s, 6)))
        delays = self._engine.delays()
        self._engine.stop()
        self._clock.sleep(plan.settle_s)
        if not delays:
            raise EngineError("this generator does not measure latency", "T-Rex does: --engine trex")
        self.found.append(
            DelayAtLoad(load_pps=load_pps, duration_s=plan.duration_s, delays=delays, totals=recorder.totals())
        )


def percentile_us(histogram: Sequence[tuple[float, int]], share: float) -> tuple[float, float] | None:
    """Return the class of latency below whose upper edge lies the share `share` of the packets.

    The two figures are its edges in microseconds; None means that the histogram is empty.
    """
    whole = sum(count for _, count in histogram)
    counted = 0
    for edge_us, count in histogram:
        counted += count
        if counted >= share * whole and count:
            return edge_us, upper_edge_us(edge_us)
    return None


def upper_edge_us(edge_us: float) -> float:
    """Return the upper edge of a class of latency.

    T-Rex has one class per leading digit (src/time_histogram.h).
    """
    magnitude = 10.0
    while edge_us >= 10 * magnitude:
        magnitude *= 10
    return edge_us + magnitude
