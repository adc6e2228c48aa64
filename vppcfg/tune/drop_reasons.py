"""Reads from the words of a counter of `show errors` whether it counts drops, of what, and whether they are meant.

The words are those of VPP: the `counters` of its *.api files, which have a severity, and the error strings of older
nodes, all of which VPP gives the severity `error`, whatever they count (vlib/error.c, vlib_register_errors).
"""

from __future__ import annotations

import re
from enum import Enum

from vppcfg.record import record


class Meaning(Enum):
    """What drops are, which decides how much they matter."""

    LOSS = "loss"
    LIMIT = "limit"
    """More than a rate or a size that was configured."""
    ASKED_FOR = "asked for"
    """What a filter of the configuration is there for."""
    FOREIGN = "foreign"
    """Packets that were not meant for this router; no loss as long as most packets pass."""


@record
class DropReason:
    """Why packets are dropped."""

    hint: str
    """What they are; the words of the counter where nothing more is known."""
    meaning: Meaning
    is_known: bool = True
    """Whether there is more to say than the counter does."""


_NO_FAULT = re.compile(
    r"^(?:no ?error$|permitted |pass through|l2 replication complete$|pkts w/ no )"
    r"|^ipsec policy (?:protect|bypass|match)$|\bsent$"
    r"|^(?:create exists|link local rw|control plane packet|requested.eviction)$"
    r"|^(?:udp port punt|timed out block)$|^l2 not learned|^sflow "
)
"""What counts no lost packet, whatever else its words look like."""
_DROPPED = re.compile(
    r"drop|\bden(?:y|ied)\b|discard|\berrors?\b|fail|\bbad\b|invalid|(?:lookup|table).miss|\bno\b|\bnot\b|\bnon\b|unknown"
    r"|unsup|unable|\bcan(?:'|no)?t\b|couldn|exceed|expire|mismatch|overflow|\bfull\b|\black\b|down\b|disabled|timeout"
    r"|time in|replay|malform|unexpected|truncat|undersize|oversize|\btoo\b|duplicate|overlap|discrepan|violation"
    r"|ignore|incorrect|wrong|collision|congestion|reached|blackhole|unset|missing|spoof|out of buffer"
)
"""Words of a drop, which go over those of a packet that passes."""
_PASSED = re.compile(
    r"^(?:none|ok|[rt]x|options|accept|dispatch(?:ed)?|completed|clamped|resolved|matched|missed|local flow|remote flow"
    r"|(?:in|out) default|next (?:in2out|out2in)|node-called|restart session timer|same worker|do handoff|l2 uu fwd"
    r"|spi 0|extract|timer|connected|fmask unresolved|fragmented outer packet)$"
    r"|permit|process|\b(?:de|en)queued\b|emulated|translated|redirected"
    r"|\bhits?\b|\bmiss(?:es)?$|\bsent\b|\b[rt]x(?: post)? pkts$|\b[rt]x$|rcvd|receiv|forward"
    r"|transmitted|\b(?:de|en)cap(?:s\b|sulated|$)|learn|\b(?:packets|pkts)(?: |$)|fragments? (?:received|cached)"
    r"|packet fragmented|success|reassembled|throttled|\bgood\b|\bvalid\b|present$|\breq$|requests$|replies"
    r"|session|steered|copied|^copies|keepalive|hand-?off|moves$|resolved$|sa init retransmit$|nsh decap"
)
"""Words of a packet that passes; any other counter of severity error counts drops."""
_OF_ENDPOINTS = re.compile(r"^(?:tcp|session|app-|tls|quic|http)")
"""Nodes that count what becomes of connections to VPP itself."""
DOWN = "packets for an interface that is down"
NO_ROUTE = "packets without a route, or whose route drops them or leads through an interface that is down"
NO_IP4 = "packets on an interface without an IPv4 address"
NO_IP6 = "packets on an interface without an IPv6 address"
_OTHER_MAC = "packets for another MAC address: a switch that floods, or a next hop with an old entry"
_DAMAGED = "packets damaged on their way: cables, optics, or a generator that does not fill checksums in"
_TOO_LARGE = (
    "packets above the MTU of their way that must not be cut; ICMP tells their senders: a larger MTU, or MSS clamping"
)
_ENDS_HERE = "packets whose {} ends here: a routing loop, or traceroute"
_ASKED_FOR, _FOREIGN, _LIMIT, _LOSS = Meaning.ASKED_FOR, Meaning.FOREIGN, Meaning.LIMIT, Meaning.LOSS
POLICED = DropReason(
    hint="packets above the rate of a policer: what it is for, unless the rate is too low", meaning=_LIMIT
)
_KNOWN: tuple[tuple[str, DropReason], ...] = tuple(
    (pattern, DropReason(hint=hint, meaning=meaning))
    for pattern, hint, meaning in (
        (r"policer(?:-input|-output)? packets dropped|punt policer drop|ratelimited", POLICED.hint, _LIMIT),
        (r"mtu exceeded|\bdf set|dont fragment set|can't fragment this", _TOO_LARGE, _LIMIT),
        (r"acl-plugin.*too many sessions",
         "connections for which ACLs have no session left: `connection count max` of the stanza `acl-plugin`", _LOSS),
        (r"acl.*(?:deny|table.miss)|classify (?:action )?drop",
         "packets that an ACL denies: what it is for, unless they are wanted", _ASKED_FOR),
        (r"(?:source|src) lookup miss|urpf drop", "packets that the reverse path filter refuses", _ASKED_FOR),
        (r"\bmap\b.*(?:sec check|security check)",
         "packets that do not fit the rules of MAP: what its check is for, unless a rule is wrong", _ASKED_FOR),
        (r"ipsec policy|port range check bad|non-whitelisted|filter mac drop|loss simulation",
         "packets that a configured filter drops", _ASKED_FOR),
        (r"split horizon|reflection drop", "copies of flooded packets that would go back", _ASKED_FOR),
        (r"\bmap\b.* time exceeded|ttl (?:<= 1|expired)|time expired", _ENDS_HERE.format("TTL"), _LOSS),
        (r"hop limit exceeded", _ENDS_HERE.format("hop limit"), _LOSS),
        (r"multicast rpf|rpf failure", "multicast that comes in where its route does not accept it", _FOREIGN),
        (r"^(?:nat|det44).*(?:no translation|transitory|non-syn)",
         "packets from outside without a session: scans, or sessions that have ended", _FOREIGN),
        (r"\bpunt(?: dpo)?$", "packets for the control plane", _FOREIGN),
        (r"^(?:tcp|session|app-|tls|quic|http)", "packets for VPP itself that it does not take", _FOREIGN),
        (r"^(?:arp-|bfd|dhcp|cdp|dns|igmp|ikev2|ip[46]-icmp|icmp|lacp|linux-cp-arp|lldp|vrrp|ip6-(?:rs|ra|ns|na)-)",
         "control packets that VPP does not take", _FOREIGN),
        (r"checksum", _DAMAGED, _LOSS),
        (r"bad length|length > l2 length", "packets shorter than their length field: a broken sender", _LOSS),
        (r"l3 mac mismatch", _OTHER_MAC, _FOREIGN),
        (r"unknown vlan", "packets with a VLAN that has no sub-interface here", _LOSS),
        (r"subinterface down", "packets for a sub-interface that is down", _LOSS),
        (r"interface (?:is )?down", DOWN, _LOSS),
        (r"no route|blackholed", NO_ROUTE, _LOSS),
        (r"unknown ethernet type|unknown ip protocol", "packets of a protocol that is not configured here", _FOREIGN),
        (r"ip4 not enabled", NO_IP4, _LOSS),
        (r"ip6 not enabled", NO_IP6, _LOSS),
        (r"null-node", "packets that nothing handles", _LOSS),
    )
)  # fmt: skip
"""What a node and its counter match, with `_` as blanks and in lower case, and what to look for."""


def drop_reason(node: str, reason: str, severity: str = "") -> DropReason | None:
    """Return why the packets of a counter are dropped; None for one that counts no drops.

    `severity` is what VPP prints of it; it is empty where none was read.
    """
    words = reason.lower().replace("_", " ")
    if severity == "info" or _NO_FAULT.search(words) or (not severity and _OF_ENDPOINTS.match(node)):
        return None
    if _PASSED.search(words) and not _DROPPED.search(words):
        return None
    text = f"{node.lower()} {words}"
    return next(
        (known for pattern, known in _KNOWN if re.search(pattern, text)),
        DropReason(hint=reason, meaning=_LOSS, is_known=False),
    )
