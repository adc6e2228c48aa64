"""cpu-bound: a worker finds full frames wherever it looks, so that it never catches up."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Setting, Severity
from vppcfg.tune.load import PortLoad, ThreadLoad
from vppcfg.tune.settings import rx_queues, workers
from vppcfg.tune.situation import Situation, nodes_source
from vppcfg.tune.thresholds import FRAME, SATURATED_INPUT, SATURATED_VECTOR

RULE = "cpu-bound"


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per saturated thread."""
    for thread in situation.load.forwarding:
        full = SATURATED_INPUT * FRAME * situation.busy_queues(thread)
        if thread.n_graph >= SATURATED_VECTOR and thread.n_rx >= full:
            yield _finding(thread, situation)


def _finding(thread: ThreadLoad, situation: Situation) -> Finding:
    ports = [port for port in situation.load.ports if any(q.thread == thread.index for q in port.rx_queues)]
    lost = sum(port.rx_miss_pps or 0.0 for port in ports)
    count = len(situation.load.workers)
    more = max(count, 0) + 1
    gain = thread.rx_pps * 0.9 if not count else situation.load.rx_pps * (more / count - 1) * 0.9
    return Finding(
        rule=RULE,
        severity=Severity.LOSS if lost else Severity.LIMIT,
        subject=thread.name,
        verdict=f"{thread.name} has no time left: it forwards {pps(thread.rx_pps)}, and that is its limit",
        evidence=_evidence(thread, situation, lost),
        lost_pps=lost,
        proposal=Proposal(
            text="more workers, with a receive queue for each on every port; fewer features on the path; a higher "
            "clock. Without free cores this is the capacity of the machine",
            settings=_settings(ports, count, more),
        ),
        expectation=Expectation(
            text=f"{more} in place of {count} worker(s): the rate grows by that factor, 10 % less at worst, as far "
            "as the NIC goes along and the traffic has many flows"
            if count
            else "a worker forwards what the main thread does now, and the main thread is free for the API",
            basis=Basis.COMPUTED,
            gain_pps=gain if count else None,
        ),
        disproof=f"clocks per packet of {thread.name} fall when another program on its CPU stops",
    )


def _evidence(thread: ThreadLoad, situation: Situation, lost: float) -> tuple[Evidence, ...]:
    source = nodes_source(situation)
    queues = situation.busy_queues(thread)
    parts = [
        Evidence(text=f"{thread.n_graph:.2f} packets per call in the graph of {thread.name} (256 is full)",
                 source=source),
        Evidence(text=f"{thread.n_rx:.2f} packets per poll (at most 256 for each of {queues} queue(s))",
                 source=source),
        Evidence(text=f"{thread.polls_per_s:,.0f} polls per second; {thread.clocks_per_packet:.0f} clocks per packet",
                 source=source),
    ]  # fmt: skip
    if lost:
        text = f"the NICs miss {pps(lost)} meanwhile"
        parts.append(Evidence(text=text, source=situation.load.reading.source("interfaces")))
    return tuple(parts)


def _settings(ports: list[PortLoad], count: int, more: int) -> tuple[Setting, ...]:
    limits = [port.hardware.rx_limits for port in ports if port.hardware and port.hardware.rx_limits]
    most = min((limit.max_queues for limit in limits), default=1)
    queues = min(more, most)
    settings = [workers(more, count)]
    if limits and queues > min(limit.queues for limit in limits):
        settings.append(rx_queues(queues, min(limit.queues for limit in limits)))
    return tuple(settings)
