"""Rules about the traffic itself: full links, packets that no tuning can save, and a load in which all is well."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.rates import count, packets, percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, FindingSeverity, Remedy
from vppcfg.tune.load import ErrorRate, Load, PortLoad
from vppcfg.tune.rule_context import Situation, nodes_source
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
_DOWN = "packets for an interface that is down"
NO_ROUTE = "packets without a route, or whose route drops them or leads through an interface that is down"
_OTHER_MAC = "packets for another MAC address: a switch that floods, or a next hop with an old entry"
_NOT_SPOKEN = "packets of a protocol that is not configured here"
_REFUSED = "packets that the reverse path filter refuses"
_DENIED = "packets that an ACL denies: what it is for, unless they are wanted"
_POLICED = "packets above the rate of a policer: what it is for, unless the rate is too low"
FAULTS: tuple[tuple[str, str], ...] = (
    ("ttl <= 1", "packets whose TTL ends here: a routing loop, or traceroute"),
    ("time_expired", "packets whose TTL ends here: a routing loop, or traceroute"),
    ("hop limit", "packets whose hop limit ends here: a routing loop, or traceroute"),
    ("checksum", "packets damaged on their way: cables, optics, or a generator that does not fill checksums in"),
    ("bad_length", "packets shorter than their length field: a broken sender"),
    ("length > l2 length", "packets shorter than their length field: a broken sender"),
    ("l3 mac mismatch", _OTHER_MAC),
    ("l3_mac_mismatch", _OTHER_MAC),
    ("unknown vlan", "packets with a VLAN that has no sub-interface here"),
    ("unknown_vlan", "packets with a VLAN that has no sub-interface here"),
    ("subinterface down", "packets for a sub-interface that is down"),
    ("interface is down", _DOWN),
    ("no route", NO_ROUTE),
    ("blackholed", NO_ROUTE),
    ("unknown ethernet type", _NOT_SPOKEN),
    ("unknown ip protocol", _NOT_SPOKEN),
    ("source_lookup_miss", _REFUSED),
    ("source lookup miss", _REFUSED),
    ("acl deny", _DENIED),
    ("policer-input packets dropped", _POLICED),
    ("policer-output packets dropped", _POLICED),
    ("punt policer drop", _POLICED),
    ("ip4 not enabled", "packets on an interface without an IPv4 address"),
    ("ip6 not enabled", "packets on an interface without an IPv6 address"),
    ("null-node", "packets that nothing handles"),
)
"""Part of a counter's reason or node, in lower case, and what to look for (VPP: the foreach_*_error lists)."""
_LOOK = "`trace add NODE 10` on the input node and `show trace` show which packets they are"
_LOOKS = {_POLICED: "`show policer` has its rate and what it counts; a higher rate, or none, if the packets are wanted"}
_NO_LOSS = {_OTHER_MAC, _NOT_SPOKEN, _REFUSED, _DENIED}
"""Packets that were not meant for this router, or that it is to drop; no loss as long as most packets pass."""
_DROP_NODES = {
    "ip4-not-enabled": "packets on an interface without an IPv4 address",
    "ip6-not-enabled": "packets on an interface without an IPv6 address",
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
    for rate in situation.load.errors:
        hint, lost = hint_for(rate), rate.per_s or 0.0
        if hint and lost >= FAULT_PPS and hint not in seen:
            seen[hint] = lost
            yield _fault_finding(rate.node, f"`{rate.reason}`", lost, hint, situation, "errors")
    stuck = list(_stuck_outputs(situation)) if not seen else []
    for name, lost in stuck:
        seen[_DOWN] = seen.get(_DOWN, 0.0) + lost
        yield _fault_finding(name, "packets that it does not send", lost, _DOWN, situation, "threads")
    for name, hint in _DROP_NODES.items():
        passed = _passed(name, situation)
        if situation.load.rx_pps:  # the rest are ICMP errors that VPP itself sends about packets, and finds no way for
            passed = min(passed, situation.load.rx_pps)
        lost = passed - sum(seen.values())
        noise = max(FAULT_PPS, _WORTH_A_LOSS * situation.load.rx_pps)
        if lost >= max(noise, _UNEXPLAINED * passed) and hint not in seen:
            yield _fault_finding(name, "its packets", lost, hint, situation, "threads")

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
    seen: set[str] = set()
    explained = 0
    received = sum(port.counters.rx_packets for port in load.ports if port.counters)
    for rate in load.errors:
        hint = hint_for(rate)
        explained += rate.count if hint else 0
        if hint and hint not in seen and rate.count >= FAULTS_WORTH_A_WORD:
            seen.add(hint)
            yield _old_fault_finding(rate.node, f"`{rate.reason}`", rate.count, received, hint, situation, "errors")
    for port in load.ports:
        drops = port.counters.drops if port.counters else 0
        if drops - explained >= MANY_PACKETS and drops - explained >= DROP_SHARE * port.drops_of:
            yield _old_fault_finding(port.name, "drops", drops, port.drops_of, _why_dropped(load, explained), situation,
                                     "interfaces")  # fmt: skip


def _why_dropped(load: Load, explained: int) -> str:
    """Return where to look for the reason of drops; a port that is down is one, and no proof."""
    down = [port.name for port in load.ports if port.counters and port.counters.is_up is False]
    why = f"reasons were counted for {count(explained)} of them" if explained else "`show errors` shows why"
    return why + (f"; {', '.join(down)} is down, which may be it" if down else "")


def _old_fault_finding(
    subject: str, what: str, lost: int, received: int, hint: str, situation: Situation, part: str
) -> Finding:
    share = lost / received if received else 0.0 if hint in _NO_LOSS else 1.0
    is_explained = part == "errors"
    is_loss = is_explained and lost >= MANY_PACKETS and share >= (_UNEXPLAINED if hint in _NO_LOSS else SURELY)
    of_all = f" of {count(received)} ({percent(lost / received)})" if received else ""
    why = "that no tuning can save" if is_explained else "for a reason that was not read"
    return Finding(
        rule="not-tuning",
        severity=_severity(hint) if is_loss else FindingSeverity.NOTICE,
        subject=subject,
        verdict=f"{subject} has dropped {packets(lost)}{of_all} {why}: {hint}",
        evidence=(
            Evidence(text=f"{what}: {count(lost)}{of_all} since the counters began",
                     source=situation.load.reading.source(part)),
        ),
        proposal=Remedy(text=_LOOKS.get(hint, _LOOK)),
        expectation=Expectation(
            text="nothing in startup.conf changes this" if is_explained else "what helps depends on the reason",
            basis=Basis.COMPUTED if is_explained else Basis.GUESS,
        ),
        disproof="the counter does not grow any more",
        undecided="whether it goes on: read it twice",
    )  # fmt: skip


def _severity(hint: str) -> FindingSeverity:
    """Return how much many such packets matter: a policer is a configured limit, what an ACL denies is meant."""
    return {_POLICED: FindingSeverity.LIMIT, _DENIED: FindingSeverity.NOTICE}.get(hint, FindingSeverity.LOSS)


def denied_pps(load: Load) -> float:
    """Return how many packets per second ACLs deny."""
    return sum(rate.per_s or 0.0 for rate in load.errors if hint_for(rate) == _DENIED)


def _passed(node: str, situation: Situation) -> float:
    """Return packets per second that pass a node, on all threads."""
    threads = [thread for thread in situation.load.threads if node in thread.by_name]
    return sum(thread.per_s(thread.by_name[node].vectors) for thread in threads)


def hint_for(rate: ErrorRate) -> str:
    """Return what a counter points at, empty for one that is no fault of the traffic."""
    text = f"{rate.node} {rate.reason}".lower()
    return next((hint for words, hint in FAULTS if words in text), "")


def _fault_finding(node: str, what: str, lost: float, hint: str, situation: Situation, part: str) -> Finding:
    received = situation.load.rx_pps
    share = lost / received if received else 0.0
    of_all = f", {percent(share)} of the {pps(received)} that come in" if received else ""
    is_loss = lost >= DROPS_PPS and share >= (_UNEXPLAINED if hint in _NO_LOSS else _WORTH_A_LOSS)
    return Finding(
        rule="not-tuning",
        severity=_severity(hint) if is_loss else FindingSeverity.NOTICE,
        subject=node,
        verdict=f"{node} drops {pps(lost)} that no tuning can save: {hint}",
        evidence=(Evidence(text=f"{what}: {pps(lost)}{of_all}", source=situation.load.reading.source(part)),),
        lost_pps=lost,
        proposal=Remedy(text=_LOOKS.get(hint, _LOOK)),
        expectation=Expectation(text="nothing in startup.conf changes this", basis=Basis.COMPUTED),
        disproof="the same packets pass through another router",
    )  # fmt: skip


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
