"""worker-imbalance: one worker does most of the work while others wait."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Setting, Severity
from vppcfg.tune.load import Load, ThreadLoad
from vppcfg.tune.reading import RxQueue
from vppcfg.tune.settings import rx_queues
from vppcfg.tune.situation import Situation, nodes_source
from vppcfg.tune.thresholds import IMBALANCE, IMBALANCE_PPS, SATURATED_VECTOR

RULE = "worker-imbalance"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield one finding when the busiest worker has far more than its share."""
    workers = situation.load.workers
    total = sum(worker.rx_pps for worker in workers)
    if len(workers) < 2 or total < IMBALANCE_PPS:
        return
    busiest = max(workers, key=lambda worker: (worker.rx_pps, -worker.index))
    if busiest.rx_pps > IMBALANCE * total / len(workers):
        yield _finding(busiest, total, situation)


def _finding(busiest: ThreadLoad, total: float, situation: Situation) -> Finding:
    workers = situation.load.workers
    mean = total / len(workers)
    is_full = busiest.n_graph >= SATURATED_VECTOR
    moves = _moves(situation.load, busiest)
    return Finding(
        rule=RULE,
        severity=Severity.LIMIT if is_full else Severity.RISK,
        subject=busiest.name,
        verdict=f"{busiest.name} takes {busiest.rx_pps / mean:.1f} times the mean of {len(workers)} workers",
        evidence=tuple(
            Evidence(text=f"{worker.name}: {pps(worker.rx_pps)} from {worker.queues} queue(s), "
                     f"{worker.n_graph:.1f} packets per call", source=nodes_source(situation))
            for worker in workers
        ),
        proposal=Proposal(
            text="spread the receive queues evenly: as many in total as workers, or a multiple",
            settings=_settings(situation.load, len(workers)),
            live=moves,
        ),
        expectation=Expectation(
            text=f"each worker takes about {pps(mean)}; the total can grow until they are all as full as this one",
            basis=Basis.COMPUTED,
        ),
        disproof="the shares stay as they are: then the packets are few flows, and one queue gets them all (rss)",
    )  # fmt: skip


def _moves(load: Load, busiest: ThreadLoad) -> tuple[str, ...]:
    """Return commands that give every other queue of the busiest worker to those with fewer."""
    queues: list[RxQueue] = [queue for queue in load.queues() if queue.thread == busiest.index]
    idle = sorted((worker for worker in load.workers if worker is not busiest), key=lambda worker: worker.rx_pps)
    return tuple(
        f"set interface rx-placement {queue.interface} queue {queue.queue} worker {worker.index - 1}"
        for queue, worker in zip(queues[1:], idle, strict=False)
    )


def _settings(load: Load, workers: int) -> tuple[Setting, ...]:
    """Return one receive queue for each worker on every port, where the NICs have them and more is needed."""
    limits = [port.hardware.rx_limits for port in load.ports if port.hardware and port.hardware.rx_limits]
    if not limits:
        return ()
    most, present = min(limit.max_queues for limit in limits), min(limit.queues for limit in limits)
    wanted = min(workers, most)
    return (rx_queues(wanted, present),) if wanted > present else ()
