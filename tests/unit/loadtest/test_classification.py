"""How trials at one load make it a bound: the example of RFC 9971, with our goals and the package that decides."""

from __future__ import annotations

import pytest
from MLRsearch import MeasurementResult
from MLRsearch.target_spec import TargetSpec
from MLRsearch.target_stat import TargetStat

from vppcfg.loadtest.search import Goal, goal_of

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


def stat_of(goal: Goal) -> TargetStat:
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


def kind(stat: TargetStat) -> str:
    """Return UB for an upper bound, LB for a lower one, U for undecided."""
    optimistic, pessimistic = stat.estimates()
    return "LB" if pessimistic else "U" if optimistic else "UB"


def test_a_load_becomes_a_bound_as_in_the_standard() -> None:
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
