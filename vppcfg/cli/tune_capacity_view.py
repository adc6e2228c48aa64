"""Shows what `vppcfg tune capacity` found, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vppcfg.cli.output import printable
from vppcfg.common.rates import percent, pps


def capacity_lines(document: dict[str, Any]) -> Iterator[str]:
    """Yield the lines for the document of `--format json`."""
    yield from _samples(document)
    if "nodes" in document:
        yield from _model(document)
    worker = document["worker"]
    yield ""
    if worker["high_pps"] is None:
        yield f"A worker forwards at least {pps(worker['pps'])}:"
    else:
        yield f"A worker forwards {pps(worker['pps'])} ({pps(worker['low_pps'])} to {pps(worker['high_pps'])}):"
    yield f"  {worker['basis']}."
    if "composition" in document:
        yield from _composition(document["composition"])
    if "workers" in document:
        yield from _workers(document["workers"])


def _samples(document: dict[str, Any]) -> Iterator[str]:
    yield f"{'RECEIVES':>12} {'PER CALL':>9} {'CLOCKS/PKT':>11} {'IN NODES':>9}  SAMPLE"
    for sample in document["samples"]:
        yield (
            f"{pps(sample['rx_pps']):>12} {sample['vectors_per_call']:>9.2f} {sample['clocks_per_packet']:>11.1f} "
            f"{percent(sample['time_in_nodes']):>9}  {printable(sample['name'])}"
        )


def _model(document: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield f"{'PER CALL':>9} {'PER PACKET':>11}  NODE (clocks)"
    for node in document["nodes"]:
        yield f"{node['clocks_per_call']:>9.0f} {node['clocks_per_packet']:>11.1f}  {printable(node['name'])}"
    yield ""
    yield f"{'VECTORS':>8} {'CLOCKS/PKT':>11} {'A WORKER':>12}  BETWEEN"
    for point in document["curve"]:
        between = f"{pps(point['low_pps'])} and {pps(point['high_pps'])}"
        known = "" if point["basis"].startswith("within") else " (extrapolated)"
        yield f"{point['vectors']:>8} {point['clocks_per_packet']:>11.0f} {pps(point['pps']):>12}  {between}{known}"
    yield from _load(document)


def _load(document: dict[str, Any]) -> Iterator[str]:
    yield ""
    uses = {use["name"]: use for use in document["idle_polls"].get("samples", ())}
    for load in document["load"]:
        use = uses.get(load["name"])
        split = (
            f"; {percent(use['work'])} of its time is work, {percent(use['empty_polls'])} empty polls" if use else ""
        )
        yield f"{printable(load['name'])}: load {percent(load['share'])}{split}"
    polls = document["idle_polls"]
    if "unknown" in polls:
        yield f"Empty polls are not told from work: {polls['unknown']}."
    else:
        yield (
            f"An empty poll takes {polls['clocks_per_empty_poll']:.0f} clocks, one with packets "
            f"{polls['clocks_per_full_poll']:.0f} and {polls['clocks_per_packet']:.0f} per packet."
        )


def _composition(made: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield f"{made['base_clocks']:>9.1f} clocks per packet on the path of {printable(made['base'])}"
    for name, clocks in made["nodes"].items():
        yield f"{clocks:>+9.1f} {printable(name)}"
    yield (
        f"{made['clocks_per_packet']:>9.1f} clocks: {pps(made['pps'])} with vectors of {made['vectors']:g} "
        f"({pps(made['low_pps'])} to {pps(made['high_pps'])})"
    )
    for remark in made["remarks"]:
        yield f"  {printable(remark)}"


def _workers(workers: dict[str, Any]) -> Iterator[str]:
    yield ""
    least = "an unknown number" if workers["at_least"] is None else workers["at_least"]
    yield f"Ports of {printable(workers['ports'])} at {workers['frame']:.0f} bytes offer {pps(workers['offered_pps'])}:"
    yield (
        f"  {workers['needed']} worker(s) at {100 * workers['headroom']:.0f} % load each ({least} if a worker does "
        f"better than predicted, {workers['at_most']} if worse)"
    )
