"""Graphs of searches, latency, flows and watches; those of ramps have a module of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from vppcfg.common.graph import (
    Area,
    Bars,
    Graph,
    Landmark,
    Line,
    Point,
    Scale,
    amount,
    highest,
    linear_scale,
    log_scale,
    share_scale,
    thinned,
    time_scale,
)
from vppcfg.common.rates import pps
from vppcfg.loadtest.flows.outcome import CoreLoad, Flow, FlowsOutcome
from vppcfg.loadtest.report.ramp import run_label, short_port
from vppcfg.loadtest.result import DelayAtLoad, Result, Trial
from vppcfg.loadtest.watch.outcome import Moment, Watched, percentile

_GREEN, _ORANGE = 2, 1
_MOST_TICKS = 12
_SMOKE = "#3f4650"
_SMOKE_LAYERS = (0.0, 0.05, 0.15, 0.25, 0.375)
"""Each layer reaches from this share of the times to the share as far from the other end."""
_SMOKE_OPACITY = 0.13
_LOSS_COLOURS = (
    (0.0, "#15803d", "no loss"),
    (0.05, "#0e7490", "up to 5 %"),
    (0.2, "#7e22ce", "up to 20 %"),
    (0.5, "#c2410c", "up to 50 %"),
    (1.0, "#b3261e", "more"),
)
"""Up to which share of loss, the colour, and its words in the legend."""
_MEDIAN_SHARE = 0.012
"""Height of the median's mark as a share of the graph."""
_HEADROOM = 1.15
_MOST_MOMENTS = 900


def search_graph(title: str, result: Result) -> Graph:
    """Return the load of every trial, with and without loss, and the throughput that was found for each goal."""
    points = tuple((float(number), trial.load_pps) for number, trial in enumerate(result.trials, start=1))
    clean = tuple((point,) for point, trial in zip(points, result.trials, strict=True) if not _has_loss(trial))
    lossy = tuple((point,) for point, trial in zip(points, result.trials, strict=True) if _has_loss(trial))
    marks = tuple(
        Landmark(label=f"{found.goal}: {pps(found.conditional_pps)}", y=found.conditional_pps, colour="#0b5cad")
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
        x=_trial_numbers(len(points)),
        y=linear_scale(1.05 * most, amount),
        x_name="trial",
        y_name="packets per second per direction",
        lines=tuple(line for line in lines if line.parts and line.parts[0]),
        marks=marks,
    )


def _has_loss(trial: Trial) -> bool:
    return any(total.loss_ratio > 0 for total in trial.totals)


