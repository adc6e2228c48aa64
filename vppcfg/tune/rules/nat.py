"""Rules about NAT: tables and ports that are used up, and how much of a full worker's time it takes (plugins/nat)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vppcfg.common.rates import count, packets, percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, FindingSeverity, Remedy
from vppcfg.tune.load import ErrorRate, NodeLoad, ThreadLoad
from vppcfg.tune.rule_context import Situation, nodes_source
from vppcfg.tune.thresholds import FAULT_PPS, MANY_PACKETS, SATURATED_VECTOR

_NODE = re.compile(r"nat44-|nat-pre-|nat-default|det44-|nat64-")
_SHARE = 0.3
"""Ours: of the clocks of a full worker, from which on NAT is what one asks about first."""
_NEW_SHARE = 0.2
"""Ours: of the packets of NAT44, from which on those that begin sessions count: each costs many times another one."""
_HANDOFF = "-worker-handoff"
_MEANS = {
    "maximum sessions exceeded": (
        "no thread has room for more sessions where the packets go",
        "more `sessions` in `nat44`, at a quiet hour: it loses all of them; `vppcfg nat sessions` shows who has most",
    ),
    "out of ports": (
        "no port is free for new sessions",
        "more addresses in `pools` of `nat44`; `vppcfg nat sessions` shows who has most",
    ),
    "hash table add failed": (
        "the table of flows takes no more",
        "more `sessions` in `nat44`, from which VPP makes the table: that loses all there are",
    ),
}
"""What a reason means (foreach_nat_in2out_ed_error in nat44_ed.h), and what to do."""


def find_nat_exhausted(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per node of NAT and reason that drops packets since there is no room for their sessions.

    NAT drops new connections: its tables or ports are used up.
    """
    for rate in situation.load.errors:
        means = exhausted(rate)
        has_totals_only = rate.per_s is None and situation.load.duration_s is None and rate.count >= MANY_PACKETS
        if means is not None and ((rate.per_s or 0.0) >= FAULT_PPS or has_totals_only):
            yield _exhausted(rate, *means, situation)


def exhausted(rate: ErrorRate) -> tuple[str, str] | None:
    """Return what a counter of full tables means and what to do, None for other counters."""
    return _MEANS.get(rate.reason.lower()) if _NODE.match(rate.node) else None


def _exhausted(rate: ErrorRate, meaning: str, remedy: str, situation: Situation) -> Finding:
    lost = rate.per_s or 0.0
    dropped = f"drops {pps(lost)}" if lost else f"has dropped {packets(rate.count)}"
    grows = f"grows by {pps(lost)}" if lost else f"counts {count(rate.count)} since the counters began"
    return Finding(
        rule="nat-exhausted",
        severity=FindingSeverity.LOSS,
        subject=rate.node,
        verdict=f"{rate.node} {dropped}: {meaning}",
        evidence=(Evidence(text=f"`{rate.reason}` {grows}", source=situation.load.reading.source("errors")),),
        lost_pps=lost,
        proposal=Remedy(text=remedy),
        expectation=Expectation(text="new connections are translated again", basis=Basis.COMPUTED),
        disproof="the counter grows as before with more room: one host opens more than any table holds",
        undecided="" if lost else "whether it goes on: read it twice",
    )


def find_nat_bound(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per full worker that NAT takes most of.

    NAT is what a full worker works on.
    """
    for thread in situation.load.forwarding:
        nodes = [node for node in thread.graph if _NODE.match(node.name)]
        clocks = sum(node.clocks for node in thread.graph)
        share = sum(node.clocks for node in nodes) / clocks if clocks else 0.0
        if thread.n_graph >= SATURATED_VECTOR and share >= _SHARE:
            yield _bound(thread, nodes, share, situation)


def _bound(thread: ThreadLoad, nodes: list[NodeLoad], share: float, situation: Situation) -> Finding:
    costly = sorted(nodes, key=lambda node: (-node.clocks, node.name))[:3]
    evidence = [
        Evidence(text=f"{node.name}: {node.clocks_per_packet:.0f} clocks a packet", source=nodes_source(situation))
        for node in costly
    ]
    return Finding(
        rule="nat-bound",
        severity=FindingSeverity.LIMIT,
        subject=thread.name,
        verdict=f"NAT takes {percent(share)} of what {thread.name} does, and {thread.name} is full",
        evidence=tuple(evidence),
        proposal=Remedy(text=_advice(nodes)),
        expectation=Expectation(text="the worker has room until the rest fills it", basis=Basis.GUESS),
        disproof="the worker stays as full without NAT on its interfaces",
    )


def _advice(nodes: list[NodeLoad]) -> str:
    """Return what to do, by which nodes of NAT take the time."""
    names = {node.name for node in nodes}
    if any(name.startswith("det44-") for name in names):
        return "fewer maps and fewer sessions a host: DET44 goes through all of both for each packet; or more workers"
    if any(_HANDOFF in name for name in names):
        return (
            "more workers, with RSS over addresses: NAT44 gives each host inside a worker by its address, and packets "
            "that come in elsewhere are handed over; a few hosts are a few workers"
        )
    vectors = sum(node.vectors for node in nodes if not node.name.startswith("nat-pre-"))
    new = sum(node.vectors for node in nodes if "slowpath" in node.name)
    if vectors and new >= _NEW_SHARE * vectors:
        return "longer timeouts, or fewer new connections: each costs many times what a packet of a known one costs"
    return "more workers: NAT44 gives each host inside a worker by its address"
