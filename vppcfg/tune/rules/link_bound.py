"""link-bound: a link carries what a link of its speed can carry."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import PortLoad
from vppcfg.tune.situation import Situation, nodes_source
from vppcfg.tune.thresholds import LINE_SHARE

RULE = "link-bound"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port with a full link; one that drops what does not fit is egress-oversubscribed."""
    for port in situation.load.ports:
        full = [_direction(port, situation, *direction) for direction in _directions(port, situation)]
        evidence = tuple(part for part in full if part)
        if evidence:
            yield _finding(port, situation, evidence)


def _directions(port: PortLoad, situation: Situation) -> Iterator[tuple[str, float, float]]:
    rx_line, tx_line = situation.rx_line_pps(port), situation.tx_line_pps(port)
    if port.rx_pps and rx_line:
        yield "receives", port.rx_pps, rx_line
    if port.tx_pps and tx_line and not port.tx_lost_pps > port.tx_pps * 1e-4:
        yield "sends", port.tx_pps, tx_line


def _direction(port: PortLoad, situation: Situation, verb: str, rate: float, line: float) -> Evidence | None:
    if rate < LINE_SHARE * line:
        return None
    text = f"{port.name} {verb} {pps(rate)}, {percent(rate / line)} of its line rate of {pps(line)}"
    return Evidence(text=text, source=nodes_source(situation))


def _finding(port: PortLoad, situation: Situation, evidence: tuple[Evidence, ...]) -> Finding:
    offered, line = situation.offered_to(port), situation.rx_line_pps(port)
    busiest = max((thread.n_graph for thread in situation.load.forwarding), default=0.0)
    vectors = Evidence(text=f"graph vectors are {busiest:.2f} of 256", source=nodes_source(situation))
    one_off = _one_off(port, situation)
    return Finding(
        rule=RULE,
        severity=Severity.LIMIT,
        subject=port.name,
        verdict=f"the link of {port.name} is full; the CPU is not the limit",
        evidence=(*evidence, vectors, *one_off),
        lost_pps=max(offered - line, 0.0) if offered and line and offered > line * 1.01 else 0.0,
        proposal=Proposal(text="a faster port, or several in a bond; nothing in startup.conf helps"),
        expectation=Expectation(text="no change of VPP gives more on this link", basis=Basis.COMPUTED),
        disproof="the frames are smaller than assumed, so that the line rate is higher",
    )


def _one_off(port: PortLoad, situation: Situation) -> tuple[Evidence, ...]:
    """Return a word about a loss of one ring, which happens when a port comes up."""
    limits = port.hardware.tx_limits if port.hardware else None
    if not port.tx_lost or not limits or port.tx_lost > limits.descriptors:
        return ()
    text = f"{port.tx_lost:.0f} packets handed to {port.name} were not sent: no more than one ring of "
    return (Evidence(text=f"{text}{limits.descriptors}, once; no starvation", source=nodes_source(situation)),)
