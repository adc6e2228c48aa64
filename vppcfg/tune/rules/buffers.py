"""buffers: packets are lost, or soon will be, because no buffer is free to receive into."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import count, percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import ErrorRate
from vppcfg.tune.reading import BufferPool
from vppcfg.tune.settings import buffers, buffers_needed
from vppcfg.tune.situation import Situation
from vppcfg.tune.thresholds import BUFFERS_FREE, FAULT_PPS

RULE = "buffers"
_NO_BUFFER = ("no available buffer", "buffer alloc", "buffer_alloc", "no buffer", "rx no bufs")
"""What nodes call it when no buffer is free, in lower case."""


def find(situation: Situation) -> Iterator[Finding]:
    """Yield one finding when ports or nodes find no buffer, or a pool has few left."""
    ports = {port.name: port.no_buf_pps for port in situation.load.ports if port.no_buf_pps}
    nodes = [rate for rate in situation.load.errors if _is_lack(rate)]
    short = [pool for pool in situation.load.reading.buffers or () if pool.total and _free(pool) < BUFFERS_FREE]
    if ports or nodes or short:
        yield _finding(situation, ports, nodes, short)


def _is_lack(rate: ErrorRate) -> bool:
    return (rate.per_s or 0.0) >= FAULT_PPS and any(words in rate.reason.lower() for words in _NO_BUFFER)


def _free(pool: BufferPool) -> float:
    return (pool.available + pool.cached) / pool.total


def _finding(situation: Situation, ports: dict[str, float], nodes: list[ErrorRate], short: list[BufferPool]) -> Finding:
    pools = situation.load.reading.buffers or ()
    lost = max(sum(ports.values()), sum(rate.per_s or 0.0 for rate in nodes))
    present = max((pool.total for pool in pools), default=0)
    wanted = max(buffers_needed(situation.load), 2 * present)
    return Finding(
        rule=RULE,
        severity=Severity.LOSS if lost else Severity.RISK,
        subject=short[0].name if short else next(iter(ports), "VPP"),
        verdict="there are too few packet buffers" + (f": {pps(lost)} find none" if lost else " for a burst"),
        evidence=_evidence(situation, ports, nodes),
        lost_pps=lost,
        proposal=Proposal(
            text="more buffers on each NUMA node, and hugepages for them (2496 bytes each)",
            settings=(buffers(wanted, present or None),),
        ),
        expectation=Expectation(
            text=f"rings, caches and frames under way need {count(buffers_needed(situation.load))} with a margin of a "
            "quarter; then nothing finds the pool empty",
            basis=Basis.COMPUTED,
            gain_pps=lost or None,
        ),
        disproof="the pool runs dry again at the same load: then buffers leak, or a reader holds them",
    )


def _evidence(situation: Situation, ports: dict[str, float], nodes: list[ErrorRate]) -> tuple[Evidence, ...]:
    reading = situation.load.reading
    parts = [
        Evidence(text=f"{pool.name}: {percent(_free(pool))} of {count(pool.total)} buffers are free",
                 source=reading.source("buffers"))
        for pool in reading.buffers or () if pool.total
    ]  # fmt: skip
    parts += [
        Evidence(text=f"{name} finds no buffer for {pps(rate)}", source=reading.source("interfaces"))
        for name, rate in ports.items()
    ]
    parts += [
        Evidence(text=f"{rate.node} counts {pps(rate.per_s or 0.0)} of `{rate.reason}`",
                 source=reading.source("errors"))
        for rate in nodes
    ]  # fmt: skip
    return tuple(parts)
