"""Plots as SVG text: bars and lines without a library, a script or anything to fetch."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from vppcfg.common.rates import short
from vppcfg.record import record

_WIDTH = 720
_LABELS = 250
_ROW = 22
_MARGIN = 10
_HEIGHT = 220
_COLOURS = ("#2f6f9f", "#c0392b", "#2e8b57", "#b8860b", "#6a4c93", "#555555")


@record
class Bar:
    """One bar with its label."""

    label: str
    value: float
    text: str = ""
    """What stands behind the bar; the value when empty."""


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Return horizontal bars, all on one scale that begins at 0."""
    most = max((row.value for row in rows), default=0.0) or 1.0
    room = _WIDTH - _LABELS - 190
    height = _ROW * len(rows) + 2 * _MARGIN
    parts = [_opening(title, height)]
    for number, row in enumerate(rows):
        top = _MARGIN + number * _ROW
        width = max(row.value / most * room, 1.0)
        middle = top + _ROW / 2 + 4
        parts.append(f'<text x="{_LABELS - 8}" y="{middle:.1f}" text-anchor="end">{escape(row.label)}</text>')
        parts.append(
            f'<rect x="{_LABELS}" y="{top + 3}" width="{width:.1f}" height="{_ROW - 6}" fill="{_COLOURS[0]}"/>'
        )
        text = row.text or short(row.value).strip()
        parts.append(f'<text x="{_LABELS + width + 6:.1f}" y="{middle:.1f}">{escape(text)}</text>')
    return "".join([*parts, "</svg>"])


@record
class Line:
    """A named series of points, time in seconds and value."""

    label: str
    points: tuple[tuple[float, float], ...]


def lines(title: str, series: Sequence[Line]) -> str:
    """Return lines over time, all on one scale that begins at 0, with a legend."""
    times = [when for line in series for when, _ in line.points]
    most = max((value for line in series for _, value in line.points), default=0.0) or 1.0
    first, last = min(times, default=0.0), max(times, default=1.0)
    span = last - first or 1.0
    left, bottom, width = 80.0, _HEIGHT - 30.0, _WIDTH - 100.0
    parts = [_opening(title, _HEIGHT + 18 * len(series)), _axes(left, bottom, width, most, first, last)]
    for number, line in enumerate(series):
        colour = _COLOURS[number % len(_COLOURS)]
        places = [
            (left + (when - first) / span * width, bottom - value / most * (bottom - 20)) for when, value in line.points
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        height = _HEIGHT + 18 * number + 8
        parts.append(f'<rect x="{left}" y="{height - 9}" width="12" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{left + 18}" y="{height}">{escape(line.label)}</text>')
    return "".join([*parts, "</svg>"])


def _opening(title: str, height: float) -> str:
    return (
        f'<svg role="img" aria-label="{escape(title)}" viewBox="0 0 {_WIDTH} {height:.0f}" '
        f'xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>'
    )


def _axes(left: float, bottom: float, width: float, most: float, first: float, last: float) -> str:
    axis = f'<path d="M{left} 20 V{bottom} H{left + width}" fill="none" stroke="#888"/>'
    labels = [
        (left - 6, 26.0, "end", short(most).strip()),
        (left - 6, bottom + 4, "end", "0"),
        (left, bottom + 18, "start", f"{first:.0f} s"),
        (left + width, bottom + 18, "end", f"{last:.0f} s"),
    ]
    return axis + "".join(
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>' for x, y, anchor, text in labels
    )
