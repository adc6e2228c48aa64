"""A search finds the throughput of what is simulated, and trials at one load make it a bound as RFC 9971 has it."""

from typing import TYPE_CHECKING

import pytest

from tests.unit.loadtest.samples import BACK, THERE
from vppcfg.common.clock import SimulatedClock
from vppcfg.errors import EngineError, UsageError
from vppcfg.loadtest.engine import Direction, Traffic
from vppcfg.loadtest.profile import profile_of
from vppcfg.loadtest.result import Throughput
from vppcfg.loadtest.search import Bench, Goal, Search, SearchPlan, goal_of, goals_of
from vppcfg.loadtest.simulated import SimulatedDevice, SimulatedEngine

if TYPE_CHECKING:
    from MLRsearch.target_stat import TargetStat

LOAD_PPS = 1e6
GOALS = tuple(goal_of(text) for text in ("rfc2544", "tst009", "pdr=0.5,final=1,sum=120,exceed=50"))
STEPS = (
    (59, 1.0, 0.0, "U U U"),
    (1, 1.0, 0.01, "UB U U"),
    (59, 1.0, 0.01, "UB U U"),
    (1, 1.0, 0.0, "UB U LB"),
    (1, 60.0, 0.001, "UB U LB"),
    (1, 60.0, 0.0, "UB LB LB"),
)
"""How many trials, of what duration, with what loss; what the load is for each goal then."""


def search(
    device: SimulatedDevice,
    max_pps: float,
    *goals: str,
    warm_up_s: float = 0.0,
    directions: tuple[Direction, ...] = (THERE,),
) -> tuple[Search, tuple[Throughput, ...]]:
    clock = SimulatedClock()
    engine = SimulatedEngine(device, clock)
    traffic = Traffic(profile=profile_of("bench"), directions=directions)
    engine.prepare(traffic)
    plan = SearchPlan(goals=goals_of(goals), max_pps=max_pps, warm_up_s=warm_up_s)
    run = Search(Bench(engine, traffic, clock), plan)
    return run, run.run()


@pytest.mark.parametrize(
    ("capacity", "max_pps", "ndr", "pdr"),
    [(1_000_000.0, 1e9, 997_497.6029, 1_000_000.673), (1_420_454.0, 1_488_095.0, 1_415_371.68, 1_420_454.14)],
)
def test_a_device_with_a_capacity_has_a_known_throughput(
    capacity: float, max_pps: float, ndr: float, pdr: float
) -> None:
    run, found = search(SimulatedDevice(capacity_pps=capacity), max_pps)
    assert len(run.trials) == 35
    assert found[0].conditional_pps == pytest.approx(ndr, abs=0.01)
    assert found[1].conditional_pps == pytest.approx(pdr, abs=0.01)


def test_a_trial_says_how_busy_the_generator_was() -> None:
    run, _ = search(SimulatedDevice(capacity_pps=2e6), 1e6)
    assert {trial.cpu_share for trial in run.trials} == {0.0}


def test_the_upper_bound_is_the_lowest_load_that_fails() -> None:
    _, (ndr, _) = search(SimulatedDevice(capacity_pps=1_420_454.0), 1_488_095.0)
    assert ndr.upper_bound_pps == pytest.approx(1_422_481.14, abs=0.01)


def test_a_device_that_carries_everything_has_no_upper_bound() -> None:
    run, found = search(SimulatedDevice(capacity_pps=2e6), 1_488_095.0)
    assert len(run.trials) == 11
    assert [(one.conditional_pps, one.upper_bound_pps) for one in found] == [(1_488_095.0, None)] * 2


def test_the_goal_of_rfc_2544_takes_seven_trials() -> None:
    run, (found,) = search(SimulatedDevice(capacity_pps=1e6), 1e9, "rfc2544")
    assert len(run.trials) == 7
    assert sum(trial.duration_s for trial in run.trials) == pytest.approx(138.5, abs=0.05)
    assert found.conditional_pps == pytest.approx(997_497.6029, abs=0.01)


def test_both_directions_find_what_one_finds() -> None:
    device = SimulatedDevice(capacity_pps=1e6)
    _, one = search(device, 1e9)
    _, both = search(device, 1e9, directions=(THERE, BACK))
    assert both[0].conditional_pps == one[0].conditional_pps


def test_a_device_that_fails_at_the_lowest_load_has_no_throughput() -> None:
    _, found = search(SimulatedDevice(capacity_pps=1e6, loss_ratio=0.5), 1e6)
    assert [(one.conditional_pps, one.lower_bound_pps) for one in found] == [(None, None)] * 2


