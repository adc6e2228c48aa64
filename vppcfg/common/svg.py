"""Draws graphs as SVG text for one width; every colour is an attribute, so that the image can be saved alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from vppcfg.common.graph import Area, Bar, Bars, Graph, Landmark, Line, amount, colour_of

_TEXT, _FAINT, _GRID = "#1c2126", "#5b646d", "#e3e6e9"
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
_TOP, _RIGHT, _BOTTOM = 30.0, 16.0, 44.0
_LETTER = 6.6
"""Width of a letter of 12 pixels in the mean."""
_ROW = 18.0
_LEGEND = 10.0
"""Pixels from the bottom of the plot's part to the first row of the legend, below the name of the axis."""
_BAR_ROW = 22.0
_MARGIN = 4.0
"""Pixels beside a text, which may be wider than the mean."""
_LEAST_ROOM = 60.0
"""Pixels for bars, however long their labels are."""


def svg_of(graph: Graph, width: int, height: int = 300) -> str:
    """Return the graph, `width` pixels wide; the plot is `height` high and the legend stands below it."""
    return _Drawing(graph, width, height).text()


def svg_of_rows(title: str, rows: Sequence[Bar], width: int) -> str:
    """Return horizontal bars with their labels, all on one scale that begins at 0."""
    left = 14 + _LETTER * max((len(row.label) for row in rows), default=0)
    right = 14 + _LETTER * max((len(_value_text(row)) for row in rows), default=0)
    room = max(width - left - right, _LEAST_ROOM)
    most = max((row.value for row in rows), default=0.0) or 1.0
    parts = []
    for number, row in enumerate(rows):
        top, size = 10 + number * _BAR_ROW, max(row.value / most * room, 1.0)
        middle = top + _BAR_ROW / 2 + 4
        parts.append(_words(left - 8, middle, row.label, "end", _TEXT))
        parts.append(
            f'<rect x="{left:.1f}" y="{top + 3:.1f}" width="{size:.1f}" height="{_BAR_ROW - 6:.1f}" '
            f'fill="{colour_of(0)}"/>'
        )
        parts.append(_words(left + size + 6, middle, _value_text(row), "start", _TEXT))
    return _image(title, width, 20 + _BAR_ROW * len(rows), parts)


def _value_text(row: Bar) -> str:
    return row.text or amount(row.value)


