"""Latency under load, and what its histogram tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.loadtest.samples import BACK, CHECKS, THERE
from vppcfg.common.clock import SimulatedClock
from vppcfg.errors import EngineError, UsageError
from vppcfg.loadtest.engine import Traffic
from vppcfg.loadtest.latency import LatencyPlan, LatencyTest, percentile_us, upper_edge_us
from vppcfg.loadtest.profile import profile_of
from vppcfg.loadtest.recorder import SilentObserver
from vppcfg.loadtest.simulated import SimulatedDevice, SimulatedEngine

HISTOGRAM = ((0.0, 500), (20.0, 400), (100.0, 99), (1000.0, 1))


def measure(latency_pps: float, *loads_pps: float) -> LatencyTest:
    clock = SimulatedClock()
    traffic = Traffic(profile=profile_of("bench"), directions=(THERE, BACK), latency_pps=latency_pps)
    engine = SimulatedEngine(SimulatedDevice(capacity_pps=1e6, latency_us=25.0), clock)
    test = LatencyTest(engine, traffic, LatencyPlan(loads_pps=loads_pps, duration_s=3), clock, SilentObserver())
    test.run()
    return test


def test_each_load_has_its_own_delays_and_totals() -> None:
    found = measure(100.0, 5e5, 2e6).found
    assert [one.load_pps for one in found] == [5e5, 2e6]
    assert [one.delays[0].maximum_us for one in found] == [25.0, pytest.approx(1049.0)]
    assert [one.totals[1].loss_ratio for one in found] == [0.0, pytest.approx(0.5, abs=0.001)]
    assert found[0].delays[0].sent == 300


def test_samples_of_several_loads_follow_each_other() -> None:
    times = [sample.at_s for sample in measure(100.0, 1e5, 2e5).samples]
    assert times == [1.0, 2.0, 3.0, 6.0, 7.0, 8.0]


def test_a_generator_without_stamps_cannot_measure() -> None:
    with pytest.raises(EngineError, match="this generator does not measure latency"):
        measure(0.0, 1e5)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.5, (0.0, 10.0)), (0.9, (20.0, 30.0)), (0.99, (100.0, 200.0)), (0.999, (100.0, 200.0)), (1.0, (1000.0, 2000.0))],
)
def test_a_percentile_is_a_class_of_the_histogram(share: float, expected: tuple[float, float]) -> None:
    assert percentile_us(HISTOGRAM, share) == expected


def test_a_histogram_without_packets_has_no_percentile() -> None:
    assert percentile_us((), 0.5) is None
    assert percentile_us(((10.0, 0),), 0.5) is None


@CHECKS
@given(digit=st.integers(1, 9), power=st.integers(1, 6))
def test_a_class_ends_where_the_next_begins(digit: int, power: int) -> None:
    assert upper_edge_us(digit * 10.0**power) == (digit + 1) * 10.0**power


def test_a_measurement_without_a_load_or_for_days_is_refused() -> None:
    with pytest.raises(UsageError, match="needs a load and a time"):
        LatencyPlan(loads_pps=())
    with pytest.raises(UsageError, match="too long"):
        LatencyPlan(loads_pps=(1.0,) * 10, duration_s=20_000)
