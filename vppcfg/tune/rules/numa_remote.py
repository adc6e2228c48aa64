"""numa-remote: a worker polls a NIC that is attached to another NUMA node."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import PortLoad, ThreadLoad
from vppcfg.tune.situation import Situation

RULE = "numa-remote"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port and remote worker."""
    nodes = _nodes(situation)
    threads = {thread.index: thread for thread in situation.load.threads}
    for port in situation.load.ports:
        at = port.hardware.numa if port.hardware else None
        if at is None:
            continue
        for index in sorted({queue.thread for queue in port.rx_queues}):
            if index in threads and nodes.get(index, at) != at:
                yield _finding(port, at, threads[index], nodes[index], situation)


def _nodes(situation: Situation) -> dict[int, int]:
    """Return the NUMA node of each thread, as far as it is known."""
    reading = situation.load.reading
    of_cpu = dict(reading.host.sockets) if reading.host else {}
    nodes = {thread.index: of_cpu[thread.lcore] for thread in situation.load.threads if thread.lcore in of_cpu}
    return {place.index: place.socket for place in reading.places or () if place.socket is not None} | nodes


def _finding(port: PortLoad, at: int, thread: ThreadLoad, node: int, situation: Situation) -> Finding:
    reading = situation.load.reading
    return Finding(
        rule=RULE,
        severity=Severity.RISK,
        subject=port.name,
        verdict=f"{thread.name} polls {port.name} from another NUMA node",
        evidence=(
            Evidence(text=f"{port.name} is attached to node {at}", source=reading.source("hardware")),
            Evidence(text=f"{thread.name} runs on node {node} (CPU {thread.lcore})", source=reading.source("places")),
        ),
        proposal=Proposal(
            text=f"poll it from workers on node {at}: list their CPUs in `cpu.workers`, or move the card to a slot of "
            f"node {node}; packet buffers come from the node of the NIC"
        ),
        expectation=Expectation(text="fewer clocks in the input node; how many has not been measured",
                                basis=Basis.GUESS),
        disproof=f"the clocks of the input node are the same on a worker of node {at}",
    )  # fmt: skip
