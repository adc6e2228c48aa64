"""A graph as it stands in the page: drawn for wide and for narrow screens."""

from __future__ import annotations

import re

from vppcfg.common.graph import Graph
from vppcfg.common.svg import svg_of
from vppcfg.record import record

WIDE, NARROW = 1080, 360
_NARROW_HEIGHT = 250


@record
class Figure:
    """What the page shows of a graph."""

    title: str
    file_name: str
    """Of the image when it is saved, without its suffix."""
    wide: str
    narrow: str
    note: str


def figure_of(graph: Graph) -> Figure:
    """Draw a graph."""
    return Figure(
        title=graph.title,
        file_name=re.sub(r"[^a-z0-9]+", "-", graph.title.lower()).strip("-") or "graph",
        wide=svg_of(graph, WIDE),
        narrow=svg_of(graph, NARROW, _NARROW_HEIGHT),
        note=graph.note,
    )
