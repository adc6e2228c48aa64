"""Rules about the traffic itself: full links, packets that no tuning can save, and a load in which all is well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.common.rates import count, packets, percent, pps
from vppcfg.tune.drop_reasons import DOWN, NO_IP4, NO_IP6, NO_ROUTE, POLICED, DropReason, Meaning
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, FindingSeverity, Remedy
from vppcfg.tune.load import ErrorRate, Load, PortLoad
from vppcfg.tune.ports import is_ring_full
from vppcfg.tune.rule_context import Situation, nodes_source
from vppcfg.tune.rules.memory import is_no_buffer
from vppcfg.tune.rules.nat import exhausted
from vppcfg.tune.rules.workers import is_handoff_drop
from vppcfg.tune.thresholds import (
    DROP_SHARE,
    DROPS_PPS,
    FAULT_PPS,
    LINE_SHARE,
    MANY_PACKETS,
    OFFERED_SHARE,
    SURELY,
    TX_DEFICIT,
)

_UNEXPLAINED = 0.5
"""Ours: the rest of a drop node is worth a word when it is this share of what passes there; replies end there too."""
_WORTH_A_LOSS = 1e-3
"""Ours: share of all packets from which on faults are more than the noise of any network."""
FAULTS_WORTH_A_WORD = 10
"""Ours: packets of one fault without a time that are worth a word."""
_MOST = 0.5
"""Ours: share of all packets from which on those that were not meant for this router are a loss."""
_UNREAD = " for a reason that was not read"
_SEVERITIES = {
    Meaning.LOSS: FindingSeverity.LOSS,
    Meaning.FOREIGN: FindingSeverity.LOSS,
    Meaning.LIMIT: FindingSeverity.LIMIT,
    Meaning.ASKED_FOR: FindingSeverity.NOTICE,
}
"""How much many such packets matter: a rate is a configured limit, what a filter drops is meant."""
_LOOK = "`trace add NODE 10` on the input node and `show trace` show which packets they are"
_LOOKS = {POLICED: "`show policer` has its rate and what it counts; a higher rate, or none, if the packets are wanted"}
_DROP_NODES = {
    "ip4-not-enabled": NO_IP4,
    "ip6-not-enabled": NO_IP6,
    "ip4-drop": NO_ROUTE,
    "ip6-drop": NO_ROUTE,
}
"""Nodes that only packets pass that are dropped there, for releases that count no reason."""


def find_link_bound(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port with a full link; one that drops what does not fit is egress-oversubscribed.

    A link carries what a link of its speed can carry.
    """
    for port in situation.load.ports:
        full = [_full_link(port, situation, *direction) for direction in _directions(port, situation)]
        evidence = tuple(part for part in full if part)
        if evidence:
            yield _link_bound_finding(port, situation, evidence)


def _directions(port: PortLoad, situation: Situation) -> Iterator[tuple[str, float, float]]:
    rx_line, tx_line = situation.rx_line_pps(port), situation.tx_line_pps(port)
    if port.rx_pps and rx_line:
        yield "receives", port.rx_pps, rx_line
    if port.tx_pps and tx_line and not port.tx_lost_pps > port.tx_pps * 1e-4:
        yield "sends", port.tx_pps, tx_line


def _full_link(port: PortLoad, situation: Situation, verb: str, rate: float, line: float) -> Evidence | None:
    if rate < LINE_SHARE * line:
        return None
    text = f"{port.name} {verb} {pps(rate)}, {percent(rate / line)} of its line rate of {pps(line)}"
    return Evidence(text=text, source=nodes_source(situation))


def _link_bound_finding(port: PortLoad, situation: Situation, evidence: tuple[Evidence, ...]) -> Finding:
    offered, line = situation.offered_to(port), situation.rx_line_pps(port)
    busiest = max((thread.n_graph for thread in situation.load.forwarding), default=0.0)
    vectors = Evidence(text=f"graph vectors are {busiest:.2f} of 256", source=nodes_source(situation))
    one_off = _single_ring_loss(port, situation)
    return Finding(
        rule="link-bound",
        severity=FindingSeverity.LIMIT,
        subject=port.name,
        verdict=f"the link of {port.name} is full; the CPU is not the limit",
        evidence=(*evidence, vectors, *one_off),
        lost_pps=max(offered - line, 0.0) if offered and line and offered > line * 1.01 else 0.0,
        proposal=Remedy(text="a faster port, or several in a bond; nothing in startup.conf helps"),
        expectation=Expectation(text="no change of VPP gives more on this link", basis=Basis.COMPUTED),
        disproof="the frames are smaller than assumed, so that the line rate is higher",
    )


