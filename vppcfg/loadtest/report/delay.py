"""The histogram of latency under load."""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.common.graph import Bars, Graph, Scale, amount, log_scale
from vppcfg.common.rates import pps
from vppcfg.loadtest.report.ramp import run_label, short_port
from vppcfg.loadtest.result import DelayAtLoad, Result


def delay_graph(title: str, results: Sequence[Result]) -> Graph | None:
    """Return packets by latency, of every load and direction; None when there is no histogram."""
    rows = [
        (_label(results, number, under, place), dict(delay.histogram))
        for number, result in enumerate(results)
        for under in result.delays
        for place, delay in enumerate(under.delays)
        if delay.histogram
    ]
    edges = sorted({edge for _, histogram in rows for edge in histogram})
    if not edges:
        return None
    most = max(max(histogram.values()) for _, histogram in rows)
    return Graph(
        title=title,
        x=_classes(edges),
        y=log_scale(1, max(most, 10), amount),
        x_name="latency, from (µs)",
        y_name="packets",
        bars=tuple(
            Bars(label=label, heights=tuple(float(histogram.get(edge, 0)) for edge in edges), colour=number)
            for number, (label, histogram) in enumerate(rows)
        ),
    )


def _label(results: Sequence[Result], number: int, under: DelayAtLoad, place: int) -> str:
    way = under.delays[place].direction
    name = f"{run_label(results, number)} " if len(results) > 1 else ""
    return f"{name}{pps(under.load_pps)} {short_port(way.source)} → {short_port(way.sink)}"


def _classes(edges: Sequence[float]) -> Scale:
    """Return an axis with one slot per class; a tick stands in the middle of its slot."""
    middles = tuple(place + 0.5 for place in range(len(edges)))
    return Scale(low=0.0, high=float(len(edges)), ticks=middles, text=lambda middle: f"{edges[int(middle)]:g}")
