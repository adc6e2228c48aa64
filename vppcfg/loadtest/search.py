"""Searches for the throughput of a router under stated losses: goals such as NDR and PDR, by MLRsearch (RFC 9971)."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vppcfg.common.clock import Clock, sleep_until
from vppcfg.common.rates import parse_figure
from vppcfg.errors import EngineError, UsageError
from vppcfg.loadtest.engine import Engine, Traffic
from vppcfg.loadtest.load import sum_of
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.recorder import UNSENT_TOLERANCE, Observer, Recorder, SilentObserver, totals_of
from vppcfg.loadtest.result import Throughput, Trial
from vppcfg.record import record

log = logging.getLogger(__name__)
_GOAL_WORDS: Mapping[str, tuple[str, float]] = {
    "loss": ("loss_ratio", 0.01),
    "exceed": ("exceed_ratio", 0.01),
    "width": ("relative_width", 0.01),
    "initial": ("initial_trial_s", 1.0),
    "final": ("final_trial_s", 1.0),
    "sum": ("duration_sum_s", 1.0),
}
"""Word in a goal -> attribute, and what to multiply with: shares are given in percent."""
_GOAL = re.compile(r"([a-z0-9]+)(?:=([0-9]*\.?[0-9]+)%?)?((?:,[a-z]+=[^,]+)*)")
LEAST_PPS = 1000.0
"""A router that loses packets at this load has another problem."""
LONGEST_S = 24 * 3600.0
OnTrial = Callable[[Trial, int, float], None]
"""Called with each trial, its number and how long it took with its pauses."""
SETTLE_S = 2.0
"""After the traffic and before the last count (RFC 2544, section 23)."""
MARGIN_S = 5.0
"""A generator stops by itself so long after the planned end."""
_LOOK_AT = 0.8
"""When in a trial the load of the generator is read, as a share of the time."""


@record
class Goal:
    """One goal; the defaults are those of FD.io CSIT."""

    name: str
    loss_ratio: float = 0.0
    """A trial that loses more is a bad one."""
    exceed_ratio: float = 0.5
    """Share of the duration that may consist of bad trials."""
    relative_width: float = 0.005
    """The search ends when the bounds are this close, as a share of the upper one."""
    initial_trial_s: float = 1.0
    final_trial_s: float = 1.0
    duration_sum_s: float = 21.0
    """So much time of trials decides about a load."""


_KNOWN_GOALS = {
    "ndr": Goal(name="NDR"),
    "pdr": Goal(name="PDR", loss_ratio=0.005),
    "rfc2544": Goal(name="RFC 2544", exceed_ratio=0.0, initial_trial_s=1.0, final_trial_s=60.0, duration_sum_s=60.0),
    "tst009": Goal(name="TST009", initial_trial_s=1.0, final_trial_s=60.0, duration_sum_s=120.0),
}


def goal_of(text: str) -> Goal:
    """Return the goal of `ndr`, `pdr=0.5`, `rfc2544`, `tst009` or one of them with changes. Raise UsageError.

    Changes follow after commas, shares in percent and times in seconds: `ndr,final=10,sum=30,width=1`.
    """
    match = _GOAL.fullmatch(text.strip().lower())
    known = _KNOWN_GOALS.get(match[1]) if match else None
    if match is None or known is None:
        raise UsageError(f"{text!r} is no goal", "the goals are: ndr, pdr=PERCENT, rfc2544, tst009")
    if match[2]:
        if match[1] != "pdr":
            raise UsageError(f"{text!r}: only pdr takes a loss", f"write {match[1]}, or pdr={match[2]}")
        known = replace(known, loss_ratio=_goal_figure(match[2]) / 100)
    goal = replace(known, **_goal_changes(match[3]))
    return _checked_goal(replace(goal, name=_goal_name(goal)), text)


def _goal_changes(text: str) -> dict[str, Any]:
    """Return the attributes that `,WORD=VALUE,...` changes. Raise UsageError."""
    changes = {}
    for part in filter(None, text.split(",")):
        word, _, value = part.partition("=")
        if word not in _GOAL_WORDS:
            raise UsageError(f"a goal has no {word}", "a goal has: " + ", ".join(_GOAL_WORDS))
        attribute, factor = _GOAL_WORDS[word]
        changes[attribute] = _goal_figure(value) * factor
    return changes


def _goal_figure(text: str) -> float:
    return parse_figure(text.removesuffix("%").removesuffix("s"))


def _goal_name(goal: Goal) -> str:
    return f"{goal.name} {100 * goal.loss_ratio:g} %" if goal.loss_ratio else goal.name


def _checked_goal(goal: Goal, text: str) -> Goal:
    """Return a goal that can be searched for. Raise UsageError for any other."""
    complaints = (
        (not goal.loss_ratio < 1, "its loss is less than 100 %"),
        (not goal.exceed_ratio < 1, "its exceed ratio is less than 100 %"),
        (not 0 < goal.relative_width < 1, "its width is more than 0 and less than 100 %"),
        (not 0 < goal.initial_trial_s <= goal.final_trial_s, "its final trial is no shorter than its initial one"),
        (not goal.final_trial_s <= goal.duration_sum_s, "its sum is no shorter than its final trial"),
    )
    for is_wrong, complaint in complaints:
        if is_wrong:
            raise UsageError(f"{text!r} is no goal that can be reached: {complaint}")
    return goal


def goals_of(texts: Sequence[str]) -> tuple[Goal, ...]:
    """Return the goals of several texts, NDR and PDR at 0.5 % when there are none. Raise UsageError."""
    return tuple(goal_of(text) for text in texts or ("ndr", "pdr=0.5"))


@record
class SearchPlan:
    """The goals of a search, and the loads per direction between which it searches."""

    goals: tuple[Goal, ...]
    max_pps: float
    min_pps: float = LEAST_PPS
    longest_s: float = 3600.0
    warm_up_s: float = 1.0
    """A trial at the highest load that does not count, as a router is slower at its first packets."""

    def __post_init__(self) -> None:
        if not self.goals:
            raise UsageError("a search needs a goal")
        if len({goal.name for goal in self.goals}) != len(self.goals):
            raise UsageError("a goal is given twice")
        if not 0 < self.min_pps < self.max_pps:
            raise UsageError(
                f"no load lies between {self.min_pps:,.0f} and {self.max_pps:,.0f} packets per second", "see --min"
            )
        if not 0 < self.longest_s <= LONGEST_S:
            raise UsageError(f"a search of {self.longest_s:g} s is too long", f"it takes {LONGEST_S:.0f} s at most")


class Search:
    """One search on a bench; `trials` grows while it runs."""

    def __init__(self, bench: Bench, plan: SearchPlan, on_trial: OnTrial = lambda trial, number, took_s: None) -> None:
        self.trials: list[Trial] = []
        self._bench = bench
        self._plan = plan
        self._on_trial = on_trial
        self._is_warm = not plan.warm_up_s

    def run(self) -> tuple[Throughput, ...]:
        """Return what was found for each goal. Raise EngineError when the time does not suffice."""
        from MLRsearch import Config, MultipleLossRatioSearch

        goals = {goal.name: _goal_of_package(goal) for goal in self._plan.goals}
        config = Config()
        config.goals = tuple(goals.values())
        # In this order: the package refuses a highest load below the lowest one that it has until then, 9001.
        config.min_load, config.max_load = self._plan.min_pps, self._plan.max_pps
        config.search_duration_max, config.warmup_duration = self._plan.longest_s, self._plan.warm_up_s
        try:
            found = MultipleLossRatioSearch(config).search(_Measurer(self._measure), log.debug)
        except RuntimeError as error:
            if "takes too long" not in str(error):
                raise
            raise EngineError(
                f"the search did not end within {self._plan.longest_s:g} s", "see --max-duration; or search for less"
            ) from error
        return tuple(_throughput(goal, found[goals[goal.name]]) for goal in self._plan.goals)

    def _measure(self, duration_s: float, load_pps: float) -> Trial:
        trial = self._bench.run(load_pps, duration_s)
        if not self._is_warm:
            self._is_warm = True
            return trial
        self.trials.append(trial)
        self._on_trial(trial, len(self.trials), duration_s + self._bench.settle_s)
        return trial


class _Measurer:
    """The package's AbstractMeasurer; it asks for no more than this method."""

    def __init__(self, measure: Callable[[float, float], Trial]) -> None:
        self._measure = measure

    def measure(self, intended_duration: float, intended_load: float) -> Any:
        """Return the result of a trial as the package expects it."""
        from MLRsearch import MeasurementResult

        trial = self._measure(intended_duration, intended_load)
        tally = sum_of(total.tally for total in trial.totals)
        return MeasurementResult(
            intended_duration=intended_duration,
            intended_load=intended_load,
            offered_count=tally.sent,
            loss_count=sum(total.tally.lost for total in trial.totals),
            intended_count=_intended(trial, tally.sent),
        )


