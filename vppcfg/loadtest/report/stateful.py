"""Graphs of tests with connections: their rate, how many are open at once, what goes wrong, and the latency."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from vppcfg.common.graph import (
    LOSS_COLOUR,
    Graph,
    Landmark,
    Line,
    Point,
    amount,
    highest,
    linear_scale,
    log_scale,
    thinned,
    time_scale,
)
from vppcfg.common.rates import short
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.report.graphs import histogram_graph
from vppcfg.loadtest.report.ramp import run_label, short_port
from vppcfg.loadtest.result import Result
from vppcfg.loadtest.stateful.outcome import ConnectionSample, StatefulOutcome

_HEADROOM = 1.05


def stateful_graphs(results: Sequence[Result]) -> Iterator[Graph]:
    """Yield the graphs of tests of one profile."""
    shown = [result for result in results if result.stateful is not None and result.stateful.samples]
    if shown:
        yield connection_graph(shown)
        yield open_graph(shown)
        yield failure_graph(shown)
    rows = [
        (_delay_label(results, number, outcome, place), dict(delay.histogram))
        for number, result in enumerate(results)
        if (outcome := result.stateful) is not None
        for place, delay in enumerate(outcome.delays)
        if delay.histogram
    ]
    latency = histogram_graph("Latency beside the connections", rows)
    if latency is not None:
        yield latency


def connection_graph(results: Sequence[Result]) -> Graph:
    """Return the connections per second that were answered, and those that were asked for."""
    lines = list(_ideal(results))
    for number, result in enumerate(results):
        lines.append(_line(_label(results, number, "answered"), result, lambda sample: sample.answered_cps, number))
    marks = tuple(_beginnings(results))
    return Graph(
        title=f"Connections per second, {_outcome(results[0]).profile}",
        x=time_scale(_duration_s(results)),
        y=linear_scale(_HEADROOM * (highest(lines) or 1.0), amount),
        x_name="time",
        y_name="connections per second",
        lines=tuple(lines),
        marks=marks,
    )


def open_graph(results: Sequence[Result]) -> Graph:
    """Return how many connections were open at once."""
    lines = [
        _line(
            run_label(results, number) if len(results) > 1 else "open", result, lambda sample: sample.open_now, number
        )
        for number, result in enumerate(results)
    ]
    return Graph(
        title=f"Connections at once, {_outcome(results[0]).profile}",
        x=time_scale(_duration_s(results)),
        y=linear_scale(_HEADROOM * (highest(lines) or 1.0), amount),
        x_name="time",
        y_name="open connections",
        lines=tuple(lines),
    )


def failure_graph(results: Sequence[Result]) -> Graph:
    """Return the connections per second that failed; none is drawn at the foot."""
    lines = [
        _line(
            run_label(results, number) if len(results) > 1 else "failed",
            result,
            lambda sample: sample.failed_cps,
            number,
        )
        for number, result in enumerate(results)
    ]
    return Graph(
        title=f"Failed connections, {_outcome(results[0]).profile}",
        x=time_scale(_duration_s(results)),
        y=log_scale(0.1, max(highest(lines), 10.0), amount),
        x_name="time",
        y_name="failed per second (at the foot: none)",
        lines=tuple(lines),
    )


def _outcome(result: Result) -> StatefulOutcome:
    assert result.stateful is not None
    return result.stateful


def _label(results: Sequence[Result], number: int, alone: str) -> str:
    """Return a name for a run, or for what is drawn when there is only one."""
    return run_label(results, number) if len(results) > 1 else alone


def _line(label: str, result: Result, value: Callable[[ConnectionSample], float], number: int) -> Line:
    points = [(sample.at_s, float(value(sample))) for sample in _outcome(result).samples]
    return Line(label=label, parts=(thinned(points),), colour=number)


def _ideal(results: Sequence[Result]) -> Iterator[Line]:
    """Yield the rate that was asked for, once for runs that asked for the same."""
    drawn: set[tuple[Point, ...]] = set()
    for result in results:
        samples = [sample for sample in _outcome(result).samples if sample.phase is not LoadPhase.DRAIN]
        points = tuple((float(round(sample.at_s)), sample.rate_cps) for sample in samples)
        if points and points not in drawn:
            drawn.add(points)
            yield Line(label="ideal", parts=(thinned(points),), colour=-1, is_dashed=True, is_thin=True)


def _beginnings(results: Sequence[Result]) -> Iterator[Landmark]:
    for result in results:
        outcome = _outcome(result)
        if outcome.failures_begin_cps is not None:
            first = next((each for each in outcome.samples if each.rate_cps >= outcome.failures_begin_cps), None)
            if first is not None:
                label = f"failures begin at {short(outcome.failures_begin_cps).strip()}/s"
                yield Landmark(label=label, x=first.at_s, y=first.answered_cps, colour=LOSS_COLOUR)


def _duration_s(results: Sequence[Result]) -> float:
    return max(_outcome(result).samples[-1].at_s for result in results)


def _delay_label(results: Sequence[Result], number: int, outcome: StatefulOutcome, place: int) -> str:
    way = outcome.delays[place].direction
    name = f"{run_label(results, number)} " if len(results) > 1 else ""
    return f"{name}{short_port(way.source)} → {short_port(way.sink)}"
