"""Graphs of ramps: packets per second against time with the ideal line, and the loss on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from vppcfg.common.graph import (
    LOSS_COLOUR,
    Graph,
    Landmark,
    Line,
    Point,
    amount,
    colour_of,
    highest,
    linear_scale,
    log_scale,
    thinned,
    time_scale,
)
from vppcfg.common.rates import pps
from vppcfg.loadtest.load import first_of_last_failing_run, gaps_of, loss_text, rates_pps, sample_loss
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.result import Result, Sample

DEFAULT_LIMIT = 0.001
"""Where the public visualiser of ramps sees loss begin."""
_LEAST_LOSS = 1e-6


def rate_graph(title: str, results: Sequence[Result], limit_ratio: float | None) -> Graph:
    """Return what each run got back against time, the load that it was offered, and where its loss begins."""
    lines = [*_ideal(results), *_received(results)]
    path_pps = {result.offered.path_rate_pps for result in results if result.offered is not None}
    marks = [
        Landmark(label=f"the path carries {pps(rate)}", y=rate, colour="#5b646d")
        for rate in sorted(path_pps)
        if rate <= 1.5 * highest(lines)
    ]
    marks += _beginnings(results, limit_ratio)
    lost = [name for number, result in enumerate(results) for name in _gap_notes(run_label(results, number), result)]
    return Graph(
        title=title,
        x=time_scale(max(_duration(result) for result in results)),
        y=linear_scale(1.04 * max(highest(lines), *(mark.y or 0.0 for mark in marks), 1.0), amount),
        x_name="time",
        y_name="packets per second per direction",
        lines=tuple(lines),
        marks=tuple(marks),
        note=" ".join(lost),
    )


def loss_graph(title: str, results: Sequence[Result], limit_ratio: float | None) -> Graph:
    """Return the lost share against time; no loss is drawn at the foot."""
    limits = sorted({limit_of(result, limit_ratio) for result in results})
    lines = []
    for number, result in enumerate(results):
        for place in range(ways_of(result)):
            series = [(sample.at_s, sample_loss(sample, place)) for sample in _counted(result)]
            label = way_label(results, number, place, "lost")
            lines.append(_line(label, series, number, place, result.samples))
    worst = highest(lines)
    least = min((y for line in lines for part in line.parts for _, y in part if y > 0), default=_LEAST_LOSS)
    low = min(10.0 ** math.floor(math.log10(max(least, _LEAST_LOSS))), limits[0] / 10)
    return Graph(
        title=title,
        x=time_scale(max(_duration(result) for result in results)),
        y=log_scale(low, min(max(worst, 10 * limits[-1]), 1.0), _percent),
        x_name="time",
        y_name="lost packets (at the foot: none)",
        lines=tuple(lines),
        marks=tuple(Landmark(label=f"limit {loss_text(limit)}", y=limit) for limit in limits),
    )


def limit_of(result: Result, given: float | None) -> float:
    """Return the loss that counts as too much: that of the operator, or that of the verdict."""
    return given or (result.verdict.limit_ratio if result.verdict and result.verdict.limit_ratio else DEFAULT_LIMIT)


def ways_of(result: Result) -> int:
    """Return how many directions a ramp had."""
    return len(result.samples[0].tallies) if result.samples else 0


def run_label(results: Sequence[Result], number: int) -> str:
    """Return a name for a run; runs of one kind and name get numbers."""
    names = [(result.kind, result.name) for result in results]
    name = names[number]
    return f"{name[1]} #{names[: number + 1].count(name)}" if names.count(name) > 1 else name[1]


def way_label(results: Sequence[Result], number: int, place: int, alone: str = "received") -> str:
    """Return a name for a direction of a run; `alone` when there is only one."""
    result = results[number]
    name = run_label(results, number) if len(results) > 1 else ""
    if ways_of(result) < 2 or result.offered is None:
        return name or alone
    way = result.offered.directions[place]
    return f"{name} {short_port(way.source)} → {short_port(way.sink)}".strip()


def short_port(name: str) -> str:
    """Return the device of a port, without its namespace."""
    return name.rpartition("/")[2]


def _counted(result: Result) -> list[Sample]:
    """Return the samples with traffic."""
    return [sample for sample in result.samples if sample.phase is not LoadPhase.DRAIN]


def _ideal(results: Sequence[Result]) -> Iterator[Line]:
    """Yield the offered load, once for runs that offered the same."""
    drawn: set[tuple[Point, ...]] = set()
    for result in results:
        points = tuple((round(sample.at_s), sample.load_pps) for sample in _counted(result))
        if points and points not in drawn:
            drawn.add(points)
            yield Line(label="ideal", parts=(thinned(points),), colour=-1, is_dashed=True, is_thin=True)


def _received(results: Sequence[Result]) -> Iterator[Line]:
    for number, result in enumerate(results):
        for place in range(ways_of(result)):
            series = [(sample.at_s, rates_pps(sample, place)[1]) for sample in _counted(result)]
            yield _line(way_label(results, number, place), series, number, place, result.samples)


def _line(label: str, series: list[Point], number: int, place: int, samples: Sequence[Sample]) -> Line:
    """Return a line of one run's colour; the way back is dashed and time without samples stays empty."""
    return Line(label=label, parts=tuple(_parts(series, samples)), colour=number, is_dashed=place % 2 == 1)


def _parts(series: list[Point], samples: Sequence[Sample]) -> Iterator[tuple[Point, ...]]:
    """Yield the stretches between gaps."""
    breaks = {gap.from_s for gap in gaps_of(samples)}
    part: list[Point] = []
    for point in series:
        part.append(point)
        if point[0] in breaks:
            yield thinned(part)
            part = []
    if part:
        yield thinned(part)


def _beginnings(results: Sequence[Result], limit_ratio: float | None) -> Iterator[Landmark]:
    for number, result in enumerate(results):
        first = first_of_last_failing_run(_counted(result), limit_of(result, limit_ratio))
        if first is not None:
            height = max(rates_pps(first, place)[1] for place in range(len(first.tallies)))
            colour = colour_of(number) if len(results) > 1 else LOSS_COLOUR
            label = f"loss begins at {pps(first.load_pps)}"
            yield Landmark(label=label, x=first.at_s, y=height, colour=colour)


def _gap_notes(name: str, result: Result) -> Iterator[str]:
    for gap in gaps_of(result.samples):
        yield f"{name} has no samples from {gap.from_s:.0f} s to {gap.to_s:.0f} s."


def _duration(result: Result) -> float:
    return max((sample.at_s for sample in result.samples), default=0.0)


def _percent(value: float) -> str:
    return f"{100 * value:.4f}".rstrip("0").rstrip(".") + " %"