def test_a_generator_that_is_too_slow_is_no_throughput_of_the_device() -> None:
    _, (ndr, _) = search(SimulatedDevice(capacity_pps=1e6, generator_pps=500_000.0), 1e6)
    assert ndr.lower_bound_pps is not None
    assert ndr.lower_bound_pps <= 500_000.0 * 1.011


def test_the_warm_up_is_no_trial() -> None:
    run, _ = search(SimulatedDevice(capacity_pps=1e6), 1e9, warm_up_s=5.0)
    assert len(run.trials) == 35


def test_a_device_that_forwards_nothing_at_the_highest_load_has_a_throughput_below() -> None:
    _, (found,) = search(SimulatedDevice(capacity_pps=1e5, collapse=1.0), 1e6, "ndr,initial=10,final=10,sum=30")
    assert found.conditional_pps == pytest.approx(1e5, rel=0.01)


def test_a_slow_link_has_a_throughput() -> None:
    _, (found,) = search(SimulatedDevice(capacity_pps=2000.0), 3000.0, "ndr")
    assert found.conditional_pps == pytest.approx(2000.0, rel=0.01)


def test_a_search_that_takes_too_long_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    passed = iter(range(0, 10_000, 60))
    monkeypatch.setattr("time.monotonic", lambda: float(next(passed)))
    with pytest.raises(EngineError, match="the search did not end within 3600 s"):
        search(SimulatedDevice(capacity_pps=1e6, jitter=0.01), 1e9, "tst009,sum=6000")


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("ndr", Goal(name="NDR")),
        ("PDR=0.5%", Goal(name="PDR 0.5 %", loss_ratio=0.005)),
        ("pdr", Goal(name="PDR 0.5 %", loss_ratio=0.005)),
        ("ndr,final=10,sum=30,width=1", Goal(name="NDR", final_trial_s=10, duration_sum_s=30, relative_width=0.01)),
        ("rfc2544", Goal(name="RFC 2544", exceed_ratio=0.0, final_trial_s=60, duration_sum_s=60)),
        ("tst009", Goal(name="TST009", final_trial_s=60, duration_sum_s=120)),
    ],
)
def test_a_goal_is_read(text: str, goal: Goal) -> None:
    assert goal_of(text) == goal


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("fast", "'fast' is no goal"),
        ("ndr=1", "only pdr takes a loss"),
        ("pdr=100", "its loss is less than 100 %"),
        ("pdr=x", "'pdr=x' is no goal"),
        ("ndr,speed=1", "a goal has no speed"),
        ("ndr,final=30", "its sum is no shorter than its final trial"),
        ("ndr,width=0", "its width is more than 0"),
        ("ndr,exceed=100", "its exceed ratio is less than 100 %"),
    ],
)
def test_what_is_no_goal_is_refused(text: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        goal_of(text)


def test_goals_that_are_the_same_and_loads_that_leave_no_room_are_refused() -> None:
    with pytest.raises(UsageError, match="a goal is given twice"):
        SearchPlan(goals=goals_of(["ndr", "ndr"]), max_pps=1e6)
    with pytest.raises(UsageError, match="no load lies between"):
        SearchPlan(goals=goals_of([]), max_pps=500.0)


def stat_of(goal: Goal) -> "TargetStat":
    """Return how MLRsearch counts for a goal. Importing it is slow below pytest, so nothing else here does."""
    from MLRsearch.target_spec import TargetSpec
    from MLRsearch.target_stat import TargetStat

    return TargetStat(
        TargetSpec(
            loss_ratio=goal.loss_ratio,
            exceed_ratio=goal.exceed_ratio,
            discrete_width=None,
            trial_duration=goal.final_trial_s,
            duration_sum=goal.duration_sum_s,
            expansion_coefficient=2,
            fail_fast=False,
            preceding=None,
        )
    )


def kind(stat: "TargetStat") -> str:
    """Return UB for an upper bound, LB for a lower one, U for undecided."""
    optimistic, pessimistic = stat.estimates()
    return "LB" if pessimistic else "U" if optimistic else "UB"


def test_a_load_becomes_a_bound_as_in_the_standard() -> None:
    from MLRsearch import MeasurementResult

    stats = [stat_of(goal) for goal in GOALS]
    for count, duration_s, loss_ratio, expected in STEPS:
        offered = round(LOAD_PPS * duration_s)
        trial = MeasurementResult(duration_s, LOAD_PPS, offered_count=offered, loss_count=round(offered * loss_ratio))
        for stat in stats:
            for _ in range(count):
                stat.add(trial)
        assert " ".join(kind(stat) for stat in stats) == expected
    throughputs = [LOAD_PPS * (1 - stat.pessimistic_loss_ratio) for stat in stats[1:]]
    assert throughputs == pytest.approx([1_000_000, 1_000_000])
