"""Puts several results on one HTML page that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vppcfg.assets import find
from vppcfg.common.graph import Graph, bounded
from vppcfg.common.printable import in_page
from vppcfg.common.svg import svg_of
from vppcfg.errors import UsageError
from vppcfg.loadtest.load import incomparable_reason
from vppcfg.loadtest.report.details import Details, details_of
from vppcfg.loadtest.report.graphs import cores_graph, delay_graph, goodput_graph, search_graph, smoke_graph
from vppcfg.loadtest.report.overview import matrix_of, rows_of, traffic_of
from vppcfg.loadtest.report.ramp import loss_graph, rate_graph, run_label
from vppcfg.loadtest.report.stateful import stateful_graphs
from vppcfg.loadtest.result import Result, ResultKind
from vppcfg.record import record

TEMPLATE = "templates/loadtest_report.html.j2"
_COMPARED = {ResultKind.RAMP, ResultKind.LATENCY, ResultKind.FLOWS, ResultKind.ASTF}
_HEADINGS = {
    ResultKind.RAMP: "Ramp",
    ResultKind.SEARCH: "Search for throughput",
    ResultKind.LATENCY: "Latency",
    ResultKind.FLOWS: "TCP flows",
    ResultKind.WATCH: "Watch",
    ResultKind.ASTF: "Connections",
}
_WIDE, _NARROW = 1080, 360
_NARROW_HEIGHT = 250
_MOST_FIGURES = 100
"""Of a section: more are not readable, and each takes some milliseconds and kilobytes."""


@record
class Figure:
    """What the page shows of a graph."""

    title: str
    file_name: str
    """Of the image when it is saved, without its suffix."""
    wide: str
    narrow: str
    note: str


@record
class ReportSection:
    """Runs that stand in the same graphs."""

    heading: str
    figures: tuple[Figure, ...]
    left_out: int = 0
    """Graphs that are not drawn because there are too many."""


def page_of(results: Sequence[Result], title: str, limit_ratio: float | None = None) -> str:
    """Return the page. Raise UsageError when runs cannot stand in one graph, or there is nothing to show."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, finalize=in_page, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(find(TEMPLATE).read_text(encoding="utf-8"))
    details: list[Details] = [details_of(run_label(results, number), result) for number, result in enumerate(results)]
    page: str = template.render(
        title=title,
        matrix=matrix_of(results, limit_ratio),
        rows=rows_of(results, limit_ratio),
        sections=[_section(group, limit_ratio) for group in groups_of(results)],
        details=details,
    )
    return page


def groups_of(results: Sequence[Result]) -> list[list[Result]]:
    """Return the runs by kind and traffic, in the order in which they came. Raise UsageError when two do not fit."""
    groups: dict[tuple[object, ...], list[Result]] = {}
    for number, result in enumerate(results):
        groups.setdefault(_key(result, number), []).append(result)
    for group in groups.values():
        for other in group[1:]:
            reason = incomparable_reason(group[0], other)
            if reason:
                raise UsageError(
                    f"{group[0].name} of {group[0].started_at} and {other.name} of {other.started_at} cannot be "
                    f"compared: {reason}",
                    "make a report of each",
                )
    return list(groups.values())


def _key(result: Result, number: int) -> tuple[object, ...]:
    """Return what runs in one graph have in common; a search or a watch stands by itself."""
    offered = result.offered
    traffic: tuple[str, ...] = (offered.profile, offered.size, offered.variation) if offered else ()
    if result.stateful is not None:
        traffic = (result.stateful.profile, *(str(kind.answer_bytes) for kind in result.stateful.kinds))
    return (result.kind, *traffic, None if result.kind in _COMPARED else number)


def _section(group: list[Result], limit_ratio: float | None) -> ReportSection:
    kind, first = group[0].kind, group[0]
    traffic = f": {traffic_of(first)}" if first.offered else f": {first.stateful.profile}" if first.stateful else ""
    graphs = list(_GRAPHS[kind](group, limit_ratio))
    return ReportSection(
        heading=_HEADINGS[kind] + traffic,
        figures=tuple(_figure_of(graph) for graph in graphs[:_MOST_FIGURES]),
        left_out=max(len(graphs) - _MOST_FIGURES, 0),
    )


def _figure_of(graph: Graph) -> Figure:
    """Draw a graph, or as much of it as can be seen."""
    graph = bounded(graph)
    return Figure(
        title=graph.title,
        file_name=re.sub(r"[^a-z0-9]+", "-", graph.title.lower()).strip("-") or "graph",
        wide=svg_of(graph, _WIDE),
        narrow=svg_of(graph, _NARROW, _NARROW_HEIGHT),
        note=graph.note,
    )


def _ramp_graphs(group: list[Result], limit_ratio: float | None) -> Iterator[Graph]:
    shown = [result for result in group if result.samples]
    if shown:
        yield rate_graph(f"Packets per second, {traffic_of(shown[0])}", shown, limit_ratio)
        yield loss_graph(f"Loss, {traffic_of(shown[0])}", shown, limit_ratio)


def _search_graphs(group: list[Result], limit_ratio: float | None) -> Iterator[Graph]:
    for result in group:
        if result.trials:
            yield search_graph(f"Trials, {traffic_of(result) if result.offered else result.name}", result)


def _latency_graphs(group: list[Result], limit_ratio: float | None) -> Iterator[Graph]:
    graph = delay_graph("Latency under load", group)
    if graph is not None:
        yield graph


def _flow_graphs(group: list[Result], limit_ratio: float | None) -> Iterator[Graph]:
    shown = [result for result in group if result.flows is not None]
    if shown:
        yield goodput_graph("Goodput", shown)
    for number, result in enumerate(shown):
        name = f", {run_label(shown, number)}" if len(shown) > 1 else ""
        if result.flows is not None and result.flows.cores:
            yield cores_graph(f"Software interrupts per core{name}", result.flows, "softirq")
            yield cores_graph(f"Idle time per core{name}", result.flows, "idle")


def _watch_graphs(group: list[Result], limit_ratio: float | None) -> Iterator[Graph]:
    for result in group:
        for watched in result.watched:
            yield smoke_graph(f"Round-trip time to {watched.target}", watched)


def _stateful_graphs(group: list[Result], limit_ratio: float | None) -> Iterator[Graph]:
    yield from stateful_graphs(group)


_GRAPHS = {
    ResultKind.RAMP: _ramp_graphs,
    ResultKind.SEARCH: _search_graphs,
    ResultKind.LATENCY: _latency_graphs,
    ResultKind.FLOWS: _flow_graphs,
    ResultKind.WATCH: _watch_graphs,
    ResultKind.ASTF: _stateful_graphs,
}
