"""tx-descriptors: a port drops what it is handed because its transmit ring is full, though its link is not."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import count, percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Setting, Severity
from vppcfg.tune.load import Load, PortLoad
from vppcfg.tune.ports import by_name, is_ring_full
from vppcfg.tune.settings import larger_ring, multi_seg, tx_descriptors
from vppcfg.tune.situation import Situation, nodes_source
from vppcfg.tune.thresholds import LINE_SHARE, ONE_OFF_RINGS, SATURATED_VECTOR, TX_DEFICIT

RULE = "tx-descriptors"
_USUAL_RING = 512
_LARGEST_PLAIN_MTU = 2000
"""Packets above it need more than one buffer of 2048 bytes."""
_KEPT = 0.75
"""What longer rings have saved of the loss: 2.58 % became 0.67 % on the machine of the measurement."""


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per starving port, worst first."""
    starving = [port for port in situation.load.ports if _starves(port, situation)]
    for port in sorted(starving, key=lambda port: (-port.tx_lost_pps, port.name)):
        yield _finding(port, situation)


def _starves(port: PortLoad, situation: Situation) -> bool:
    limits = port.hardware.tx_limits if port.hardware else None
    ring = limits.descriptors if limits else _USUAL_RING
    if port.tx_lost_pps <= 0 or port.tx_lost <= ONE_OFF_RINGS * ring:
        return False
    handed = port.handed_pps if port.handed_pps else (port.tx_pps or 0.0) + port.tx_lost_pps
    line = situation.tx_line_pps(port)
    if port.tx_lost_pps < TX_DEFICIT * handed or (line and (port.tx_pps or 0.0) >= LINE_SHARE * line):
        return False
    saturated = any(thread.n_graph >= SATURATED_VECTOR for thread in situation.load.forwarding)
    return is_sustained(port, situation.load) and (not saturated or not limits)


def is_sustained(port: PortLoad, load: Load) -> bool:
    """Return whether a port lost packets in two steps at least, as far as there are steps to tell."""
    if not load.steps:
        return True
    losses = [by_name(step.ports)[port.name].tx_lost_pps for step in load.steps if port.name in step.port_names]
    return sum(loss > 0 for loss in losses) >= min(2, len(losses))


def _finding(port: PortLoad, situation: Situation) -> Finding:
    return Finding(
        rule=RULE,
        severity=Severity.LOSS,
        subject=port.name,
        verdict=f"{port.name} drops {pps(port.tx_lost_pps)} because its transmit ring is full, though its link is not",
        evidence=_evidence(port, situation),
        lost_pps=port.tx_lost_pps,
        proposal=_proposal(port),
        expectation=_expectation(port),
        disproof=f"the share of lost packets stays when the ring of {port.name} is twice as long and packets have "
        "one buffer",
        undecided="" if situation.knows_frame(port) or not port.link_bps
        else "the frame size: 64 bytes are assumed, and with larger frames the link may be full; give --frame",
    )  # fmt: skip


def _evidence(port: PortLoad, situation: Situation) -> tuple[Evidence, ...]:
    source = nodes_source(situation)
    parts = []
    if port.handed_pps:
        share = percent(port.tx_deficit)
        text = f"{count(port.tx_lost)} packets were handed to {port.name} and not sent: {share}"
        parts.append(Evidence(text=text, source=source))
    line = situation.tx_line_pps(port)
    if line and port.tx_pps:
        text = f"it sends {pps(port.tx_pps)}, {percent(port.tx_pps / line)} of its line rate of {pps(line)}"
        parts.append(Evidence(text=text, source=source))
    for rate in situation.load.errors:
        if rate.node == f"{port.name}-tx" and is_ring_full(rate.reason):
            when = "in the interval" if rate.per_s is not None else "since VPP began or counters were cleared"
            text = f"`{rate.reason}` counts {count(rate.count)} {when}"
            parts.append(Evidence(text=text, source=situation.load.reading.source("errors")))
    limits = port.hardware.tx_limits if port.hardware else None
    if limits:
        text = f"{limits.descriptors} descriptors of up to {limits.max_descriptors}"
        parts.append(Evidence(text=text, source=situation.load.reading.source("hardware")))
    return tuple(parts)


def _proposal(port: PortLoad) -> Proposal:
    limits = port.hardware.tx_limits if port.hardware else None
    if limits is None:
        return Proposal(
            text="longer rings where the interface is made (a memif's ring-size, a TAP's tx-ring-size), or a reader "
            "at its other end that keeps up"
        )
    settings: list[Setting] = []
    more = larger_ring(limits)
    if more:
        settings.append(tx_descriptors(more, limits.descriptors))
    if _uses_many_buffers(port):
        settings.append(multi_seg(is_on=False))
    return Proposal(
        text="longer transmit rings first; then packets of one buffer each, which lets drivers send the simple way",
        settings=tuple(settings),
        live=(f"set dpdk interface descriptors {port.name} tx {more}",) if more else (),
    )


def _uses_many_buffers(port: PortLoad) -> bool:
    hardware = port.hardware
    if hardware is None or (port.mtu or 0) > _LARGEST_PLAIN_MTU:
        return False
    return not hardware.tx_offloads or "multi-segs" in hardware.tx_offloads


def _expectation(port: PortLoad) -> Expectation:
    if port.hardware is None or port.hardware.tx_limits is None:
        return Expectation(text="fewer drops in bursts; a reader that is too slow for good stays so", basis=Basis.GUESS)
    return Expectation(
        text=f"a quarter of the loss remains: {pps(port.tx_lost_pps * _KEPT)} more. Both changes at once brought an "
        "Atom E3950 with i210 and i211 from 2.88 to 2.94 of 2.97 Mpps (64 bytes, both ways); what each of them "
        "gave was not measured",
        basis=Basis.MEASURED,
        gain_pps=port.tx_lost_pps * _KEPT,
    )
