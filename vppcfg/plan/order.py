"""The order of steps: by stage, then by what hangs on what, then by name; the same input gives the same order."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.common.names import natural_key
from vppcfg.plan.stages import CHILDREN_FIRST, PARENTS_FIRST, Stage, Step

_DIRECTIONS = {int(stage): (stage in PARENTS_FIRST) - (stage in CHILDREN_FIRST) for stage in Stage}
"""1 where depth comes first from the top, -1 from the bottom, 0 where it does not count."""
_DEPTHS = 8
"""More than there are; keys are single numbers, which compare four times as fast as tuples."""


def ordered(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps in the order in which they must run; those of one interface in one stage stay as they come."""
    listed = list(steps)
    names = [step.operation.subject for step in listed]
    ranks = {name: rank for rank, name in enumerate(sorted(set(names), key=natural_key))}
    keys = [_turn(step) * len(ranks) + ranks[name] for step, name in zip(listed, names, strict=True)]
    return tuple(listed[place] for place in sorted(range(len(listed)), key=keys.__getitem__))


def _turn(step: Step) -> int:
    """Return when a step's turn is by its stage, and by its depth in it."""
    stage = int(step.stage)
    return (2 * stage + 1) * _DEPTHS + _DIRECTIONS[stage] * step.depth
