"""Rules about how work is divided: among workers, between them and the main thread, and from one to another."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vppcfg.common.numbers import numbered
from vppcfg.common.rates import count, packets, pps
from vppcfg.tune.checks import thread_count
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, FindingSeverity, Remedy, Setting
from vppcfg.tune.load import ErrorRate, Load, NodeLoad, ThreadLoad
from vppcfg.tune.reading import RxQueue
from vppcfg.tune.rule_context import Situation, nodes_source
from vppcfg.tune.settings import more_rx_queues, unknown_native, workers
from vppcfg.tune.thresholds import (
    BUSY_PORT_PPS,
    FAULT_PPS,
    IMBALANCE,
    IMBALANCE_PPS,
    MAIN_PROCESS_CLOCKS,
    MANY_PACKETS,
    SATURATED_VECTOR,
)

_ROUTE_PROCESSES = ("linux-nl", "lcp-nl", "lcp-router", "nl-batch")
_TO_WORKERS = "move its receive queues to workers, of which there should be one at least"
_HANDOFF_DROP = re.compile(r"congestion drop|sess drop|^handoff drop")


def find_worker_imbalance(situation: Situation) -> Iterator[Finding]:
    """Yield one finding when the busiest worker has far more than its share.

    One worker does most of the work while others wait.
    """
    workers = situation.load.workers
    total = sum(worker.rx_pps for worker in workers)
    if len(workers) < 2 or total < IMBALANCE_PPS or not all(worker.duration_s for worker in workers):
        return  # a worker whose time is missing has no rate to compare with
    busiest = max(workers, key=lambda worker: (worker.rx_pps, -worker.index))
    if busiest.rx_pps > IMBALANCE * total / len(workers):
        yield _imbalance_finding(busiest, total, situation)


def _imbalance_finding(busiest: ThreadLoad, total: float, situation: Situation) -> Finding:
    workers = situation.load.workers
    mean = total / len(workers)
    is_full = busiest.vectors >= SATURATED_VECTOR
    moves = _queue_moves(situation.load, busiest)
    return Finding(
        rule="worker-imbalance",
        severity=FindingSeverity.LIMIT if is_full else FindingSeverity.RISK,
        subject=busiest.name,
        verdict=f"{busiest.name} takes {busiest.rx_pps / mean:.1f} times the mean of {len(workers)} workers",
        evidence=tuple(
            Evidence(text=f"{worker.name}: {pps(worker.rx_pps)} from {numbered(worker.queues, 'queue')}, "
                     f"{worker.n_graph:.1f} packets per call", source=nodes_source(situation))
            for worker in workers
        ),
        proposal=Remedy(
            text="spread the receive queues evenly: as many in total as workers, or a multiple"
            f"{unknown_native(situation.load.ports)}",
            settings=_queue_settings(situation.load, len(workers)),
            live=moves,
        ),
        expectation=Expectation(
            text=f"each worker takes about {pps(mean)}; the total can grow until they are all as full as this one",
            basis=Basis.COMPUTED,
        ),
        disproof="the shares stay as they are: then the packets are few flows, and one queue gets them all (rss)",
    )  # fmt: skip


def _placement(queue: RxQueue, worker: int) -> str:
    """Return the command that gives a queue to a worker, which VPP 25.06 requires before the port."""
    return f"set interface rx-placement worker {worker} queue {queue.queue} {queue.interface}"


def _queue_moves(load: Load, busiest: ThreadLoad) -> tuple[str, ...]:
    """Return commands that give every other queue of the busiest worker to those with fewer."""
    queues: list[RxQueue] = [queue for queue in load.queues() if queue.thread == busiest.index]
    idle = sorted((worker for worker in load.workers if worker is not busiest), key=lambda worker: worker.rx_pps)
    return tuple(_placement(queue, worker.index - 1) for queue, worker in zip(queues[1:], idle, strict=False))


def _queue_settings(load: Load, workers: int) -> tuple[Setting, ...]:
    """Return one receive queue for each worker on every port, where the NICs have them and more is needed."""
    return more_rx_queues(load.ports, workers)


def find_main_polluted(situation: Situation) -> Iterator[Finding]:
    """Yield a finding when the main thread takes packets, and one when it is held up by routes.

    VPP's main thread forwards packets, so that API, CLI and routes wait for traffic and the reverse.
    """
    main = next((thread for thread in situation.load.threads if thread.is_main), None)
    if main is None:
        yield from _polling_main(situation)
        return
    placed = [queue for queue in situation.load.queues() if queue.thread == main.index]
    takes_packets = main.rx_pps >= FAULT_PPS if main.duration_s else main.rx_packets > 0
    if takes_packets or (placed and situation.load.workers):
        yield _forwarding(main, situation)
    slow = [node for node in main.nodes if _is_slow(node, situation.load.base_hz)]
    if slow:
        yield _held_up(slow, situation)


def _polling_main(situation: Situation) -> Iterator[Finding]:
    """Yield a finding when queues are placed on the main thread, of which nothing else was seen."""
    placed = [queue for queue in situation.load.queues() if queue.thread == 0]
    if not placed:
        return
    ports = ", ".join(dict.fromkeys(queue.interface for queue in placed))
    does = "polls" if all(queue.mode == "polling" for queue in placed) else "receives from"
    yield Finding(
        rule="main-polluted",
        severity=FindingSeverity.NOTICE,
        subject="vpp_main",
        verdict=f"the main thread {does} {ports}: API, CLI and route changes wait for its traffic",
        evidence=tuple(
            Evidence(text=f"queue {queue.queue} of {queue.interface} is placed on the main thread",
                     source=situation.load.reading.source("rx_queues"))
            for queue in placed
        ),
        proposal=Remedy(text=_TO_WORKERS),
        expectation=Expectation(text="the API answers at once whatever the load", basis=Basis.GUESS),
        disproof="the API is as quick under load as without",
        undecided="how busy it is: `show runtime`",
    )  # fmt: skip


def _is_slow(node: NodeLoad, base_hz: float | None) -> bool:
    if not base_hz or not node.suspends or not node.name.startswith(_ROUTE_PROCESSES):
        return False
    return node.clocks / node.suspends / base_hz > MAIN_PROCESS_CLOCKS


def _forwarding(main: ThreadLoad, situation: Situation) -> Finding:
    placed = [queue for queue in situation.load.queues() if queue.thread == main.index]
    total = thread_count(situation.load.reading)
    there = len(situation.load.workers) if total is None else total - 1
    evidence = [Evidence(text=f"{main.name} takes {pps(main.rx_pps)}", source=nodes_source(situation))]
    if total == 1:
        evidence.append(Evidence(text="there are no workers", source=nodes_source(situation)))
    evidence += [
        Evidence(text=f"queue {queue.queue} of {queue.interface} is placed on {main.name}",
                 source=situation.load.reading.source("rx_queues"))
        for queue in placed
    ]  # fmt: skip
    if main.vectors >= SATURATED_VECTOR:
        text = f"{main.vectors:.2f} packets per call in its graph (256 is full)"
        evidence.append(Evidence(text=text, source=nodes_source(situation)))
    moves = tuple(_placement(queue, number % there) for number, queue in enumerate(placed) if there)
    return Finding(
        rule="main-polluted",
        severity=FindingSeverity.RISK if main.rx_pps >= BUSY_PORT_PPS else FindingSeverity.NOTICE,
        subject=main.name,
        verdict=f"{main.name} forwards packets: API, CLI and route changes wait for traffic, and traffic for them",
        evidence=tuple(evidence),
        proposal=Remedy(
            text="move its receive queues to workers" if there else "one worker at least" if total else _TO_WORKERS,
            settings=(workers(1, 0),) if total == 1 else (),
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
        rule="main-polluted",
        severity=FindingSeverity.NOTICE,
        subject="vpp_main",
        verdict="the main thread works on routes for long stretches, and everything else waits",
        evidence=tuple(
            Evidence(text=f"{node.name}: {node.clocks / node.suspends / hertz * 1e3:.0f} ms per turn",
                     source=nodes_source(situation))
            for node in slow
        ),
        proposal=Remedy(text="smaller batches: `linux-nl { nl-batch-size N }`, 2048 by default"),
        expectation=Expectation(text="shorter pauses, the same work in total", basis=Basis.GUESS),
        disproof="the pauses stay as long with half the batch size",
    )  # fmt: skip


def find_handoff(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per node that drops packets while it hands them over.

    Packets are dropped on their way from one worker to another, whose queue is full.
    """
    for rate in situation.load.errors:
        is_old = rate.per_s is None and situation.load.duration_s is None and rate.count >= MANY_PACKETS
        if ((rate.per_s or 0.0) >= FAULT_PPS or is_old) and is_handoff_drop(rate):
            yield _handoff_finding(rate, situation)


