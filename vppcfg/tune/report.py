"""The HTML page of a diagnosis, with findings, graphs and tables; it refers to no other file."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from vppcfg.assets import find
from vppcfg.common.graph import Bar, Graph, Line, amount, highest, linear_scale, time_scale
from vppcfg.common.printable import in_page
from vppcfg.common.rates import pps
from vppcfg.common.svg import svg_of, svg_of_rows
from vppcfg.tune.diagnosis import Diagnosis
from vppcfg.tune.load import Load, PortLoad
from vppcfg.tune.settings import as_yaml, startup_difference

TEMPLATE = "templates/tune_report.html.j2"
_MOST_NODES = 20
_WIDTH = 720


def report_of(diagnosis: Diagnosis, title: str) -> str:
    """Return the HTML of the page."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, finalize=in_page, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(find(TEMPLATE).read_text(encoding="utf-8"))
    load = diagnosis.situation.load
    page: str = template.render(
        title=title,
        version=load.reading.version or "of an unknown version",
        covered_s=load.duration_s or load.covered_s,
        verdict=diagnosis.verdict,
        findings=[_finding(number, found) for number, found in enumerate(diagnosis.findings, start=1)],
        remarks=diagnosis.remarks,
        plots=_plots(load),
        ports=[_port(port) for port in load.ports],
    )
    return page


def _finding(number: int, finding: Any) -> dict[str, Any]:
    proposal = finding.proposal
    settings = proposal.settings if proposal else ()
    return {
        "number": number,
        "finding": finding,
        "lost": pps(finding.lost_pps) if finding.lost_pps else "",
        "patch": "\n".join(as_yaml(settings)),
        "startup": "\n".join(startup_difference(settings)),
        "live": "\n".join(proposal.live) if proposal else "",
    }


def _port(port: PortLoad) -> dict[str, str]:
    def shown(rate: float | None) -> str:
        return "unknown" if rate is None else pps(rate)

    return {
        "name": port.name,
        "rx": shown(port.rx_pps),
        "tx": shown(port.tx_pps),
        "lost": pps(port.tx_lost_pps),
        "missed": shown(port.rx_miss_pps),
        "no_buffer": shown(port.no_buf_pps),
    }


def _plots(load: Load) -> list[tuple[str, str]]:
    """Return the title and the SVG of each graph that has something to show."""
    plots = []
    for thread in load.forwarding:
        nodes = sorted((node for node in thread.nodes if node.vectors and node.calls), key=lambda node: -node.clocks)[
            :_MOST_NODES
        ]
        total = thread.rx_packets or 1
        title = f"Clocks per packet by node, {thread.name}"
        rows = [Bar(label=node.name, value=node.clocks / total, text=f"{node.clocks / total:.1f}") for node in nodes]
        plots.append((title, svg_of_rows(title, rows, _WIDTH)))
        title = f"Vectors per call by node, {thread.name} (256 is full)"
        rows = [
            Bar(label=node.name, value=node.vectors_per_call, text=f"{node.vectors_per_call:.2f}") for node in nodes
        ]
        plots.append((title, svg_of_rows(title, rows, _WIDTH)))
    if load.threads:
        title = "Load by thread"
        rows = [
            Bar(label=thread.name, value=thread.rx_pps, text=f"{pps(thread.rx_pps)}, {thread.n_graph:.1f} per call")
            for thread in load.threads
        ]
        plots.append((title, svg_of_rows(title, rows, _WIDTH)))
    drops = _drops(load)
    return [*plots, drops] if drops else plots


def lost_pps(port: PortLoad) -> float:
    """Return all packets that a port loses per second."""
    return port.tx_lost_pps + (port.rx_miss_pps or 0.0) + (port.no_buf_pps or 0.0)


def _drops(load: Load) -> tuple[str, str] | None:
    """Return the drops of every port: over time when there are steps, else as bars."""
    if load.steps:
        title = "Lost packets per second by port over the interval"
        ends = list(accumulate(step.duration_s or step.covered_s or 0.0 for step in load.steps))
        series = tuple(
            Line(label=port.name, parts=(_losses(port.name, load, ends),), colour=number)
            for number, port in enumerate(load.ports)
        )
        return (title, svg_of(_loss_graph(title, series, ends[-1]), _WIDTH)) if series else None
    title = "Lost packets per second by port"
    rows = [Bar(label=port.name, value=lost_pps(port), text=pps(lost_pps(port))) for port in load.ports]
    return (title, svg_of_rows(title, rows, _WIDTH)) if rows else None


def _loss_graph(title: str, series: tuple[Line, ...], duration_s: float) -> Graph:
    return Graph(
        title=title,
        x=time_scale(duration_s),
        y=linear_scale(highest(series) or 1.0, amount),
        x_name="time",
        y_name="lost packets per second",
        lines=series,
    )


def _losses(name: str, load: Load, ends: list[float]) -> tuple[tuple[float, float], ...]:
    """Return the time in seconds and the lost packets per second of a port, for the end of each step."""
    points = []
    for end, step in zip(ends, load.steps, strict=True):
        port = next((port for port in step.ports if port.name == name), None)
        points.append((end, lost_pps(port) if port else 0.0))
    return tuple(points)
