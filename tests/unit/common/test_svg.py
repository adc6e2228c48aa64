"""A graph is a picture of its points, with axes that hold them and words that can be read."""

from __future__ import annotations

import math
from dataclasses import replace
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from vppcfg.common.graph import (
    Area,
    Bar,
    Bars,
    Graph,
    Landmark,
    Line,
    Scale,
    amount,
    bounded,
    linear_scale,
    log_scale,
    time_scale,
)
from vppcfg.common.svg import svg_of, svg_of_rows

SVG = "{http://www.w3.org/2000/svg}"


def line(label: str, *points: tuple[float, float], colour: int = 0) -> Line:
    return Line(label=label, parts=(points,), colour=colour)


def graph(*lines: Line) -> Graph:
    return Graph(
        title="title",
        x=log_scale(1, 100, "{:g}".format),
        y=log_scale(0.1, 10, "{:g}".format),
        x_name="size",
        y_name="seconds",
        lines=lines,
    )


def test_rows_have_bars_as_long_as_their_values() -> None:
    rows = [Bar(label="a < b", value=50.0), Bar(label="c", value=100.0, text="a hundred")]
    root = ElementTree.fromstring(svg_of_rows("t", rows, 720))
    widths = [float(bar.attrib["width"]) for bar in root.iter(f"{SVG}rect")][1:]
    assert math.isclose(2 * widths[0], widths[1], abs_tol=0.2)
    assert [element.text for element in root.iter(f"{SVG}text")] == ["a < b", "50", "c", "a hundred"]


def test_graphs_without_anything_are_empty_and_valid() -> None:
    nothing = Graph(title="t", x=time_scale(0), y=linear_scale(0, amount), x_name="x", y_name="y")
    for svg in (
        svg_of_rows("t", [], 720),
        svg_of(nothing, 720),
        svg_of_rows("t", [Bar(label="a", value=0.0)], 720),
        svg_of(graph(line("a")), 720),
    ):
        ElementTree.fromstring(svg)


@given(st.floats(1e-3, 1e12))
def test_a_scale_holds_its_values_with_few_round_ticks(most: float) -> None:
    found = linear_scale(most, amount)
    assert found.high >= most * (1 - 1e-6)
    assert found.high <= 2 * most + 1e-9
    assert 2 <= len(found.ticks) <= 10
    assert math.isclose(found.place(found.high), 1.0)


@given(st.floats(1e-9, 1.0), st.floats(1.0, 1e9))
def test_a_logarithmic_scale_holds_its_ends(low: float, high: float) -> None:
    found = log_scale(low, high, str)
    assert found.low <= low * 1.000001
    assert found.high >= high * 0.999999
    assert found.place(found.low / 10) == 0


def test_the_legend_stands_below_the_name_of_the_axis() -> None:
    drawn = ElementTree.fromstring(svg_of(graph(line("a", (1.0, 0.1), (100.0, 10.0))), 600))
    y = {each.text: float(each.attrib["y"]) for each in drawn.iter(f"{SVG}text")}
    assert y["a"] - y["size"] >= 16
    assert float(drawn.attrib["height"]) > y["a"]


def test_marks_that_would_lie_on_each_other_move_apart() -> None:
    crowded = Graph(
        title="t", x=time_scale(10), y=linear_scale(100, amount), x_name="x", y_name="y",
        lines=(Line(label="l", parts=(((0.0, 1.0), (10.0, 100.0)),), colour=0),),
        marks=(Landmark(label="first mark", y=50.0), Landmark(label="second mark", y=50.1)),
    )  # fmt: skip
    found = {e.text: float(e.get("y", "")) for e in ElementTree.fromstring(svg_of(crowded, 600)).iter(f"{SVG}text")}
    assert abs(found["first mark"] - found["second mark"]) >= 13


def test_of_a_graph_beyond_sight_a_part_is_drawn_and_the_rest_is_told() -> None:
    parts = tuple(((float(at), 1.0), (at + 0.5, 2.0)) for at in range(10_000))
    area = Area(from_x=1, to_x=2, from_y=1, to_y=2, colour="#000000", opacity=1.0)
    slots = Scale(low=0.0, high=9000.0, ticks=tuple(at + 0.5 for at in range(9000)), text="{:g}".format)
    endless = replace(
        graph(*(Line(label=f"{number}", parts=parts, colour=0) for number in range(130))),
        x=slots,
        areas=(area,) * 100_000,
        bars=(Bars(label="bars", heights=(1.0,) * 9000, colour=0),) * 110,
        marks=(Landmark(label="here", x=1.0),) * 70,
        note="x" * 5000,
    )
    drawn = bounded(endless)
    assert sum(len(part) for line in drawn.lines for part in line.parts) <= 40_000
    assert (len(drawn.lines), len(drawn.bars), len(drawn.marks)) == (100, 100, 50)
    assert (len(drawn.areas), len(drawn.bars[0].heights)) == (7693, 500)
    assert (len(drawn.x.ticks), drawn.x.high) == (500, 500.0), "each bar has its slot"
    assert drawn.note.endswith(
        "… 30 more lines are not drawn. 10 more rows of bars are not drawn. 8500 more bars of each row are not drawn. "
        "20 more marks are not drawn."
    )
    assert len(svg_of(drawn, 760)) < 16 << 20
