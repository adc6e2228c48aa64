"""rx-ring: bursts, or pauses of a worker, are longer than a receive ring, though the worker keeps up on average."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.tune.figures import pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import PortLoad, ThreadLoad
from vppcfg.tune.settings import larger_ring, rx_descriptors
from vppcfg.tune.situation import Situation, nodes_source
from vppcfg.tune.thresholds import FRAME, RING_FILLED, SATURATED_VECTOR

RULE = "rx-ring"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port that misses packets in bursts."""
    for port in situation.load.ports:
        threads = situation.pollers(port)
        if not port.rx_miss_pps or not threads:
            continue
        is_relaxed = all(
            thread.n_rx < RING_FILLED * situation.busy_queues(thread) and thread.n_graph < SATURATED_VECTOR
            for thread in threads
        )
        bursty = is_bursty(threads, situation)
        if is_relaxed and bursty is not False:
            yield _finding(port, threads, situation, port.rx_miss_pps, is_certain=bursty is True)


def is_bursty(threads: Sequence[ThreadLoad], situation: Situation) -> bool | None:
    """Return whether any of the threads has met a full frame, None when nobody looked (`show runtime max`)."""
    indexes = {thread.index for thread in threads}
    vectors = [most for index, _, most in situation.load.reading.max_vectors if index in indexes]
    return max(vectors) >= FRAME if vectors else None


def _finding(
    port: PortLoad, threads: Sequence[ThreadLoad], situation: Situation, missed: float, *, is_certain: bool
) -> Finding:
    limits = port.hardware.rx_limits if port.hardware else None
    more = larger_ring(limits) if limits else None
    ring = f" of {limits.descriptors}" if limits else ""
    means = ", ".join(f"{thread.name} {thread.n_rx:.1f}" for thread in threads)
    return Finding(
        rule=RULE,
        severity=Severity.LOSS,
        subject=port.name,
        verdict=f"{port.name} misses {pps(missed)} in bursts: its receive ring{ring} is shorter than they are",
        evidence=(
            Evidence(text=f"rx-miss grows by {pps(missed)}", source=situation.load.reading.source("interfaces")),
            Evidence(text=f"packets per poll on average: {means}", source=nodes_source(situation)),
        ),
        lost_pps=missed,
        proposal=Proposal(
            text="longer receive rings; and find what makes the worker pause: route changes, `show runtime`, "
            "interrupts on its CPU",
            settings=(rx_descriptors(more, limits.descriptors),) if more and limits else (),
            live=(f"set dpdk interface descriptors {port.name} rx {more}",) if more else (),
        ),
        expectation=Expectation(text=_cover(port, more), basis=Basis.COMPUTED),
        disproof="the rate of missed packets stays the same with rings of twice the length",
        undecided="" if is_certain else "whether any frame was full: `show runtime max` tells (256 vectors at max)",
    )


def _cover(port: PortLoad, more: int | None) -> str:
    line = port.line_pps(None)
    if not line or not more:
        return "pauses twice as long are survived"
    return f"{more} descriptors cover a pause of {more / line * 1e6:.0f} µs at line rate with 64 bytes"
