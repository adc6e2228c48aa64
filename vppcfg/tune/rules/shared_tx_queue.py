"""shared-tx-queue: workers share a transmit queue and wait for each other at its lock."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import Load, PortLoad
from vppcfg.tune.reading import TxQueue
from vppcfg.tune.situation import Situation, nodes_source
from vppcfg.tune.thresholds import SHARED_CLOCKS

RULE = "shared-tx-queue"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port with a queue that two workers or more send on, where that costs clocks."""
    shared = {port.name: queue for port in situation.load.ports for queue in port.tx_queues if _is_contended(queue)}
    clocks = {port.name: tx_clocks(port, situation.load) for port in situation.load.ports}
    alone = [cost for name, cost in clocks.items() if name not in shared and cost]
    for port in situation.load.ports:
        cost = clocks[port.name]
        if port.name not in shared or not cost:
            continue
        reference = min(alone) if alone else None
        if reference is None or cost >= SHARED_CLOCKS * reference:
            yield _finding(port, shared[port.name], situation, cost, reference)


def _is_contended(queue: TxQueue) -> bool:
    """Return whether two workers or more use the queue; the main thread hardly ever sends."""
    return queue.is_shared and sum(thread > 0 for thread in queue.threads) >= 2


def tx_clocks(port: PortLoad, load: Load) -> float:
    """Return the clocks per packet of the port's tx node over all threads, 0 without packets."""
    nodes = [thread.by_name[name] for thread in load.threads for name in (f"{port.name}-tx",) if name in thread.by_name]
    vectors = sum(node.vectors for node in nodes)
    return sum(node.clocks for node in nodes) / vectors if vectors else 0.0


def _finding(port: PortLoad, queue: TxQueue, situation: Situation, cost: float, reference: float | None) -> Finding:
    limits = port.hardware.tx_limits if port.hardware else None
    most = f"; its NIC has {limits.max_queues}" if limits else ""
    compared = f", {cost / reference:.1f} times that of a port with queues of its own" if reference else ""
    threads = ", ".join(map(str, queue.threads))
    return Finding(
        rule=RULE,
        severity=Severity.RISK if reference else Severity.NOTICE,
        subject=port.name,
        verdict=f"workers share transmit queue {queue.queue} of {port.name} and wait for each other",
        evidence=(
            Evidence(text=f"queue {queue.queue} is used by threads {threads}{most}",
                     source=situation.load.reading.source("tx_queues")),
            Evidence(text=f"{port.name}-tx takes {cost:.0f} clocks per packet{compared}",
                     source=nodes_source(situation)),
        ),
        proposal=Proposal(text="a transmit queue for each thread where the NIC has them, else fewer workers that "
                          "send to this port"),
        expectation=Expectation(text=f"clocks of {port.name}-tx come down to those of other ports",
                                basis=Basis.GUESS),
        disproof="the clocks stay when only one worker sends to the port",
        undecided="" if reference else "what the lock costs: compare with a port whose queues are not shared",
    )  # fmt: skip
