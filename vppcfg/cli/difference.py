"""Shows the difference that a plan makes, in colours where they are wanted."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.cli.output import Colour, Paint
from vppcfg.common.printable import printable
from vppcfg.model.state import State
from vppcfg.operations.change import Action
from vppcfg.plan.plan import Plan
from vppcfg.render.diff_view import DiffLine, diff_lines, difference_lines

_COLOURS = {
    Action.CREATE: Colour.GOOD,
    Action.UPDATE: Colour.CHANGED,
    Action.REPLACE: Colour.BAD,
    Action.DELETE: Colour.BAD,
}


def painted_difference(plan: Plan, paint: Paint, most: int | None = None) -> str:
    """Return the difference that a plan makes, its summary at the end; of more than `most` entries, so many."""
    return _painted(diff_lines(plan, most), paint)


def painted_states(before: State, after: State, paint: Paint) -> str:
    """Return what differs between two states."""
    return _painted(difference_lines(before, after), paint)


def _painted(view: Iterable[DiffLine], paint: Paint) -> str:
    lines = []
    for line in view:
        text = printable(line.text)
        lines.append(paint(text, _COLOURS[line.action]) if line.action else text)
    return "".join(f"{line}\n" for line in lines)
