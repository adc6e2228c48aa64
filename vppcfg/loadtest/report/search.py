"""The trials of a search for throughput, one after the other."""

from __future__ import annotations

from vppcfg.common.graph import Graph, Line, Mark, Scale, amount, linear_scale
from vppcfg.common.rates import pps
from vppcfg.loadtest.result import Result, Trial

_GREEN, _ORANGE = 2, 1
_MOST_TICKS = 12


def search_graph(title: str, result: Result) -> Graph:
    """Return the load of every trial, with and without loss, and the throughput that was found for each goal."""
    points = tuple((float(number), trial.load_pps) for number, trial in enumerate(result.trials, start=1))
    clean = tuple((point,) for point, trial in zip(points, result.trials, strict=True) if not _loses(trial))
    lossy = tuple((point,) for point, trial in zip(points, result.trials, strict=True) if _loses(trial))
    marks = tuple(
        Mark(label=f"{found.goal}: {pps(found.conditional_pps)}", y=found.conditional_pps, colour="#0b5cad")
        for found in result.throughputs
        if found.conditional_pps
    )
    most = max((load for _, load in points), default=1.0)
    lines = (
        Line(label="", parts=(points,), colour=-1, is_thin=True),
        Line(label="trial without loss", parts=clean, colour=_GREEN),
        Line(label="trial with loss", parts=lossy, colour=_ORANGE),
    )
    return Graph(
        title=title,
        x=_numbers(len(points)),
        y=linear_scale(1.05 * most, amount),
        x_name="trial",
        y_name="packets per second per direction",
        lines=tuple(line for line in lines if line.parts and line.parts[0]),
        marks=marks,
    )


def _loses(trial: Trial) -> bool:
    return any(total.loss_ratio > 0 for total in trial.totals)


def _numbers(count: int) -> Scale:
    every = max(-(-count // _MOST_TICKS), 1)
    ticks = tuple(float(number) for number in range(1, count + 1, every))
    return Scale(low=0.0, high=count + 1.0, ticks=ticks or (1.0,), text=lambda number: f"{number:.0f}")
