"""A chart with logarithmic axes as SVG: lines of points in, the text of a picture out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

_WIDTH, _HEIGHT = 760, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 220, 30, 50
_COLOURS = ("#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#16a085", "#7f8c8d", "#2c3e50", "#e91e63")

Points = Sequence[tuple[float, float]]


def chart(title: str, lines: Mapping[str, Points], *, x_name: str) -> str:
    """Return an SVG picture of `lines`, each a name and its points; no coordinate may be 0 or less."""
    everything = [point for points in lines.values() for point in points]
    x_axis = _Axis([x for x, _ in everything], _LEFT, _WIDTH - _RIGHT)
    y_axis = _Axis([y for _, y in everything], _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        _text(_LEFT, 18, title),
        _text(_WIDTH - _RIGHT, _HEIGHT - 12, x_name, anchor="end"),
        *_grid(x_axis, y_axis),
        *_curves(lines, x_axis, y_axis),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


class _Axis:
    """Decades of numbers along a line of pixels."""

    def __init__(self, numbers: Sequence[float], start: int, end: int) -> None:
        self.decades = range(math.floor(math.log10(min(numbers))), math.ceil(math.log10(max(numbers))) + 1)
        self._start, self._end = start, end

    def place(self, number: float) -> float:
        """Return the pixel of a number."""
        share = (math.log10(number) - self.decades[0]) / max(1, len(self.decades) - 1)
        return round(self._start + share * (self._end - self._start), 1)


def _grid(x_axis: _Axis, y_axis: _Axis) -> Iterator[str]:
    for decade in x_axis.decades:
        x = x_axis.place(10.0**decade)
        yield f'<path d="M{x} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#ddd"/>'
        yield _text(x, _HEIGHT - _BOTTOM + 16, f"{10.0**decade:,g}", anchor="middle")
    for decade in y_axis.decades:
        y = y_axis.place(10.0**decade)
        yield f'<path d="M{_LEFT} {y}H{_WIDTH - _RIGHT}" stroke="#ddd"/>'
        yield _text(_LEFT - 6, y + 4, f"{10.0**decade:,g}", anchor="end")


def _curves(lines: Mapping[str, Points], x_axis: _Axis, y_axis: _Axis) -> Iterator[str]:
    for place, (name, points) in enumerate(lines.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        path = " ".join(f"{x_axis.place(x)},{y_axis.place(y)}" for x, y in sorted(points))
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield from (f'<circle cx="{x_axis.place(x)}" cy="{y_axis.place(y)}" r="3" fill="{colour}"/>' for x, y in points)
        yield _text(_WIDTH - _RIGHT + 16, _TOP + 10 + 18 * place, name, colour=colour)


def _text(x: float, y: float, text: str, *, anchor: str = "start", colour: str = "#222") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
