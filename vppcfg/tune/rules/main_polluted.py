"""main-polluted: VPP's main thread forwards packets, so that API, CLI and routes wait for traffic and the reverse."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import NodeLoad, ThreadLoad
from vppcfg.tune.settings import workers
from vppcfg.tune.situation import Situation, nodes_source
from vppcfg.tune.thresholds import BUSY_PORT_PPS, MAIN_PROCESS_CLOCKS

RULE = "main-polluted"
_ROUTE_PROCESSES = ("linux-nl", "lcp-nl", "lcp-router", "nl-batch")


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding when the main thread takes packets, and one when it is held up by routes."""
    main = next((thread for thread in situation.load.threads if thread.is_main), None)
    if main is None:
        return
    placed = [queue for queue in situation.load.queues() if queue.thread == main.index]
    if main.rx_packets or (placed and situation.load.workers):
        yield _forwarding(main, situation)
    slow = [node for node in main.nodes if _is_slow(node, situation.load.base_hz)]
    if slow:
        yield _held_up(slow, situation)


def _is_slow(node: NodeLoad, base_hz: float | None) -> bool:
    if not base_hz or not node.suspends or not node.name.startswith(_ROUTE_PROCESSES):
        return False
    return node.clocks / node.suspends / base_hz > MAIN_PROCESS_CLOCKS


def _forwarding(main: ThreadLoad, situation: Situation) -> Finding:
    placed = [queue for queue in situation.load.queues() if queue.thread == main.index]
    has_workers = bool(situation.load.workers)
    evidence = [Evidence(text=f"{main.name} takes {pps(main.rx_pps)}", source=nodes_source(situation))]
    if not has_workers:
        evidence.append(Evidence(text="there are no workers", source=nodes_source(situation)))
    evidence += [
        Evidence(text=f"queue {queue.queue} of {queue.interface} is placed on {main.name}",
                 source=situation.load.reading.source("rx_queues"))
        for queue in placed
    ]  # fmt: skip
    count = len(situation.load.workers)
    moves = tuple(
        f"set interface rx-placement {queue.interface} queue {queue.queue} worker {number % count}"
        for number, queue in enumerate(placed)
        if has_workers
    )
    return Finding(
        rule=RULE,
        severity=Severity.RISK if main.rx_pps >= BUSY_PORT_PPS else Severity.NOTICE,
        subject=main.name,
        verdict=f"{main.name} forwards packets: API, CLI and route changes wait for traffic, and traffic for them",
        evidence=tuple(evidence),
        proposal=Proposal(
            text="move its receive queues to workers" if has_workers else "one worker at least",
            settings=() if has_workers else (workers(1, 0),),
            live=moves,
        ),
        expectation=Expectation(
            text="the API answers at once whatever the load, and route changes cost no packets", basis=Basis.GUESS
        ),
        disproof="the API is as quick under load as without",
    )


def _held_up(slow: list[NodeLoad], situation: Situation) -> Finding:
    hertz = situation.load.base_hz or 1.0
    return Finding(
        rule=RULE,
        severity=Severity.NOTICE,
        subject="vpp_main",
        verdict="the main thread works on routes for long stretches, and everything else waits",
        evidence=tuple(
            Evidence(text=f"{node.name}: {node.clocks / node.suspends / hertz * 1e3:.0f} ms per turn",
                     source=nodes_source(situation))
            for node in slow
        ),
        proposal=Proposal(text="smaller batches: `linux-nl { nl-batch-size N }`, 2048 by default"),
        expectation=Expectation(text="shorter pauses, the same work in total", basis=Basis.GUESS),
        disproof="the pauses stay as long with half the batch size",
    )  # fmt: skip
