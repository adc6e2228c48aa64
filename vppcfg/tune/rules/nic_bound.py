"""nic-bound: packets are lost in the NIC or on the bus before VPP sees them, and its workers have time to spare."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import PortLoad, ThreadLoad
from vppcfg.tune.rules.rx_ring import is_bursty
from vppcfg.tune.settings import larger_ring, rx_descriptors
from vppcfg.tune.situation import Situation, nodes_source
from vppcfg.tune.thresholds import LIGHT_VECTOR, LINE_SHARE, OFFERED_SHARE, TX_DEFICIT

RULE = "nic-bound"
_SUSPICIOUS = 0.5
"""Ours: from this share of line rate on it is worth asking what was offered."""


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port that receives less than it is sent."""
    if any(port.tx_deficit >= TX_DEFICIT for port in situation.load.ports):
        return
    for port in situation.load.ports:
        threads = situation.pollers(port)
        if not port.rx_pps or not threads or not all(_is_light(thread, situation) for thread in threads):
            continue
        line = situation.rx_line_pps(port)
        if line and port.rx_pps >= OFFERED_SHARE * line:
            continue
        finding = _judge(port, threads, situation, line)
        if finding:
            yield finding


def _is_light(thread: ThreadLoad, situation: Situation) -> bool:
    return thread.n_graph < LIGHT_VECTOR and thread.n_rx < LIGHT_VECTOR * situation.busy_queues(thread)


def _judge(port: PortLoad, threads: tuple[ThreadLoad, ...], situation: Situation, line: float | None) -> Finding | None:
    received = port.rx_pps or 0.0
    offered = situation.offered_to(port)
    missed = port.rx_miss_pps or 0.0
    if offered is None and missed and is_bursty(threads, situation) is not False:
        return None  # rx-ring is what a burst is
    lost = max(offered - received if offered else 0.0, missed)
    if (offered and received < OFFERED_SHARE * offered) or missed:
        return _finding(port, threads, situation, line, lost)
    if offered is None and line and _SUSPICIOUS * line <= received < LINE_SHARE * line and not missed:
        return _suspicion(port, threads, situation, line)
    return None


def _evidence(
    port: PortLoad, threads: tuple[ThreadLoad, ...], situation: Situation, line: float | None
) -> tuple[Evidence, ...]:
    received = port.rx_pps or 0.0
    source = nodes_source(situation)
    how = " (what the other port is handed)" if port.rx_is_inferred else ""
    of_line = f", {percent(received / line)} of its line rate of {pps(line)}" if line else ""
    parts = [Evidence(text=f"{port.name} receives {pps(received)}{of_line}{how}", source=source)]
    offered = situation.offered_to(port)
    if offered:
        parts.append(Evidence(text=f"{pps(offered)} are sent to it", source="--offered"))
    if port.rx_miss_pps:
        missed = f"the NIC misses {pps(port.rx_miss_pps)}"
        parts.append(Evidence(text=missed, source=situation.load.reading.source("interfaces")))
    for thread in threads:
        text = f"{thread.name} finds {thread.n_rx:.2f} packets per poll and passes on {thread.n_graph:.2f} per call"
        parts.append(Evidence(text=f"{text} (256 is full)", source=source))
        if thread.disagreement:
            parts.append(_contradiction(thread, source))
    if situation.load_note:
        parts.append(Evidence(text=situation.load_note, source="the fitted model"))
    return tuple(parts)


def _contradiction(thread: ThreadLoad, source: str) -> Evidence:
    table = thread.rx_packets / thread.table_duration_s
    printed = thread.rx_packets / thread.duration_s
    share = percent(abs(thread.disagreement))
    text = f"table and header of {thread.name} disagree by {share}: {pps(table)} against {pps(printed)}; the header"
    return Evidence(text=f"{text} is taken", source=source)


def _finding(
    port: PortLoad, threads: tuple[ThreadLoad, ...], situation: Situation, line: float | None, lost: float
) -> Finding:
    limits = port.hardware.rx_limits if port.hardware else None
    more = larger_ring(limits) if limits else None
    return Finding(
        rule=RULE,
        severity=Severity.LOSS,
        subject=port.name,
        verdict=f"{port.name} loses packets in its NIC, before VPP sees them; the CPU is not the limit, and an "
        "increase of workers will not help",
        evidence=_evidence(port, threads, situation, line),
        lost_pps=lost,
        proposal=Proposal(
            text="try longer receive rings once; then another port or NIC, its PCIe slot, pause frames; as an "
            "experiment pcie_aspm=off on the kernel's command line and `ethtool --set-eee` off",
            settings=(rx_descriptors(more, limits.descriptors),) if more and limits else (),
            live=(f"set dpdk interface descriptors {port.name} rx {more}",) if more else (),
        ),
        expectation=Expectation(
            text="at most line rate; if twice the ring gives less than 1 %, it is a limit of NIC or bus for this "
            "pattern of traffic",
            basis=Basis.GUESS,
        ),
        disproof=f"{port.name} receives everything at the same rate in another pattern of traffic, or more workers "
        "raise the rate",
    )


def _suspicion(port: PortLoad, threads: tuple[ThreadLoad, ...], situation: Situation, line: float) -> Finding:
    return Finding(
        rule=RULE,
        severity=Severity.NOTICE,
        subject=port.name,
        verdict=f"{port.name} may lose packets before VPP sees them, or there is no more traffic",
        evidence=_evidence(port, threads, situation, line),
        disproof=f"what is sent to {port.name} is no more than what it receives",
        undecided="what is sent to the port: ask the sender, and give --offered RATE",
    )