def _intended(trial: Trial, sent: int) -> int:
    """Return how many packets should have been sent; a start that was a moment late is no loss."""
    intended = sum(total.intended for total in trial.totals)
    return sent if sent >= intended * (1 - UNSENT_TOLERANCE) else intended


def _goal_of_package(goal: Goal) -> Any:
    from MLRsearch import SearchGoal

    return SearchGoal(
        loss_ratio=goal.loss_ratio,
        exceed_ratio=goal.exceed_ratio,
        relative_width=goal.relative_width,
        initial_trial_duration=goal.initial_trial_s,
        final_trial_duration=goal.final_trial_s,
        duration_sum=goal.duration_sum_s,
        fail_fast=False,
    )


def _throughput(goal: Goal, found: Any) -> Throughput:
    def rate(value: Any) -> float | None:
        return None if value is None else float(value)

    return Throughput(
        goal=goal.name,
        loss_ratio=goal.loss_ratio,
        exceed_ratio=goal.exceed_ratio,
        final_trial_s=goal.final_trial_s,
        duration_sum_s=goal.duration_sum_s,
        relative_width=goal.relative_width,
        lower_bound_pps=rate(found.relevant_lower_bound),
        upper_bound_pps=rate(found.relevant_upper_bound),
        conditional_pps=rate(found.conditional_throughput),
    )


class Bench:
    """An engine that has been acquired and prepared, on which trials run one after the other."""

    def __init__(
        self,
        engine: Engine,
        traffic: Traffic,
        clock: Clock,
        settle_s: float = SETTLE_S,
        observer: Observer | None = None,
    ) -> None:
        self._engine = engine
        self._observer = observer or SilentObserver()
        self._traffic = traffic
        self._clock = clock
        self.settle_s = settle_s

    def run(self, load_pps: float, duration_s: float) -> Trial:
        """Offer a load and return what was counted. The traffic runs exactly as long as the clock shows."""
        recorder = Recorder(
            self._engine, self._traffic, self._clock, self._observer, limit_ratio=0.0, may_lose_all=True
        )
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
