"""Carries out the steps of a plan on a dataplane: each phase, and each turn in it, is complete before the next begins.

A turn is a run of steps that do not depend on each other. What a later turn does depends on what an earlier one has
done: VPP 26.10 crashes, for one, when the table goes that a tunnel looks up its other end in, because the deletion of
that tunnel was refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby

from vppcfg.dataplane import Dataplane, Performance
from vppcfg.operations.stages import Step, turn_starts
from vppcfg.plan.pauses import ALONE_MS
from vppcfg.plan.plan import Plan


def perform_plan(
    plan: Plan,
    dataplane: Dataplane,
    on_progress: Callable[[int], None],
    should_stop: Callable[[], bool] | None = None,
) -> Performance:
    """Carry out the steps of a plan and stop at the end of the phase in which VPP refuses one, or when asked to.

    `on_progress` is called with the number of steps carried out so far. Raise DataplaneError when VPP goes away.
    """
    done: list[int] = []
    start = 0
    longest = 0.0
    for phase in _phases(plan):
        operations = [step.operation for step in phase]
        starts = turn_starts(phase) | _around_long_steps(plan, start, len(phase))
        performed = dataplane.perform(operations, _counting_from(start, on_progress), should_stop, starts)
        done += (start + index for index in performed.done)
        longest = max(longest, performed.longest_answer_s)
        if performed.refusals:
            refusals = tuple(replace(refusal, index=start + refusal.index) for refusal in performed.refusals)
            return Performance(done=tuple(done), refusals=refusals, longest_answer_s=longest)
        if len(performed.done) < len(phase):
            break
        start += len(phase)
    return Performance(done=tuple(done), longest_answer_s=longest)


def _around_long_steps(plan: Plan, start: int, count: int) -> frozenset[int]:
    """Return the positions in a phase of the steps that take VPP long, and of those right behind them.

    Each of them begins a turn of its own, so that the answer to a long one is timed and packets pass before the next.
    """
    long = {each.step - start for each in plan.pauses.steps if each.ms is not None and each.ms >= ALONE_MS}
    return frozenset(place for each in long for place in (each, each + 1) if 0 <= place < count)


def _phases(plan: Plan) -> Iterator[list[Step]]:
    for _, steps in groupby(plan.steps, key=lambda step: step.stage.phase):
        yield list(steps)


def _counting_from(start: int, on_progress: Callable[[int], None]) -> Callable[[int], None]:
    return lambda count: on_progress(start + count)
