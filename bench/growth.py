"""How work grows with size: sizes and figures in, an exponent out, and whether it is more than n log n allows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

_NOISE = 0.15
"""By which an exponent may be off on a machine that does other things too; work that is half n and half n^2 at the
largest size has 1.5."""
_SMALLEST_S = 0.1
"""CPU time in seconds above that of the smallest network below which a figure says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """The exponent e of n^e that fits best, and the largest that n log n explains."""

    exponent: float
    bound: float

    @property
    def is_too_fast(self) -> bool:
        """Return whether this grows faster than n log n, for sure."""
        return self.exponent > self.bound


def growth(figures: Mapping[int, float]) -> Growth | None:
    """Return how figures (CPU seconds by size) grow; None when too few of them say anything.

    The least of all is what a process costs anyway, and is subtracted from the others. The exponent is the
    slope of a straight line through the logarithms (least squares). That of n log n is 1 + 1 / ln n, by derivation.
    """
    floor = min(figures.values())
    points = [
        (math.log(size), math.log(figure - floor))
        for size, figure in figures.items()
        if figure - floor >= _SMALLEST_S and size > min(figures)
    ]
    if len(points) < 2:
        return None
    return Growth(exponent=_slope(points), bound=1 + 1 / min(x for x, _ in points) + _NOISE)


def _slope(points: list[tuple[float, float]]) -> float:
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
