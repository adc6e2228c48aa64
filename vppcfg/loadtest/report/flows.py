"""Graphs of flows: goodput over time, and what every core of the router did."""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.common.graph import Graph, Line, amount, highest, linear_scale, share_scale, thinned, time_scale
from vppcfg.loadtest.flows.outcome import CoreLoad, Flow, FlowsOutcome
from vppcfg.loadtest.report.ramp import run_label
from vppcfg.loadtest.result import Result


def goodput_graph(title: str, results: Sequence[Result]) -> Graph:
    """Return the sum of all flows against time, and every flow when there is one run."""
    lines = []
    for number, result in enumerate(results):
        assert result.flows is not None
        name = run_label(results, number) if len(results) > 1 else "sum"
        lines.append(Line(label=name, parts=(thinned(_sums(result.flows)),), colour=number))
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

    lines = []
    for colour, summary in enumerate(outcome.summaries()):
        points = [
            (sample.at_s, share_of(load))
            for sample in outcome.cores
            for load in sample.loads
            if load.core == summary.core
        ]
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


def _sums(outcome: FlowsOutcome) -> list[tuple[float, float]]:
    """Return the sum of all flows at each second in which every flow ran."""
    most = min((len(flow.rates) for flow in outcome.flows), default=0)
    return [
        (outcome.flows[0].rates[place].to_s, sum(flow.rates[place].bps for flow in outcome.flows))
        for place in range(most)
    ]