def _single_ring_loss(port: PortLoad, situation: Situation) -> tuple[Evidence, ...]:
    """Return a remark about a loss of one ring only, which happens when a port comes up."""
    limits = port.hardware.tx_limits if port.hardware else None
    if not port.tx_lost or not limits or port.tx_lost > limits.descriptors:
        return ()
    text = f"{port.tx_lost:.0f} packets handed to {port.name} were not sent: no more than one ring of "
    return (Evidence(text=f"{text}{limits.descriptors}, once; no starvation", source=nodes_source(situation)),)


def find_egress_oversubscribed(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port that drops while its link is full.

    A port is handed more than its link carries, and drops the rest.
    """
    for port in situation.load.ports:
        line = situation.tx_line_pps(port)
        if line and port.tx_pps and port.tx_deficit >= TX_DEFICIT and port.tx_pps >= LINE_SHARE * line:
            yield _egress_finding(port, situation, port.tx_pps, line)


def _egress_finding(port: PortLoad, situation: Situation, sent: float, line: float) -> Finding:
    source = nodes_source(situation)
    return Finding(
        rule="egress-oversubscribed",
        severity=FindingSeverity.LOSS,
        subject=port.name,
        verdict=f"{port.name} is handed more than its link carries, and drops {pps(port.tx_lost_pps)}",
        evidence=(
            Evidence(text=f"it is handed {pps(port.handed_pps or 0.0)}", source=source),
            Evidence(text=f"it sends {pps(sent)}, {percent(sent / line)} of its line rate of {pps(line)}",
                     source=source),
        ),
        lost_pps=port.tx_lost_pps,
        proposal=Remedy(text="a faster port or a bond, or policing where the traffic comes in; longer rings only "
                        "delay the drops"),
        expectation=Expectation(text="no change of VPP gives more on this link", basis=Basis.COMPUTED),
        disproof="the frames are smaller than assumed, so that the link is not full",
    )  # fmt: skip


def find_not_tuning(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per reason; what ends in a node of `_DROP_NODES` counts as far as no reason explains it.

    Packets are dropped for what they are or where they go. No tuning helps; the hint names where to look.
    """
    seen: dict[str, float] = {}
    for why, rates in _explained(situation.load):
        lost = sum(rate.per_s or 0.0 for rate in rates)
        if lost >= FAULT_PPS and (why.is_known or lost >= max(DROPS_PPS, DROP_SHARE * situation.load.rx_pps)):
            seen[why.hint] = lost
            yield _fault_finding(_nodes(rates), _reasons(rates), lost, why, situation, "errors")
    stuck = list(_stuck_outputs(situation)) if not seen else []
    for name, lost in stuck:
        seen[DOWN] = seen.get(DOWN, 0.0) + lost
        why = DropReason(hint=DOWN, meaning=Meaning.LOSS)
        yield _fault_finding([name], "packets that it does not send", lost, why, situation, "threads")
    for name, hint in _DROP_NODES.items():
        passed = _passed(name, situation)
        if situation.load.rx_pps:  # the rest are ICMP errors that VPP itself sends about packets, and finds no way for
            passed = min(passed, situation.load.rx_pps)
        lost = passed - sum(seen.values())
        noise = max(FAULT_PPS, _WORTH_A_LOSS * situation.load.rx_pps)
        if lost >= max(noise, _UNEXPLAINED * passed) and hint not in seen:
            why = DropReason(hint=hint, meaning=Meaning.LOSS)
            yield _fault_finding([name], "its packets", lost, why, situation, "threads")

    if not seen:
        yield from _since_the_beginning(situation)


def _stuck_outputs(situation: Situation) -> Iterator[tuple[str, float]]:
    """Yield the output nodes that send nothing of what they are handed, as those of an interface that is down do.

    The row of the sending node is known to be missing where the table goes on behind the place of its name.
    """
    threads = [thread for thread in situation.load.threads if thread.nodes]
    senders = {node.name for thread in threads for node in thread.nodes}
    for thread in threads:
        last = thread.nodes[-1].name
        dropped = thread.by_name["error-drop"].vectors if "error-drop" in thread.by_name else 0
        for node in thread.nodes:
            sender = node.name.removesuffix("-output") + "-tx"
            is_port = node.name.endswith("-output") and node.name not in {"l2-output", "interface-output"}
            if is_port and sender not in senders and sender < last and dropped >= _UNEXPLAINED * node.vectors:
                rate = thread.per_s(min(node.vectors, dropped))
                if rate >= DROPS_PPS:
                    yield node.name, rate


def _since_the_beginning(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per reason of a single reading, whose counters began at a time that nothing shows.

    Drops without a reason are no loss yet: they may be packets that were not meant for this router.
    """
    load = situation.load
    if load.duration_s is not None:
        return
    explained = 0
    received = sum(port.counters.rx_packets for port in load.ports if port.counters)
    for why, rates in _explained(load):
        lost = sum(rate.count for rate in rates)
        explained += lost
        if lost >= (FAULTS_WORTH_A_WORD if why.is_known else max(MANY_PACKETS, DROP_SHARE * received)):
            yield _old_fault_finding(_nodes(rates), _reasons(rates), lost, received, why, situation, "errors")
    for port in load.ports:
        drops = port.counters.drops if port.counters else 0
        if drops - explained >= MANY_PACKETS and drops - explained >= DROP_SHARE * port.drops_of:
            why = DropReason(hint=_why_dropped(load, explained), meaning=Meaning.LOSS)
            yield _old_fault_finding([port.name], "drops", drops, port.drops_of, why, situation, "interfaces")


def _explained(load: Load) -> Iterator[tuple[DropReason, list[ErrorRate]]]:
    """Yield the reasons of drops with their counters; what has a rule of its own is not among them."""
    for why, rates in load.drops.items():
        others = [rate for rate in rates if not _has_a_rule(rate)]
        if others:
            yield why, others


def _has_a_rule(rate: ErrorRate) -> bool:
    return is_no_buffer(rate) or is_handoff_drop(rate) or exhausted(rate) is not None or is_ring_full(rate.reason)


def _nodes(rates: Sequence[ErrorRate]) -> list[str]:
    """Return the nodes of counters, each once."""
    return list(dict.fromkeys(rate.node for rate in rates))


def _reasons(rates: Sequence[ErrorRate]) -> str:
    """Return the words of counters, each once."""
    return ", ".join(dict.fromkeys(f"`{rate.reason}`" for rate in rates))


def _why_dropped(load: Load, explained: int) -> str:
    """Return where to look for the reason of drops; a port that is down is one, and no proof."""
    down = [port.name for port in load.ports if port.counters and port.counters.is_up is False]
    why = f"reasons were counted for {count(explained)} of them" if explained else "`show errors` shows why"
    return why + (f"; {', '.join(down)} is down, which may be it" if down else "")


def _old_fault_finding(
    subjects: Sequence[str], what: str, lost: int, received: int, why: DropReason, situation: Situation, part: str
) -> Finding:
    is_explained = part == "errors"
    share = lost / received if received else 0.0 if why.meaning is Meaning.FOREIGN else _share_of_seen(lost, situation)
    is_much = is_explained and lost >= MANY_PACKETS and share >= (_MOST if why.meaning is Meaning.FOREIGN else SURELY)
    of_all = f" of {count(received)} ({percent(lost / received)})" if received else ""
    return Finding(
        rule="not-tuning",
        severity=_SEVERITIES[why.meaning] if is_much else FindingSeverity.NOTICE,
        subject=subjects[0],
        verdict=f"{_named(subjects)} {'has' if len(subjects) == 1 else 'have'} dropped {packets(lost)}{of_all}"
                f"{_that(why) if is_explained else _UNREAD}: {why.hint}",
        evidence=(
            Evidence(text=f"{what}: {count(lost)}{of_all} since the counters began",
                     source=situation.load.reading.source(part)),
        ),
        proposal=Remedy(text=_LOOKS.get(why, _LOOK)),
        expectation=Expectation(
            text="nothing in startup.conf changes this" if is_explained and why.is_known
            else "what helps depends on the reason",
            basis=Basis.COMPUTED if is_explained and why.is_known else Basis.GUESS,
        ),
        disproof="the counter does not grow any more",
        undecided="" if why.meaning is Meaning.ASKED_FOR else "whether it goes on: read it twice",
    )  # fmt: skip


def _share_of_seen(lost: int, situation: Situation) -> float:
    """Return the share of drops in the packets that a counter has seen pass; all of them where none has."""
    dropping = {rate for rates in situation.load.drops.values() for rate in rates}
    seen = max((rate.count for rate in situation.load.errors if rate not in dropping), default=0)
    return lost / max(seen, lost)


def _named(subjects: Sequence[str]) -> str:
    if len(subjects) > 2:
        return f"{subjects[0]} and {len(subjects) - 1} other nodes"
    return " and ".join(subjects)


def _that(why: DropReason) -> str:
    return " that no tuning can save" if why.is_known else ""


def asked_for(load: Load) -> tuple[float, int]:
    """Return the packets that filters and limits of the configuration drop: per second, and in total."""
    meant = (Meaning.ASKED_FOR, Meaning.LIMIT)
    rates = [rate for why, found in load.drops.items() if why.meaning in meant for rate in found]
    return sum(rate.per_s or 0.0 for rate in rates), sum(rate.count for rate in rates)


def _passed(node: str, situation: Situation) -> float:
    """Return packets per second that pass a node, on all threads."""
    threads = [thread for thread in situation.load.threads if node in thread.by_name]
    return sum(thread.per_s(thread.by_name[node].vectors) for thread in threads)


def _fault_finding(
    nodes: Sequence[str], what: str, lost: float, why: DropReason, situation: Situation, part: str
) -> Finding:
    received = situation.load.rx_pps
    share = lost / received if received else 0.0
    of_all = f", {percent(share)} of the {pps(received)} that come in" if received else ""
    is_much = lost >= DROPS_PPS and share >= (_MOST if why.meaning is Meaning.FOREIGN else _WORTH_A_LOSS)
    return Finding(
        rule="not-tuning",
        severity=_SEVERITIES[why.meaning] if is_much else FindingSeverity.NOTICE,
        subject=nodes[0],
        verdict=f"{_named(nodes)} {'drops' if len(nodes) == 1 else 'drop'} {pps(lost)}{_that(why)}: {why.hint}",
        evidence=(Evidence(text=f"{what}: {pps(lost)}{of_all}", source=situation.load.reading.source(part)),),
        lost_pps=lost,
        proposal=Remedy(text=_LOOKS.get(why, _LOOK)),
        expectation=Expectation(text="nothing in startup.conf changes this", basis=Basis.COMPUTED)
        if why.is_known
        else Expectation(text="what helps depends on the reason", basis=Basis.GUESS),
        disproof="the same packets pass through another router",
    )


def healthy_finding(situation: Situation) -> Finding:
    """Return the finding for a dataplane that was shown to lose nothing and to be at no limit."""
    busy = situation.load.forwarding
    evidence = [
        Evidence(text=f"{thread.name} forwards {pps(thread.rx_pps)} with {thread.n_graph:.2f} packets per call "
                 "(256 is full)", source=nodes_source(situation))
        for thread in busy
    ]  # fmt: skip
    evidence += [
        Evidence(text=f"{trial.frame}: {pps(trial.received_pps)} of {pps(trial.offered_pps)} come back, "
                 f"{percent(1 - trial.loss)}", source="--trial")
        for trial in situation.trials if trial.loss <= 1 - OFFERED_SHARE
    ]  # fmt: skip
    if situation.load_note:
        evidence.append(Evidence(text=situation.load_note, source="the fitted model"))
    return Finding(
        rule="healthy",
        severity=FindingSeverity.GOOD,
        subject="VPP",
        verdict="nothing is lost and nothing is at its limit",
        evidence=tuple(evidence),
        disproof="" if situation.offered else "a sender counts more packets than VPP receives: give --offered",
    )