def is_handoff_drop(rate: ErrorRate) -> bool:
    """Return whether a counter shows packets that were dropped on their way to another worker."""
    return bool(_HANDOFF_DROP.search(rate.reason.lower().replace("_", " ")))


def _handoff_finding(rate: ErrorRate, situation: Situation) -> Finding:
    lost = rate.per_s or 0.0
    dropped = f"drops {pps(lost)}" if lost else f"has dropped {packets(rate.count)}"
    grows = f"grows by {pps(lost)}" if lost else f"counts {count(rate.count)} since the counters began"
    return Finding(
        rule="handoff",
        severity=FindingSeverity.LOSS,
        subject=rate.node,
        verdict=f"{rate.node} {dropped}: the worker that the packets go to does not keep up",
        evidence=(Evidence(text=f"`{rate.reason}` {grows}", source=situation.load.reading.source("errors")),),
        lost_pps=lost,
        proposal=Remedy(text="more workers, or RSS over the headers that the feature needs, so that packets come to "
                        "the right worker at once"),
        expectation=Expectation(text="fewer packets change workers, and fewer are dropped on the way",
                                basis=Basis.GUESS),
        disproof="the drops go on when the load is spread evenly",
        undecided="" if lost else "whether it goes on: read it twice",
    )  # fmt: skip
