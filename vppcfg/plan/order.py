"""The order of steps: by stage, then by what hangs on what, then by name; the same input gives the same order."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.model.naming import natural_key
from vppcfg.plan.operations import subject
from vppcfg.plan.stages import CHILDREN_FIRST, PARENTS_FIRST, Step

_Key = tuple[int, int, tuple[tuple[str | int, ...], str]]


def ordered(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps in the order in which they must run; those of one interface in one stage stay as they come."""
    return tuple(sorted(steps, key=_key))


def _key(step: Step) -> _Key:
    depth = -step.depth if step.stage in CHILDREN_FIRST else step.depth if step.stage in PARENTS_FIRST else 0
    return step.stage, depth, natural_key(subject(step.operation))
