"""not-tuning: packets are dropped for what they are or where they go. No tuning helps; the hint says where to look."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import percent, pps
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import ErrorRate
from vppcfg.tune.situation import Situation
from vppcfg.tune.thresholds import FAULT_PPS

RULE = "not-tuning"
_UNEXPLAINED = 0.5
"""Ours: the rest of a drop node is worth a word when it is this share of what passes there; replies end there too."""
_WORTH_A_LOSS = 1e-3
"""Ours: share of all packets from which on faults are more than the noise of any network."""
FAULTS: tuple[tuple[str, str], ...] = (
    ("ttl <= 1", "packets whose TTL ends here: a routing loop, or traceroute"),
    ("time_expired", "packets whose TTL ends here: a routing loop, or traceroute"),
    ("hop limit", "packets whose hop limit ends here: a routing loop, or traceroute"),
    ("checksum", "packets damaged on their way: cables, optics, or a generator that does not fill checksums in"),
    ("bad_length", "packets shorter than they say: a broken sender"),
    ("length > l2 length", "packets shorter than they say: a broken sender"),
    ("l3 mac mismatch", "packets for another MAC address: a switch that floods, or a next hop with an old entry"),
    ("l3_mac_mismatch", "packets for another MAC address: a switch that floods, or a next hop with an old entry"),
    ("unknown vlan", "packets with a VLAN that has no sub-interface here"),
    ("unknown_vlan", "packets with a VLAN that has no sub-interface here"),
    ("subinterface down", "packets for a sub-interface that is down"),
    ("interface is down", "packets for an interface that is down"),
    ("no route", "packets without a route"),
    ("unknown ethernet type", "packets of a protocol that is not configured here"),
    ("unknown ip protocol", "packets of a protocol that is not configured here"),
    ("source_lookup_miss", "packets that the reverse path filter refuses"),
    ("acl deny", "packets that an ACL denies: what it is for, unless they are wanted"),
    ("ip4 not enabled", "packets on an interface without an IPv4 address"),
    ("ip6 not enabled", "packets on an interface without an IPv6 address"),
    ("null-node", "packets that nothing handles"),
)
"""Part of a counter's reason or node, in lower case, and what to look for (VPP: the foreach_*_error lists)."""
_NODES = {
    "ip4-not-enabled": "packets on an interface without an IPv4 address",
    "ip6-not-enabled": "packets on an interface without an IPv6 address",
    "ip4-drop": "packets without a route, or with one that drops",
    "ip6-drop": "packets without a route, or with one that drops",
}
"""Nodes that only packets pass that are dropped there, for releases that count no reason."""


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per reason; what ends in a node of `_NODES` counts as far as no reason explains it."""
    seen: dict[str, float] = {}
    for rate in situation.load.errors:
        hint, lost = hint_for(rate), rate.per_s or 0.0
        if hint and lost >= FAULT_PPS and hint not in seen:
            seen[hint] = lost
            yield _finding(rate.node, f"`{rate.reason}`", lost, hint, situation, "errors")
    for name, hint in _NODES.items():
        passed = _passed(name, situation)
        if situation.load.rx_pps:  # the rest are ICMP errors that VPP itself sends about packets, and finds no way for
            passed = min(passed, situation.load.rx_pps)
        lost = passed - sum(seen.values())
        if lost >= max(FAULT_PPS, _UNEXPLAINED * passed) and hint not in seen:
            yield _finding(name, "its packets", lost, hint, situation, "threads")


def _passed(node: str, situation: Situation) -> float:
    """Return packets per second that pass a node, on all threads."""
    threads = [thread for thread in situation.load.threads if node in thread.by_name]
    return sum(thread.by_name[node].vectors / thread.duration_s for thread in threads)


def hint_for(rate: ErrorRate) -> str:
    """Return what a counter points at, empty for one that is no fault of the traffic."""
    text = f"{rate.node} {rate.reason}".lower()
    return next((hint for words, hint in FAULTS if words in text), "")


def _finding(node: str, what: str, lost: float, hint: str, situation: Situation, part: str) -> Finding:
    received = situation.load.rx_pps
    share = lost / received if received else 0.0
    of_all = f", {percent(share)} of what is received" if received else ""
    return Finding(
        rule=RULE,
        severity=Severity.LOSS if share >= _WORTH_A_LOSS else Severity.NOTICE,
        subject=node,
        verdict=f"{node} drops {pps(lost)} that no tuning can save: {hint}",
        evidence=(Evidence(text=f"{what} grow by {pps(lost)}{of_all}", source=situation.load.reading.source(part)),),
        lost_pps=lost,
        proposal=Proposal(text="`trace add NODE 10` on the input node and `show trace` tell which packets they are",
                          live=()),
        expectation=Expectation(text="nothing in startup.conf changes this", basis=Basis.COMPUTED),
        disproof="the same packets pass through another router",
    )  # fmt: skip
