"""What a graph shows, as data: scales, lines, areas, bars, marks. `svg` draws it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vppcfg.loadtest.report.scale import Scale
from vppcfg.record import record

Point = tuple[float, float]
PALETTE = ("#0b5cad", "#c2410c", "#15803d", "#7e22ce", "#0e7490", "#a16207", "#be185d", "#4d5b6a")
"""Apart for eyes that see no red and green, and dark enough on white."""
GREY = "#8a939c"
LOSS_COLOUR = "#b3261e"


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
class Mark:
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
    marks: tuple[Mark, ...] = ()
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


def highest(lines: Iterable[Line]) -> float:
    """Return the largest value of any line, 0 when there is none."""
    return max((y for line in lines for part in line.parts for _, y in part), default=0.0)
