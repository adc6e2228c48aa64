"""The chart is a picture of its points."""

from __future__ import annotations

from xml.etree import ElementTree

from bench.plot import chart


def test_a_chart_has_a_line_and_a_name_for_each_series() -> None:
    root = ElementTree.fromstring(chart("title", {"a < b": [(1, 0.1), (100, 10)], "c": [(10, 1)]}, x_name="size"))
    lines = [element for element in root.iter() if element.tag.endswith("polyline")]
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert len(lines) == 2
    assert {"title", "a < b", "c", "size", "0.1", "1", "10", "100"} <= set(texts)
    start, end = (tuple(map(float, point.split(","))) for point in lines[0].attrib["points"].split())
    assert start[0] < end[0]
    assert start[1] > end[1]
