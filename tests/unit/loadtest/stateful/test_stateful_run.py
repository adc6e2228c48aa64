"""A test with connections: its rates, what counts as failed, the verdict; on a simulated device."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.loadtest.samples import BACK, CHECKS, THERE
from vppcfg.common.clock import SimulatedClock
from vppcfg.errors import EngineError, UsageError
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.result import Verdict
from vppcfg.loadtest.stateful.engine import ConnectionCount, StatefulTraffic
from vppcfg.loadtest.stateful.outcome import StatefulOutcome
from vppcfg.loadtest.stateful.profile import stateful_profile_of
from vppcfg.loadtest.stateful.run import (
    ConnectionPlan,
    ConnectionRamp,
    ConnectionStatus,
    failed_ratio,
    failures_begin_cps,
    outcome_of,
    verdict_of,
)
from vppcfg.loadtest.stateful.simulated import SimulatedGateway, SimulatedStatefulEngine

PLAN = ConnectionPlan(warm_up_rate=10.0, target_rate=100.0, warm_up_s=2, ramp_s=10, hold_s=5)


class Witness:
    """An observer that remembers."""

    def __init__(self) -> None:
        self.phases: list[LoadPhase] = []
        self.statuses: list[ConnectionStatus] = []

    def begin(self, phase: LoadPhase, rate_cps: float, duration_s: float) -> None:
        self.phases.append(phase)

    def observe(self, status: ConnectionStatus) -> None:
        self.statuses.append(status)


def ramp_of(
    device: SimulatedGateway, plan: ConnectionPlan = PLAN, name: str = "http", open_s: float = 0.0, probes: float = 0.0
) -> tuple[ConnectionRamp, Witness]:
    clock = SimulatedClock()
    traffic = StatefulTraffic(
        profile=stateful_profile_of(name, open_s=open_s), directions=(THERE, BACK), latency_pps=probes
    )
    witness = Witness()
    engine = SimulatedStatefulEngine(device, clock)
    engine.acquire(("0", "1"))
    return ConnectionRamp(engine, traffic, plan, clock, witness), witness


def run(
    device: SimulatedGateway, plan: ConnectionPlan = PLAN, name: str = "http", open_s: float = 0.0, probes: float = 0.0
) -> tuple[StatefulOutcome, Verdict, tuple[str, ...]]:
    return ramp_of(device, plan, name, open_s, probes)[0].run()


def test_what_a_sample_counts_is_what_happened_in_it() -> None:
    outcome, _, _ = run(SimulatedGateway(), name="mix")
    assert outcome.totals is not None
    for name in ("begun", "answered", "ended", "failed", "sent_bytes", "received_bytes"):
        assert sum(getattr(sample.connections, name) for sample in outcome.samples) == getattr(outcome.totals, name)


def test_connections_that_stay_open_are_open_at_once() -> None:
    plan = ConnectionPlan(warm_up_rate=10.0, target_rate=100.0, warm_up_s=0, ramp_s=1, hold_s=20, finish_s=15)
    outcome, verdict, _ = run(SimulatedGateway(), plan, open_s=5.0)
    assert outcome.most_open == pytest.approx(510, abs=15)
    assert verdict.has_passed
    assert outcome.samples[-1].open_now == 0


def test_a_device_that_knows_no_more_connections_lets_no_more_in() -> None:
    outcome, verdict, _ = run(SimulatedGateway(most_open=100.0), open_s=2.0)
    assert not verdict.has_passed
    assert outcome.totals is not None
    assert outcome.totals.failed > 0


def test_connections_that_do_not_end_in_time_are_cut_and_have_failed() -> None:
    plan = ConnectionPlan(warm_up_rate=1.0, target_rate=10.0, warm_up_s=0, ramp_s=0, hold_s=5, finish_s=2)
    outcome, verdict, _ = run(SimulatedGateway(), plan, open_s=60.0)
    assert outcome.totals is not None
    assert (outcome.totals.begun, outcome.totals.answered, outcome.totals.failed) == (60, 60, 60)
    assert (outcome.failed_ratio, verdict.has_passed) == (1.0, False)
    assert [error.name for error in outcome.errors] == ["failed", "cut"]


def test_what_the_generator_does_not_begin_counts_as_failed_and_is_said() -> None:
    outcome, verdict, notes = run(SimulatedGateway(generator_cps=60.0))
    assert not verdict.has_passed
    assert outcome.totals is not None
    assert outcome.failed_ratio == pytest.approx(1 - outcome.totals.begun / 1080)
    assert notes[0].startswith("the generator did not begin 300 of 1,080 connections, which count as failed")


def test_an_early_stop_ends_after_three_failing_seconds() -> None:
    plan = ConnectionPlan(warm_up_rate=1.0, target_rate=100.0, warm_up_s=0, ramp_s=100, hold_s=10, stops_early=True)
    outcome, _, notes = run(SimulatedGateway(capacity_cps=50.0), plan, name="dns")
    rates = [sample.rate_cps for sample in outcome.samples if sample.phase is not LoadPhase.DRAIN]
    assert rates[-1] == 55.0
    assert "stopped early at 55 connections per second" in notes


def test_latency_is_measured_beside_the_connections() -> None:
    outcome, _, _ = run(SimulatedGateway(latency_us=42.0), probes=100.0)
    assert [delay.direction for delay in outcome.delays] == [THERE, BACK]
    assert [delay.average_us for delay in outcome.delays] == [42.0, 42.0]
    assert outcome.delays[0].histogram == ((40.0, outcome.delays[0].sent),)


def test_a_device_that_answers_nothing_ends_the_test() -> None:
    with pytest.raises(EngineError, match="no connection was answered for 5 s") as caught:
        run(SimulatedGateway(capacity_cps=0.0))
    assert "routes to 16.0.0.0/8 and 48.0.0.0/8" in caught.value.hint


def test_a_generator_that_begins_nothing_ends_the_test() -> None:
    ramp, _ = ramp_of(SimulatedGateway(generator_cps=0.0))
    with pytest.raises(EngineError, match="has begun no connection for 5 s"):
        ramp.run()
    left = ramp.so_far()
    assert (left.totals, len(left.samples)) == (None, 5)


def test_a_rate_below_one_connection_per_second_is_no_silence() -> None:
    plan = ConnectionPlan(warm_up_rate=0.1, target_rate=0.1, warm_up_s=0, ramp_s=0, hold_s=40)
    assert run(SimulatedGateway(), plan)[1].has_passed


@CHECKS
@given(
    begun=st.integers(0, 10**6), answered=st.integers(0, 10**6), ended=st.integers(0, 10**6),
    failed=st.integers(0, 10**6), intended=st.integers(0, 10**6),
)  # fmt: skip
def test_a_share_of_failures_is_a_share(begun: int, answered: int, ended: int, failed: int, intended: int) -> None:
    totals = ConnectionCount(begun=begun, answered=answered, ended=ended, failed=failed)
    ratio = failed_ratio(totals, intended)
    assert 0 <= ratio <= 1
    if ratio == 0 and begun:
        assert answered >= begun
        assert ended - failed >= begun


@CHECKS
@given(capacity=st.integers(1, 120), name=st.sampled_from(["http", "dns", "mix"]))
def test_every_connection_is_answered_or_has_failed(capacity: int, name: str) -> None:
    outcome, verdict, _ = run(SimulatedGateway(capacity_cps=float(capacity)), name=name)
    assert outcome.totals is not None
    assert outcome.totals.begun == outcome.totals.ended
    assert abs(outcome.totals.answered + outcome.totals.failed - outcome.totals.begun) <= 1
    assert verdict.has_passed == (capacity >= 100)


def test_a_limit_of_failures_is_held_against_the_share() -> None:
    traffic = StatefulTraffic(profile=stateful_profile_of("http"), directions=(THERE, BACK))
    begun = ConnectionCount(begun=1000, answered=1000, ended=1000)
    some = replace(outcome_of(traffic), totals=begun, failed_ratio=0.01)
    assert not verdict_of(some, 0.01).has_passed
    assert verdict_of(some, 0.011).has_passed
    assert verdict_of(replace(some, failed_ratio=0.0), 0.0).has_passed
    assert verdict_of(replace(some, totals=ConnectionCount()), 1.0).text == "the generator began no connection"


def test_failures_that_do_not_last_begin_nowhere() -> None:
    outcome, _, _ = run(SimulatedGateway(capacity_cps=50.0), name="dns")
    assert failures_begin_cps(outcome.samples[:10], 1e-4) is None
    assert failures_begin_cps((), 1e-4) is None


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"target_rate": 0.0}, "0 connections per second are no rate"),
        ({"target_rate": 1e9}, r"1e\+09 connections per second are no rate"),
        ({"warm_up_rate": 0.0}, "0 connections per second are no rate"),
        ({"ramp_s": 0, "hold_s": 0}, "a ramp without any time is none"),
        ({"hold_s": 90_000}, "is too long"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(options: dict[str, float], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        ConnectionPlan(**{"warm_up_rate": 1.0, "target_rate": 1.0, **options})  # type: ignore[arg-type]
