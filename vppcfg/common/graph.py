"""Graphs as plain data: axes with their ticks, lines, areas, bars, marks. `common/svg.py` draws them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from vppcfg.record import record

_STEPS = (1, 2, 2.5, 5, 10)
_TIME_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400)
Point = tuple[float, float]
_Item = TypeVar("_Item")
_MOST_LINES, _MOST_PARTS, _MOST_POINTS, _MOST_AREAS, _MOST_SLOTS, _MOST_MARKS = 100, 2000, 40_000, 8000, 500, 50
"""What can be distinguished in one image of some hundred pixels, and more."""
_LONGEST_NOTE = 2000
PALETTE = ("#0b5cad", "#c2410c", "#15803d", "#7e22ce", "#0e7490", "#a16207", "#be185d", "#4d5b6a")
"""Apart for eyes that see no red and green, and dark enough on white."""
GREY = "#8a939c"
LOSS_COLOUR = "#b3261e"


@record
class Scale:
    """From `low` to `high`; what lies beyond is drawn at the edge."""

    low: float
    high: float
    ticks: tuple[float, ...]
    text: Callable[[float], str]
    is_log: bool = False

    def place(self, value: float) -> float:
        """Return where a value is, from 0 at `low` to 1 at `high`."""
        low, high, here = self.low, self.high, value
        if self.is_log:
            low, high, here = math.log10(low), math.log10(high), math.log10(max(value, self.low))
        return min(max((here - low) / (high - low), 0.0), 1.0)


def amount(value: float) -> str:
    """Return a number for a tick, such as `1.5 M`."""
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.6g} {letter}"
    return f"{value:.6g}"


def linear_scale(most: float, text: Callable[[float], str], least: float = 0.0, requested: int = 8) -> Scale:
    """Return a scale from `least` to a round number at or above `most`."""
    step = _round_step((most - least or 1.0) / requested)
    high = least + step * max(math.ceil((most - least) / step - 1e-9), 1)
    count = round((high - least) / step)
    return Scale(low=least, high=high, ticks=tuple(least + step * place for place in range(count + 1)), text=text)


def share_scale(text: Callable[[float], str]) -> Scale:
    """Return a scale from 0 to 1 in quarters."""
    return Scale(low=0.0, high=1.0, ticks=(0.0, 0.25, 0.5, 0.75, 1.0), text=text)


def log_scale(low: float, high: float, text: Callable[[float], str]) -> Scale:
    """Return a scale over whole powers of ten that holds `low` and `high`."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    last = max(last, first + 1)
    every = max((last - first + 6) // 7, 1)
    ticks = tuple(10.0**power for power in range(first, last + 1, every))
    return Scale(low=10.0**first, high=10.0**last, ticks=ticks, text=text, is_log=True)


def time_scale(duration_s: float, requested: int = 8) -> Scale:
    """Return a scale of time since the beginning, ticks at whole seconds, minutes or hours; it ends with the data."""
    most = max(duration_s, 1.0)
    step = next((step for step in _TIME_STEPS_S if most / step <= requested), _TIME_STEPS_S[-1])
    ticks = tuple(float(at) for at in range(0, int(most) + 1, step))
    return Scale(low=0.0, high=most, ticks=ticks, text=_clock if most >= 120 else lambda value: f"{value:g} s")


def _clock(value: float) -> str:
    minutes, seconds = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def _round_step(step: float) -> float:
    """Return the next larger of 1, 2, 2.5 and 5 times a power of ten."""
    magnitude = 10.0 ** math.floor(math.log10(step))
    return next(magnitude * factor for factor in _STEPS if magnitude * factor >= step * (1 - 1e-9))


def colour_of(number: int) -> str:
    """Return a colour of the palette, grey for -1."""
    return GREY if number < 0 else PALETTE[number % len(PALETTE)]


@record
class Line:
    """Points in order of x; each part is drawn by itself, with a gap between parts."""

    label: str
    parts: tuple[tuple[Point, ...], ...]
    colour: int
    """Number in the palette; -1 for grey."""
    is_dashed: bool = False
    is_thin: bool = False
    is_stepped: bool = False


@record
class Area:
    """A rectangle, such as the time of one moment and a range of values."""

    from_x: float
    to_x: float
    from_y: float
    to_y: float
    colour: str
    opacity: float


@record
class Bars:
    """Bars of one row of values, side by side with those of other rows; x counts from 0."""

    label: str
    heights: tuple[float, ...]
    colour: int


@record
class Bar:
    """A horizontal bar of its own, with its name before it."""

    label: str
    value: float
    text: str = ""
    """What stands behind the bar; the value when empty."""


@record
class Landmark:
    """A place that has a name: a line across at y, a line down at x, or a point."""

    label: str
    x: float | None = None
    y: float | None = None
    colour: str = LOSS_COLOUR


@record
class Graph:
    """One graph."""

    title: str
    x: Scale
    y: Scale
    x_name: str
    y_name: str
    lines: tuple[Line, ...] = ()
    areas: tuple[Area, ...] = ()
    bars: tuple[Bars, ...] = ()
    marks: tuple[Landmark, ...] = ()
    legend: tuple[tuple[str, str], ...] = ()
    """Further entries: a colour and what it stands for."""
    note: str = ""
    """Shown below it."""


def thinned(points: Sequence[Point], most: int = 1200) -> tuple[Point, ...]:
    """Return at most about `most` of the points, the highest and the lowest of every stretch among them."""
    if len(points) <= most:
        return tuple(points)
    size = -(-len(points) * 2 // most)
    kept: list[Point] = []
    for start in range(0, len(points), size):
        stretch = points[start : start + size]
        ends = {min(stretch, key=lambda point: point[1]), max(stretch, key=lambda point: point[1])}
        kept += sorted(ends)
    return tuple(kept)


def bounded(graph: Graph) -> Graph:
    """Return the graph with no more than can be seen of it, and what was left out in its note."""
    lines = tuple(_drawable(line, len(graph.lines)) for line in graph.lines[:_MOST_LINES])
    bars = tuple(replace(bars, heights=bars.heights[:_MOST_SLOTS]) for bars in graph.bars[:_MOST_LINES])
    hidden = {
        "lines": len(graph.lines) - len(lines),
        "rows of bars": len(graph.bars) - len(bars),
        "bars of each row": max((len(row.heights) for row in graph.bars), default=0) - _MOST_SLOTS,
        "marks": len(graph.marks) - _MOST_MARKS,
    }
    note = graph.note if len(graph.note) <= _LONGEST_NOTE else f"{graph.note[:_LONGEST_NOTE]}…"
    left_out = [f"{count} more {what} are not drawn." for what, count in hidden.items() if count > 0]
    return replace(
        graph,
        x=_first_slots(graph.x) if graph.bars else graph.x,
        lines=lines,
        areas=_some(graph.areas, _MOST_AREAS),
        bars=bars,
        marks=graph.marks[:_MOST_MARKS],
        note=" ".join([*([note] if note else []), *left_out]),
    )


def _drawable(line: Line, lines: int) -> Line:
    """Return one of so many lines with as many parts and points as there is room for."""
    parts = _some(line.parts, max(_MOST_PARTS // lines, 1))
    most = max(_MOST_POINTS // (lines * max(len(parts), 1)), 4)
    return replace(line, parts=tuple(thinned(part, most) for part in parts))


def _some(items: Sequence[_Item], most: int) -> tuple[_Item, ...]:
    """Return at most so many of the items, as far apart as they come, the first among them."""
    return tuple(items[:: max(-(-len(items) // most), 1)])


def _first_slots(scale: Scale) -> Scale:
    """Return an axis with as many slots as there is room for; each has its tick."""
    if len(scale.ticks) <= _MOST_SLOTS:
        return scale
    return replace(scale, high=scale.low + _MOST_SLOTS, ticks=scale.ticks[:_MOST_SLOTS])


def highest(lines: Iterable[Line]) -> float:
    """Return the largest value of any line, 0 when there is none."""
    return max((y for line in lines for part in line.parts for _, y in part), default=0.0)