class _Drawing:
    def __init__(self, graph: Graph, width: int, height: int) -> None:
        self._graph = graph
        self._width = width
        self._left = 14 + _LETTER * max(len(graph.y.text(tick)) for tick in graph.y.ticks)
        self._right = width - _RIGHT
        self._bottom = height - _BOTTOM
        self._legend = list(self._legend_rows(height + _LEGEND))
        self._height = height + (_LEGEND + _ROW * (len(self._legend) - 1) + 6 if self._legend else 0)

    def text(self) -> str:
        graph = self._graph
        parts = [
            *self._grid(),
            *(self._area(area) for area in graph.areas),
            *self._all_bars(),
            *(self._line(line) for line in graph.lines),
            *self._marks(),
            *self._legend,
        ]
        return _image(graph.title, self._width, self._height, parts)

    def _x(self, value: float) -> float:
        return self._left + self._graph.x.place(value) * (self._right - self._left)

    def _y(self, value: float) -> float:
        return self._bottom - self._graph.y.place(value) * (self._bottom - _TOP)

    def _grid(self) -> Iterator[str]:
        graph = self._graph
        for tick in graph.y.ticks:
            y = self._y(tick)
            yield f'<path d="M{self._left:.1f} {y:.1f}H{self._right:.1f}" stroke="{_GRID}"/>'
            yield _words(self._left - 6, y + 4, graph.y.text(tick), "end", _FAINT)
        yield from self._x_ticks()
        yield f'<path d="M{self._left:.1f} {self._bottom:.1f}H{self._right:.1f}" stroke="{_FAINT}"/>'
        yield _words(self._right, self._bottom + 34, graph.x_name, "end", _FAINT)
        yield _words(2, _TOP - 17, graph.y_name, "start", _FAINT)

    def _x_ticks(self) -> Iterator[str]:
        """Yield those ticks that have room."""
        taken = -1e9
        for tick in self._graph.x.ticks:
            text = self._graph.x.text(tick)
            half = _LETTER * len(text) / 2
            x = min(self._x(tick), self._width - half - _MARGIN)
            if x - half < taken + 8:
                continue
            taken = x + half
            yield f'<path d="M{self._x(tick):.1f} {self._bottom:.1f}v4" stroke="{_FAINT}"/>'
            yield _words(max(x, half), self._bottom + 18, text, "middle", _FAINT)

    def _line(self, line: Line) -> str:
        style = ' stroke-dasharray="5 4"' if line.is_dashed else ""
        stroke = f'fill="none" stroke="{colour_of(line.colour)}" stroke-width="{1.2 if line.is_thin else 2}"{style}'
        drawn = []
        for part in line.parts:
            if len(part) == 1:
                x, y = part[0]
                drawn.append(
                    f'<circle cx="{self._x(x):.1f}" cy="{self._y(y):.1f}" r="2.5" fill="{colour_of(line.colour)}"/>'
                )
            else:
                drawn.append(f'<path d="{self._path(part, line.is_stepped)}" stroke-linejoin="round" {stroke}/>')
        return "".join(drawn)

    def _path(self, part: tuple[tuple[float, float], ...], is_stepped: bool) -> str:
        words = []
        for number, (x, y) in enumerate(part):
            if number and is_stepped:
                words.append(f"H{self._x(x):.1f}V{self._y(y):.1f}")
            else:
                words.append(f"{'L' if number else 'M'}{self._x(x):.1f} {self._y(y):.1f}")
        return "".join(words)

    def _area(self, area: Area) -> str:
        x, top = self._x(area.from_x), self._y(area.to_y)
        width, height = max(self._x(area.to_x) - x, 0.8), max(self._y(area.from_y) - top, 1.0)
        return (
            f'<rect x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{area.colour}" '
            f'fill-opacity="{area.opacity:g}"/>'
        )

    def _all_bars(self) -> Iterator[str]:
        rows = self._graph.bars
        slot = (self._right - self._left) / max(len(self._graph.x.ticks), 1)
        width = slot * 0.8 / max(len(rows), 1)
        for place, bars in enumerate(rows):
            yield from self._bars(bars, place * width + slot * 0.1, slot, width)

    def _bars(self, bars: Bars, offset: float, slot: float, width: float) -> Iterator[str]:
        for number, value in enumerate(bars.heights):
            if value > 0:
                x, top = self._left + number * slot + offset, self._y(value)
                yield (
                    f'<rect x="{x:.1f}" y="{top:.1f}" width="{max(width - 1, 1):.1f}" '
                    f'height="{max(self._bottom - top, 0.5):.1f}" fill="{colour_of(bars.colour)}"/>'
                )

    def _marks(self) -> Iterator[str]:
        """Yield marks with their words, which must not lie on those of another mark."""
        taken: list[tuple[float, float, float]] = []
        for mark in self._graph.marks:
            yield self._mark(mark)
            x, y, anchor = self._place_of_words(mark)
            size = _LETTER * len(mark.label)
            from_x = min(max(x - size if anchor == "end" else x, 2.0), self._width - size - 2)
            while any(abs(y - other) < 13 and from_x < to and from_x + size > start for start, to, other in taken):
                y -= 14
            taken.append((from_x, from_x + size, y))
            yield _words(from_x, y, mark.label, "start", mark.colour, halo=True)

    def _mark(self, mark: Landmark) -> str:
        if mark.x is None:
            assert mark.y is not None
            d = f"M{self._left:.1f} {self._y(mark.y):.1f}H{self._right:.1f}"
        elif mark.y is None:
            d = f"M{self._x(mark.x):.1f} {_TOP:.1f}V{self._bottom:.1f}"
        else:
            place = f'cx="{self._x(mark.x):.1f}" cy="{self._y(mark.y):.1f}"'
            return f'<circle {place} r="4.5" fill="#ffffff" stroke="{mark.colour}" stroke-width="2"/>'
        return f'<path d="{d}" stroke="{mark.colour}" stroke-width="1.2" stroke-dasharray="2 3"/>'

    def _place_of_words(self, mark: Landmark) -> tuple[float, float, str]:
        if mark.x is None:
            assert mark.y is not None
            return self._right - 4, self._y(mark.y) - 5, "end"
        is_left = self._graph.x.place(mark.x) > 0.3
        x = self._x(mark.x) + (-9 if is_left else 9)
        y = self._y(mark.y) - 8 if mark.y is not None else _TOP + 12
        return x, y, "end" if is_left else "start"

    def _legend_rows(self, height: float) -> Iterator[str]:
        """Yield entries side by side, as many in a row as fit."""
        x, y = self._left, height
        rows: list[str] = []
        for colour, label, is_dashed in self._entries():
            size = 30 + _LETTER * len(label)
            if x + size > self._right and x > self._left:
                yield "".join(rows)
                rows, x, y = [], self._left, y + _ROW
            dash = ' stroke-dasharray="5 4"' if is_dashed else ""
            rows.append(f'<path d="M{x:.1f} {y - 4:.1f}h18" stroke="{colour}" stroke-width="3"{dash}/>')
            rows.append(_words(x + 23, y, label, "start", _TEXT))
            x += size + 14
        if rows:
            yield "".join(rows)

    def _entries(self) -> Iterator[tuple[str, str, bool]]:
        seen = set()
        for line in self._graph.lines:
            if line.label and line.label not in seen:
                seen.add(line.label)
                yield colour_of(line.colour), line.label, line.is_dashed
        for bars in self._graph.bars:
            yield colour_of(bars.colour), bars.label, False
        for colour, label in self._graph.legend:
            yield colour, label, False


def _image(title: str, width: float, height: float, parts: Iterable[str]) -> str:
    """Return what is drawn as an image on white; it needs no style from the page around it."""
    return (
        f'<svg role="img" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" '
        f'width="{width}" height="{height:.0f}" font-family="{_FONT}" font-size="12" '
        f'fill="{_TEXT}"><title>{escape(title)}</title>'
        f'<rect width="{width}" height="{height:.0f}" fill="#ffffff"/>{"".join(parts)}</svg>'
    )


def _words(x: float, y: float, text: str, anchor: str, colour: str, *, halo: bool = False) -> str:
    edge = ' stroke="#ffffff" stroke-width="4" paint-order="stroke"' if halo else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{edge}>{escape(text)}</text>'
