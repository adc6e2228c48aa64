"""How long VPP forwards nothing while a plan is carried out: the steps that take it more than a millisecond."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10

from vppcfg.model.state import State
from vppcfg.operations.operation import Operation
from vppcfg.operations.pause import LONG_MS, NO_PAUSE, Pause, PauseContext
from vppcfg.record import record

ALONE_MS = 10.0
"""What takes so long is sent alone, so that its answer tells how long it was; the change hardly takes longer."""


@record
class StepPause:
    """How long VPP stands still for one step of a plan."""

    step: int
    """Its position."""
    pause: Pause
    ms: float | None
    """None where it is not known, because the size of a table is not."""


@record
class Pauses:
    """How long VPP stands still for the steps of a plan that take it long."""

    steps: tuple[StepPause, ...]
    """Those of more than a millisecond, and those of which it is not known, in order."""
    total_ms: float | None
    """Of all these, None where it is not known."""
    longest_ms: float | None
    """For one step, None likewise; 0 without any that take long."""


def pauses_of(operations: Sequence[Operation], observed: State, desired: State) -> Pauses:
    """Return how long VPP stands still for these operations on the way from one state to the other."""
    steps = tuple(_long_ones(operations, observed, desired))
    times = [each.ms for each in steps]
    if None in times:
        return Pauses(steps=steps, total_ms=None, longest_ms=None)
    longest = max((ms for ms in times if ms is not None), default=0.0)
    return Pauses(steps=steps, total_ms=total_of(steps), longest_ms=longest)


def _long_ones(operations: Sequence[Operation], observed: State, desired: State) -> Iterator[StepPause]:
    context = PauseContext(observed, desired)
    for position, operation in enumerate(operations):
        if operation.__class__.pause is Operation.pause:
            continue
        pause = operation.pause(context)
        if pause is not NO_PAUSE:
            ms = pause.milliseconds(context.sizes)
            if ms is None or ms > LONG_MS:
                yield StepPause(step=position, pause=pause, ms=ms)


def total_of(steps: Sequence[StepPause]) -> float:
    """Return the time of steps whose times are known.

    All routes and all sessions are concerned once, by whichever of the steps of a sort they are.
    """
    bounds: dict[str, float] = {}
    for each in steps:
        if each.pause.is_bound:
            bounds[each.pause.doing] = max(each.ms or 0.0, bounds.get(each.pause.doing, 0.0))
    return sum(bounds.values()) + sum(each.ms or 0.0 for each in steps if not each.pause.is_bound)


def time_text(ms: float) -> str:
    """Return a time with two digits."""
    if ms <= 0:
        return "0 ms"
    rounded = round(ms, 1 - floor(log10(ms)))
    return f"{rounded:g} ms" if rounded < 100 else f"{rounded / 1000:g} s"
