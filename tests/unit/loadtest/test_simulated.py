"""The simulated device: what it counts follows from the load and the time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.loadtest.samples import BACK, CHECKS, THERE
from vppcfg.common.clock import SimulatedClock
from vppcfg.errors import EngineError
from vppcfg.loadtest.engine import Tally, Traffic
from vppcfg.loadtest.profile import profile_of
from vppcfg.loadtest.simulated import SimulatedDevice, SimulatedEngine

TRAFFIC = Traffic(profile=profile_of("bench"), directions=(THERE, BACK))
STAMPED = replace(TRAFFIC, latency_pps=100.0)


def run(
    device: SimulatedDevice, load_pps: float, duration_s: float = 2.0, traffic: Traffic = TRAFFIC
) -> tuple[SimulatedEngine, SimulatedClock]:
    clock = SimulatedClock()
    engine = SimulatedEngine(device, clock)
    engine.acquire(("0", "1"))
    engine.prepare(traffic)
    engine.start(load_pps, 10.0)
    clock.sleep(duration_s)
    return engine, clock


@CHECKS
@given(load_pps=st.floats(1.0, 1e6), duration_s=st.floats(0.01, 9.0))
def test_below_its_capacity_nothing_is_lost(load_pps: float, duration_s: float) -> None:
    engine, _ = run(SimulatedDevice(capacity_pps=1e6), load_pps, duration_s)
    first, second = engine.count().tallies
    assert first == second
    assert first.lost == 0
    assert first.sent == pytest.approx(load_pps * duration_s, abs=1)


def test_above_its_capacity_the_rest_is_lost() -> None:
    engine, _ = run(SimulatedDevice(capacity_pps=1e6), 1.5e6)
    assert engine.count().tallies[0] == Tally(sent=3_000_000, received=2_000_000)


def test_a_device_can_collapse_under_its_load() -> None:
    engine, _ = run(SimulatedDevice(capacity_pps=1e6, collapse=0.5), 1.5e6)
    assert engine.count().tallies[0] == Tally(sent=3_000_000, received=1_500_000)


def test_a_generator_can_be_too_slow() -> None:
    engine, _ = run(SimulatedDevice(capacity_pps=1e6, generator_pps=0.75e6), 1.5e6)
    assert engine.count().tallies[0] == Tally(sent=1_500_000, received=1_500_000)


def test_jitter_is_the_same_with_the_same_seed_and_another_with_another() -> None:
    counts = [run(SimulatedDevice(capacity_pps=1e6, jitter=0.1, seed=seed), 1e6)[0].count() for seed in (1, 1, 2)]
    assert counts[0] == counts[1] != counts[2]
    assert counts[0].tallies[0].lost > 0


def test_latency_grows_when_packets_wait() -> None:
    slow, _ = run(SimulatedDevice(capacity_pps=1e6), 2e6, traffic=STAMPED)
    quick, _ = run(SimulatedDevice(capacity_pps=1e6), 5e5, traffic=STAMPED)
    assert quick.delays()[0].maximum_us == 10.0 < slow.delays()[0].maximum_us
    assert quick.delays()[0].histogram == ((10.0, 200),)


def test_a_port_that_is_not_there_is_refused() -> None:
    with pytest.raises(EngineError, match="the simulated generator has no port 2"):
        SimulatedEngine(SimulatedDevice(), SimulatedClock()).acquire(("0", "2"))
