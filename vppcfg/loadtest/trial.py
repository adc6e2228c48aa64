"""Runs one trial: a load for a time, a pause for what is still on its way, then the counts in between."""

from __future__ import annotations

import math

from vppcfg.common.clock import Clock, sleep_until
from vppcfg.loadtest.engine import Engine, Traffic
from vppcfg.loadtest.recorder import Observer, Recorder, Silence, totals_of
from vppcfg.loadtest.result import LoadPhase, Trial

SETTLE_S = 2.0
"""After the traffic and before the last count (RFC 2544, section 23)."""
MARGIN_S = 5.0
"""A generator stops by itself so long after the planned end."""
_LOOK_AT = 0.8
"""When in a trial the load of the generator is read, as a share of the time."""


class Bench:
    """An engine that is held and prepared, to run trials on one after the other."""

    def __init__(
        self,
        engine: Engine,
        traffic: Traffic,
        clock: Clock,
        settle_s: float = SETTLE_S,
        observer: Observer | None = None,
    ) -> None:
        self._engine = engine
        self._observer = observer or Silence()
        self._traffic = traffic
        self._clock = clock
        self.settle_s = settle_s

    def run(self, load_pps: float, duration_s: float) -> Trial:
        """Offer a load and return what came of it. The traffic runs for as long as the clock says, no longer."""
        recorder = Recorder(self._engine, self._traffic, self._clock, self._observer, limit_ratio=0.0)
        before = self._engine.count().tallies
        recorder.begin()
        self._engine.start(load_pps, duration_s + MARGIN_S)
        began_s = self._clock.now()
        for second in range(1, math.ceil(duration_s)):
            recorder.wait(second, LoadPhase.TRIAL, load_pps, duration_s - second)
        sleep_until(self._clock, began_s + _LOOK_AT * duration_s)
        cpu_share = self._engine.count().cpu_share
        sleep_until(self._clock, began_s + duration_s)
        self._engine.stop()
        lasted_s = self._clock.now() - began_s
        self._clock.sleep(self.settle_s)
        tallies = tuple(now - then for now, then in zip(self._engine.count().tallies, before, strict=True))
        intended = round((load_pps + self._traffic.latency_pps) * min(lasted_s, duration_s))
        return Trial(
            load_pps=load_pps,
            duration_s=duration_s,
            totals=totals_of(self._traffic.directions, tallies, intended),
            cpu_share=cpu_share,
        )
