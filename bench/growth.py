"""How work grows with size: sizes and figures in, an exponent and its error out, and whether n log n allows it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from vppcfg.record import record

_NOISE = 0.05
"""By how much of itself a figure may be off: the least of several runs on a machine that does other things too."""
_SMALLEST_S = 0.05
"""CPU time in seconds above that of the smallest network below which a figure says nothing."""


@record
class Growth:
    """The exponent e of n^e that fits best, how far off it may be, and the largest that n log n explains."""

    exponent: float
    error: float
    """Twice the standard error, from the noise of the figures."""
    bound: float

    @property
    def is_too_fast(self) -> bool:
        """Return whether this grows faster than n log n, for sure."""
        return self.exponent - self.error > self.bound


def growth(figures: Mapping[int, float]) -> Growth | None:
    """Return how figures (CPU seconds by size) grow; None when too few of them say anything.

    The least of all is what a process costs anyway, and is subtracted from the others. The exponent is the slope of
    a straight line through the logarithms, by weighted least squares: what is left of a small figure is mostly noise,
    and counts little. That of n log n is 1 + 1 / ln n, by derivation.
    """
    floor = min(figures.values())
    points = [
        _point(size, figure, floor)
        for size, figure in figures.items()
        if figure - floor >= _SMALLEST_S and size > min(figures)
    ]
    if len(points) < 2:
        return None
    exponent, error = _slope(points)
    return Growth(exponent=exponent, error=2 * error, bound=1 + 1 / min(point.x for point in points))


class _Point(NamedTuple):
    """The logarithms of a size and a figure, and how much the latter counts: 1 / (its standard error)^2."""

    x: float
    y: float
    weight: float


def _point(size: int, figure: float, floor: float) -> _Point:
    above = figure - floor
    error = _NOISE * math.hypot(figure, floor) / above
    return _Point(x=math.log(size), y=math.log(above), weight=error**-2)


def _slope(points: list[_Point]) -> tuple[float, float]:
    """Return the slope of the line that fits best, and its standard error."""
    mean_x = sum(point.weight * point.x for point in points) / sum(point.weight for point in points)
    spread = sum(point.weight * (point.x - mean_x) ** 2 for point in points)
    slope = sum(point.weight * (point.x - mean_x) * point.y for point in points) / spread
    return slope, spread**-0.5
