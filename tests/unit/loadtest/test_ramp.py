"""The ramp: its course, its verdict, where it says that loss begins."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.loadtest.samples import BACK, CHECKS, THERE
from vppcfg.common.clock import SimulatedClock
from vppcfg.errors import EngineError, UsageError
from vppcfg.loadtest.engine import Traffic
from vppcfg.loadtest.profile import profile_of
from vppcfg.loadtest.ramp import Ramp, RampOutcome, RampPlan
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.recorder import EngineStatus, SilentObserver
from vppcfg.loadtest.simulated import SimulatedDevice, SimulatedEngine

LINE_PPS = 1e9 / 672
TRAFFIC = Traffic(profile=profile_of("bench"), directions=(THERE, BACK))
SEED = RampPlan(warm_up_rate=1000.0, target_rate=LINE_PPS, step_rate=LINE_PPS / 100)
"""The defaults of trex-loadtest, in its whole percents."""


@dataclass
class Witness:
    """Remembers what it is told."""

    phases: list[LoadPhase] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)
    statuses: list[EngineStatus] = field(default_factory=list)

    def begin(self, phase: LoadPhase, load_pps: float, duration_s: float) -> None:
        self.phases.append(phase)

    def change(self, load_pps: float) -> None:
        self.loads.append(load_pps)

    def observe(self, status: EngineStatus) -> None:
        self.statuses.append(status)


def run(device: SimulatedDevice, plan: RampPlan, traffic: Traffic = TRAFFIC) -> tuple[Ramp, RampOutcome, Witness]:
    clock, witness = SimulatedClock(), Witness()
    ramp = Ramp(SimulatedEngine(device, clock), traffic, plan, clock, witness)
    return ramp, ramp.run(), witness


def test_the_course_is_that_of_trex_loadtest() -> None:
    """One percent for 12 s, then one more every 6 s; 631 seconds after the warm-up."""
    loads = [load_pps for phase, load_pps in SEED.seconds() if phase is not LoadPhase.WARM_UP]
    percents = [round(100 * load_pps / LINE_PPS) for load_pps in loads]
    assert len(percents) == 631
    assert percents[:12] == [1] * 12
    assert percents[12:18] == [2] * 6
    assert percents[594:600] == [99] * 6
    assert percents[600:] == [100] * 31


def test_without_a_step_the_load_is_another_every_second() -> None:
    plan = RampPlan(warm_up_rate=1000.0, target_rate=6000.0, ramp_s=600, hold_s=0)
    assert [plan.rate_at(second) for second in (0, 1, 2, 300, 600, 700)] == [10.0, 10.0, 20.0, 3000.0, 6000.0, 6000.0]


@CHECKS
@given(
    target=st.floats(1, 1e8), ramp_s=st.integers(1, 2000), hold_s=st.integers(0, 100),
    step=st.one_of(st.just(0.0), st.floats(0.1, 1e8)),
)  # fmt: skip
def test_a_ramp_never_falls_and_never_exceeds_its_target(target: float, ramp_s: int, hold_s: int, step: float) -> None:
    plan = RampPlan(warm_up_rate=1.0, target_rate=target, ramp_s=ramp_s, hold_s=hold_s, step_rate=step)
    loads = [load_pps for phase, load_pps in plan.seconds() if phase is not LoadPhase.WARM_UP]
    assert all(former <= later for former, later in pairwise(loads))
    assert all(0 < load_pps <= target for load_pps in loads)
    assert loads[ramp_s:] == [target] * (hold_s + 1)
    assert len(list(plan.seconds())) == plan.duration_s


@settings(CHECKS, max_examples=30)
@given(
    capacity=st.floats(0.05 * LINE_PPS, 1.2 * LINE_PPS), loss=st.sampled_from([0.0, 5e-5, 2e-3]), seed=st.integers(0, 9)
)
def test_the_verdict_is_that_of_the_counters(capacity: float, loss: float, seed: int) -> None:
    plan = RampPlan(warm_up_rate=1000.0, target_rate=LINE_PPS, warm_up_s=2, ramp_s=60, hold_s=3)
    ramp, outcome, _ = run(SimulatedDevice(capacity_pps=capacity, loss_ratio=loss, seed=seed), plan)
    sent = sum(sample.tallies[0].sent for sample in ramp.samples)
    received = sum(sample.tallies[0].received for sample in ramp.samples)
    total = outcome.totals[0]
    assert (total.tally.sent, total.tally.received) == (sent, received)
    assert outcome.verdict.has_passed == (max(total.loss_ratio for total in outcome.totals) < plan.limit_ratio)


@pytest.mark.parametrize("capacity", [710_227.0, 1_420_454.0])
def test_loss_begins_within_a_step_above_the_capacity(capacity: float) -> None:
    _, outcome, _ = run(SimulatedDevice(capacity_pps=capacity), SEED)
    assert outcome.loss_begins_pps is not None
    assert capacity < outcome.loss_begins_pps <= capacity + SEED.step_rate
    assert not outcome.verdict.has_passed


def test_a_device_that_carries_line_rate_passes() -> None:
    ramp, outcome, witness = run(SimulatedDevice(capacity_pps=2e6), SEED)
    assert (outcome.verdict.has_passed, outcome.loss_begins_pps, outcome.notes) == (True, None, ())
    assert len(ramp.samples) == 30 + 631
    assert witness.phases == [LoadPhase.WARM_UP, LoadPhase.RAMP, LoadPhase.HOLD]
    assert len(witness.loads) == 100
    assert witness.statuses[-1].remaining_s == 0


def test_an_early_stop_ends_after_three_losing_seconds() -> None:
    plan = RampPlan(warm_up_rate=1000.0, target_rate=1e6, ramp_s=100, hold_s=10, stops_early=True)
    ramp, outcome, _ = run(SimulatedDevice(capacity_pps=505_000.0), plan)
    assert [sample.load_pps for sample in ramp.samples[-4:]] == [500_000.0, 510_000.0, 520_000.0, 530_000.0]
    assert "stopped early at 530 kpps per direction" in outcome.notes
    assert outcome.loss_begins_pps == 510_000.0


def test_a_loss_below_the_limit_passes_and_one_above_does_not() -> None:
    plan = RampPlan(warm_up_rate=1000.0, target_rate=1e6, ramp_s=10, hold_s=10)
    assert run(SimulatedDevice(capacity_pps=2e6, loss_ratio=0.00009), plan)[1].verdict.has_passed
    assert not run(SimulatedDevice(capacity_pps=2e6, loss_ratio=0.00011), plan)[1].verdict.has_passed


def test_what_the_generator_cannot_send_counts_as_lost_and_is_said() -> None:
    plan = RampPlan(warm_up_rate=1000.0, target_rate=1e6, ramp_s=10, hold_s=10)
    _, outcome, _ = run(SimulatedDevice(capacity_pps=2e6, generator_pps=600_000.0), plan)
    assert not outcome.verdict.has_passed
    assert any(note.startswith("the generator did not send") for note in outcome.notes)


def test_a_device_that_returns_nothing_ends_the_test() -> None:
    with pytest.raises(EngineError, match="nothing came back from 0->1 for 5 s"):
        run(SimulatedDevice(capacity_pps=0.0), SEED)


class Dead(SimulatedEngine):
    """Sends nothing."""

    def start(self, load_pps: float, limit_s: float) -> None:
        pass

    def update(self, load_pps: float) -> None:
        pass


def test_a_generator_that_sends_nothing_ends_the_test() -> None:
    clock = SimulatedClock()
    with pytest.raises(EngineError, match="the generator has sent nothing for 5 s"):
        Ramp(Dead(SimulatedDevice(), clock), TRAFFIC, SEED, clock, SilentObserver()).run()


@pytest.mark.parametrize("times", [{"ramp_s": 0, "hold_s": 0}, {"warm_up_s": -1}, {"ramp_s": 80_000, "hold_s": 80_000}])
def test_a_ramp_without_time_or_with_too_much_is_refused(times: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        RampPlan(warm_up_rate=1.0, target_rate=1.0, **times)  # type: ignore[arg-type]