def _trial_numbers(count: int) -> Scale:
    every = max(-(-count // _MOST_TICKS), 1)
    ticks = tuple(float(number) for number in range(1, count + 1, every))
    return Scale(low=0.0, high=count + 1.0, ticks=ticks or (1.0,), text=lambda number: f"{number:.0f}")


def delay_graph(title: str, results: Sequence[Result]) -> Graph | None:
    """Return packets by latency, of every load and direction; None when there is no histogram."""
    rows = [
        (_delay_label(results, number, under, place), dict(delay.histogram))
        for number, result in enumerate(results)
        for under in result.delays
        for place, delay in enumerate(under.delays)
        if delay.histogram
    ]
    return histogram_graph(title, rows)


def histogram_graph(title: str, rows: Sequence[tuple[str, Mapping[float, int]]]) -> Graph | None:
    """Return packets by latency for labelled histograms; None when there is nothing in them."""
    edges = sorted({edge for _, histogram in rows for edge in histogram})
    if not edges:
        return None
    most = max(max(histogram.values()) for _, histogram in rows)
    return Graph(
        title=title,
        x=_delay_classes(edges),
        y=log_scale(1, max(most, 10), amount),
        x_name="latency, from (µs)",
        y_name="packets",
        bars=tuple(
            Bars(label=label, heights=tuple(float(histogram.get(edge, 0)) for edge in edges), colour=number)
            for number, (label, histogram) in enumerate(rows)
        ),
    )


def _delay_label(results: Sequence[Result], number: int, under: DelayAtLoad, place: int) -> str:
    way = under.delays[place].direction
    name = f"{run_label(results, number)} " if len(results) > 1 else ""
    return f"{name}{pps(under.load_pps)} {short_port(way.source)} → {short_port(way.sink)}"


def _delay_classes(edges: Sequence[float]) -> Scale:
    """Return an axis with one slot per class; a tick stands in the middle of its slot."""
    middles = tuple(place + 0.5 for place in range(len(edges)))
    return Scale(low=0.0, high=float(len(edges)), ticks=middles, text=lambda middle: f"{edges[int(middle)]:g}")


def goodput_graph(title: str, results: Sequence[Result]) -> Graph:
    """Return the sum of all flows against time, and every flow when there is one run."""
    lines = []
    for number, result in enumerate(results):
        assert result.flows is not None
        name = run_label(results, number) if len(results) > 1 else "sum"
        lines.append(Line(label=name, parts=(thinned(_flow_sums(result.flows)),), colour=number))
        if len(results) == 1:
            lines += [_flow_line(place, flow) for place, flow in enumerate(result.flows.flows, start=1)]
    return Graph(
        title=title,
        x=time_scale(max(result.flows.duration_s for result in results if result.flows)),
        y=linear_scale(1.05 * (highest(lines) or 1.0), amount),
        x_name="time",
        y_name="bit/s",
        lines=tuple(lines),
    )


def cores_graph(title: str, outcome: FlowsOutcome, kind: str) -> Graph:
    """Return the share of softirq or idle time of every core, and its mean; `kind` is the name of the share."""

    def share_of(load: CoreLoad) -> float:
        return load.idle if kind == "idle" else load.softirq

    by_core: dict[int, list[Point]] = {}
    for sample in outcome.cores:
        for load in sample.loads:
            by_core.setdefault(load.core, []).append((sample.at_s, share_of(load)))
    lines = []
    for colour, summary in enumerate(outcome.summaries()):
        points = by_core[summary.core]
        mean = summary.mean_idle if kind == "idle" else summary.mean_softirq
        label = f"core {summary.core}: {100 * mean:.0f} %"
        lines.append(Line(label=label, parts=(thinned(points),), colour=colour))
        ends = ((points[0][0], mean), (points[-1][0], mean))
        lines.append(Line(label="", parts=(ends,), colour=colour, is_dashed=True, is_thin=True))
    return Graph(
        title=title,
        x=time_scale(max((sample.at_s for sample in outcome.cores), default=1.0)),
        y=share_scale(lambda value: f"{100 * value:.0f} %"),
        x_name="time",
        y_name=f"{kind} (dashed: mean)",
        lines=tuple(lines),
    )


def _flow_line(place: int, flow: Flow) -> Line:
    core = "" if flow.core is None else f", core {flow.core}"
    points = [(rate.to_s, rate.bps) for rate in flow.rates]
    return Line(
        label=f"{flow.client_port} → {flow.server_port}{core}", parts=(thinned(points),), colour=place, is_thin=True
    )


def _flow_sums(outcome: FlowsOutcome) -> list[tuple[float, float]]:
    """Return the sum of all flows at each second in which every flow ran."""
    most = min((len(flow.rates) for flow in outcome.flows), default=0)
    return [
        (outcome.flows[0].rates[place].to_s, sum(flow.rates[place].bps for flow in outcome.flows))
        for place in range(most)
    ]


def smoke_graph(title: str, watched: Watched) -> Graph:
    """Return the graph of one target; a moment without any answer is a column of the worst colour."""
    moments = watched.moments[-_MOST_MOMENTS:]
    width_s = min((later.at_s - former.at_s for former, later in pairwise(moments)), default=1.0)
    top_us = _smoke_top(moments)
    first_s = moments[0].at_s - width_s if moments else 0.0
    areas = tuple(area for moment in moments for area in _smoke_areas(moment, width_s, top_us, first_s))
    return Graph(
        title=title,
        x=time_scale((moments[-1].at_s if moments else 1.0) - first_s),
        y=linear_scale(top_us / 1000, lambda value: f"{value:.3g}"),
        x_name="time",
        y_name="round trip, ms",
        areas=areas,
        legend=(
            *((colour, f"median, {text}" if not limit else text) for limit, colour, text in _LOSS_COLOURS),
            (_SMOKE, "smoke: the other times"),
        ),
    )


def loss_colour(ratio: float) -> str:
    """Return the colour of a loss."""
    return next(colour for limit, colour, _ in _LOSS_COLOURS if ratio <= limit)


def _smoke_top(moments: tuple[Moment, ...]) -> float:
    """Return the highest time to show: a few outliers do not press the rest to the foot."""
    highs = sorted(percentile(moment.rtts_us, 0.95) for moment in moments if moment.rtts_us)
    most = max((moment.rtts_us[-1] for moment in moments if moment.rtts_us), default=1000.0)
    usual = percentile(highs, 0.98) if highs else most
    return min(most, 4 * usual) * _HEADROOM


def _smoke_areas(moment: Moment, width_s: float, top_us: float, first_s: float) -> Iterator[Area]:
    from_x, to_x = moment.at_s - width_s - first_s, moment.at_s - first_s
    times = moment.rtts_us
    if not times:
        yield Area(from_x=from_x, to_x=to_x, from_y=0, to_y=top_us / 1000, colour=loss_colour(1.0), opacity=0.25)
        return
    for share in _SMOKE_LAYERS:
        low, high = percentile(times, max(share, 1e-9)), percentile(times, 1 - share)
        if high > low:
            yield Area(
                from_x=from_x, to_x=to_x, from_y=low / 1000, to_y=high / 1000, colour=_SMOKE, opacity=_SMOKE_OPACITY
            )
    median = percentile(times, 0.5) / 1000
    half = _MEDIAN_SHARE * top_us / 1000 / 2
    colour = loss_colour(moment.lost / moment.sent if moment.sent else 0.0)
    yield Area(from_x=from_x, to_x=to_x, from_y=max(median - half, 0), to_y=median + half, colour=colour, opacity=1.0)
