"""rss: a port has several receive queues, and one of them gets all packets."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import PortLoad
from vppcfg.tune.situation import Situation, nodes_source
from vppcfg.tune.thresholds import IMBALANCE_PPS, QUEUE_SHARE

RULE = "rss"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port whose packets are not spread over its queues."""
    for port in situation.load.ports:
        if len(port.rx_queues) < 2:
            continue
        share = _largest_share(port, situation)
        if share is not None and share > QUEUE_SHARE:
            yield _finding(port, situation, share)
        elif port.hardware and port.hardware.rss_active == "none":
            yield _finding(port, situation, None)


def _largest_share(port: PortLoad, situation: Situation) -> float | None:
    """Return the largest part of the port's packets that one thread takes, None when that cannot be told.

    VPP counts packets by thread, not by queue: the share of a queue is that of its thread, when each queue has a
    thread of its own and none of them takes packets of another port.
    """
    threads = {queue.thread for queue in port.rx_queues}
    others = {
        queue.thread
        for other in situation.load.ports
        if other.name != port.name and (other.rx_pps is None or other.rx_pps > 1.0)
        for queue in other.rx_queues
    }
    if len(threads) < len(port.rx_queues) or threads & others:
        return None
    rates = [thread.rx_pps for thread in situation.load.threads if thread.index in threads]
    total = sum(rates)
    return max(rates) / total if total > IMBALANCE_PPS else None


def _finding(port: PortLoad, situation: Situation, share: float | None) -> Finding:
    count = len(port.rx_queues)
    evidence = []
    if share is not None:
        text = f"one of {count} queues gets {percent(share)} of {pps(port.rx_pps or 0.0)}"
        evidence.append(Evidence(text=text, source=nodes_source(situation)))
    if port.hardware and port.hardware.rss_active:
        source = situation.load.reading.source("hardware")
        evidence.append(Evidence(text=f"rss active: {port.hardware.rss_active}", source=source))
    return Finding(
        rule=RULE,
        severity=Severity.RISK,
        subject=port.name,
        verdict=f"the packets of {port.name} are not spread over its {count} receive queues"
        if share is not None
        else f"{port.name} has {count} receive queues and spreads nothing over them",
        evidence=tuple(evidence),
        proposal=Proposal(
            text="rss { ... } for this device in startup.conf, with the headers that differ between flows; for a "
            "single flow, a tunnel or PPPoE only a hand-off between workers helps"
        ),
        expectation=Expectation(
            text=f"up to {count} times the rate of one queue, when there are many flows", basis=Basis.COMPUTED
        ),
        disproof="the traffic is one flow: then no spreading is possible, and none is missing",
    )
