"""Reads the text of `show trace`, VPP's tracer: the steps that a frame took, and where it ended.

Its grammar is that of format_vlib_trace in src/vlib/trace.c; what each node prints stands with the node. Copies of a
frame, as a bridge domain makes them, are one packet in the trace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field

from vppcfg.model.tunnel import TUNNEL_KINDS
from vppcfg.probe.filters import FILTER_DROPS, SOURCE_CHECK
from vppcfg.probe.frame import Tag
from vppcfg.probe.nat import NAT_DROPS, NAT_NODES
from vppcfg.probe.outcome import Fate, FrameEnd, Reason
from vppcfg.probe.rate_limits import POLICER_DROPS
from vppcfg.record import record

_PACKET = re.compile(r"^Packet \d+$", re.MULTILINE)
_NODE = re.compile(r"^\d+:\d\d:\d\d:\d+: (\S+)$", re.MULTILINE)
_STREAM = re.compile(r"^\s*stream (\S+?),", re.MULTILINE)
_INDEX = re.compile(r"sw_if_index:? (\d+)")
_ADJACENCY = re.compile(r" via \S+ (\S+): mtu:")
_FIB = re.compile(r"fib (\d+) ")
_ETHERNET = re.compile(r"\S+: ([0-9a-f:]{17}) -> ([0-9a-f:]{17})(.*)")
_VLAN = re.compile(r"802\.1(q|ad) vlan (\d+)")
_ADDRESSES = re.compile(r"^\s*\S+: ([0-9a-f.:]+) -> ([0-9a-f.:]+)$", re.MULTILINE)
_ENCRYPTED = re.compile(r"^\s*IPSEC_ESP: ", re.MULTILINE)
_TTL = re.compile(r"(?:ttl|hop limit) (\d+)")
_MATCH = re.compile(r"match: acl (-?\d+) rule (-?\d+)")
_BOND = re.compile(r" (\S+) -> (\S+)$", re.MULTILINE)
_MIRRORED = re.compile(r"SPAN: mirrored (\S+) -> (\S+)")
_TUNNEL = re.compile(r"tunnel:? ?(\d+)")
_NAMED_TUNNEL = re.compile(r"VXLAN (?:decap from|encap to) (\S+) vni")
_DROP = re.compile(r"^\s*(\S+): (.+)$", re.MULTILINE)
_SENDING = re.compile(r"^\s*(\S+) flags 0x[0-9a-f]+$", re.MULTILINE)
_CLASS = re.compile(r"qos:(\d+)")
_MARK = re.compile(r"qos:(\d+) used:yes")
_POLICER = re.compile(r"sw_if_index (\d+) .* policer_index (-?\d+)")
_REDIRECTED = "via redirect:"
_FLOOD = "l2-flood"
_REPLY = re.compile(r"^\s*reply, type ethernet/IP4.*\n\s*([0-9a-f:]{17})/(\S+) -> ", re.MULTILINE)
_RELAY = "dhcp-proxy-to-server"
_COPYING = frozenset({_FLOOD, _RELAY})
_ASKING = ("ip4-glean", "ip4-arp", "ip6-glean", "ip6-discover-neighbor")
_RELAYED = re.compile(r"sent to server (\S+)\n(?!  error).*? gateway:(\S+)", re.DOTALL)
_LAST = (Fate.KEPT, Fate.PUNTED, Fate.ANSWERED, Fate.ASKED, Fate.REFUSED)
"""What follows in a trace is what VPP does because of the frame."""

_TUNNEL_INPUTS = frozenset(f"{kind.node_prefix}{family}-input" for kind in TUNNEL_KINDS for family in (4, 6))
REASONS: tuple[tuple[str, str, Reason], ...] = (
    ("", "interface is down", Reason.DOWN),
    ("", "subinterface down", Reason.DOWN),
    ("bond-input", "interface down", Reason.DOWN),
    ("", "unknown vlan", Reason.NO_VLAN),
    ("", "l3 mac mismatch", Reason.OTHER_MAC),
    *FILTER_DROPS,
    *POLICER_DROPS,
    *NAT_DROPS,
    ("", "Filter Mac Drop", Reason.FILTERED),
    ("", "L2 filter mac drops", Reason.FILTERED),
    ("", "Reflection Drop", Reason.REFLECTED),
    ("l2-flood", "L2 replication complete", Reason.NOWHERE),
    ("l2-input-vtr", "", Reason.TAGS),
    ("", "L2 output tag rewrite drops", Reason.TAGS),
    ("", "L2 split horizon drops", Reason.GROUP),
    ("", "blackholed packets", Reason.NO_ROUTE),
    ("null-node", "", Reason.NO_ROUTE),
    *((node, "", Reason.NO_TUNNEL) for node in sorted(_TUNNEL_INPUTS)),
)
"""Which node drops a frame with which words; '' for any. The words are those of the nodes' error strings."""
_COUNTS = (
    "no error",
    "input ACL packets",
    "input ACL hits",
    "input ACL misses",
    "ACL permit packets",
    "new sessions added",
    "existing session packets",
    "checked packets",
    "restart session timer",
)
"""What a node before counted, and VPP prints for a reason where the one that drops gives none."""
_BY_NODE = {
    "ip4-not-enabled": Reason.NOT_ENABLED,
    "ip6-not-enabled": Reason.NOT_ENABLED,
    "ip4-drop": Reason.NO_ROUTE,
    "ip6-drop": Reason.NO_ROUTE,
    "adj-l2-midchain": Reason.TOO_BIG,
    "tunnel-output": Reason.NO_ROUTE,
    "tunnel-output-no-count": Reason.NO_ROUTE,
}
"""Nodes that explain more than their error, as VPP prints that of a node before."""
_STATION_LISTS = frozenset({"ip4-inacl", "ip6-inacl"})
"""These drop what is denied, whatever the words are: VPP before 26.10 exchanges them (a7378bf803e)."""
_REFUSALS = {
    "action:send-unreachable": Reason.UNREACHABLE,
    "action:send-prohibited": Reason.PROHIBITED,
}
"""What ip4-null and ip6-null print (ip_null_action_strings in src/vnet/dpo/ip_null_dpo.c)."""
_DROPPING = frozenset({"ip4-drop", "ip6-drop", "error-drop", "drop"})


@record
class Names:
    """What the numbers in a trace stand for."""

    interfaces: Mapping[int, str]
    """By sw_if_index."""
    tables: Mapping[tuple[int, int], int]
    """Numbers of tables by the family and VPP's own index."""
    access_lists: Mapping[int, str]
    bonds: Mapping[str, str]
    """The bond of each member."""
    policers: Mapping[int, str] = field(default_factory=dict)
    hosts: frozenset[str] = frozenset()
    """VPP's ends of the Linux devices of LCP pairs."""


@record
class Node:
    """One node of VPP's graph that a frame went through, and what it printed."""

    name: str
    text: str


@record
class Observation:
    """What VPP did with a frame."""

    steps: tuple[tuple[str, str, str], ...]
    ends: frozenset[FrameEnd]
    nodes: tuple[Node, ...] = ()
    """The way as VPP reports it, for people."""
    unknown: tuple[str, ...] = ()
    """What VPP gave as the reason of a drop, where no reason is known by it."""


def is_whole(observation: Observation) -> bool:
    """Return whether VPP's tracer followed a frame all the way; now and then it loses sight of one, or of a part."""
    names = {"null-node", *(node.name for node in observation.nodes)}  # which drops unused packets without a counter
    if not observation.ends or "ethernet-input" not in names:
        return False
    dropped = next((node for node in observation.nodes if node.name in ("drop", "punt")), None)
    return dropped is None or any(found[1] in names for found in _DROP.finditer(dropped.text))


def packets(text: str) -> Iterator[tuple[str, tuple[Node, ...]]]:
    """Yield the name of the stream and the nodes of each packet in the output of `show trace`."""
    for part in _PACKET.split(text)[1:]:
        nodes = list(_nodes(part.partition("------------------- Start")[0]))
        stream = _STREAM.search(nodes[0].text) if nodes else None
        if stream is not None:
            yield stream[1], tuple(nodes)


def _nodes(part: str) -> Iterator[Node]:
    starts = list(_NODE.finditer(part))
    for start, following in zip(starts, [*starts[1:], None], strict=False):
        yield Node(name=start[1], text=part[start.end() : following.start() if following else len(part)].strip("\n"))


def observe_path(nodes: tuple[Node, ...], names: Names) -> Observation:
    """Return what happened to a frame, up to where it ended; what VPP sends because of it is not its way."""
    steps: list[tuple[str, str, str]] = []
    ends: list[FrameEnd] = []
    unknown: list[str] = []
    by_node: dict[str, list[FrameEnd]] = {}
    for position, node in enumerate(nodes):
        for step in _steps(node, names):
            steps.append(step)
        for end in _ends(node, nodes[position + 1 :], names):
            ends.append(end)
            by_node.setdefault(node.name, []).append(end)
        has_copies = any(each.name in _COPYING for each in nodes[:position])
        if not has_copies and any(end.fate in _LAST for end in ends):
            break
        if node.name in ("drop", "punt"):
            for where, drop in _drops(node, nodes[:position], unknown):
                is_of_mirror = where.endswith("-output") and where not in by_node
                if drop.reason is Reason.DOWN and is_of_mirror and any(step[0] == "mirrored" for step in steps):
                    continue
                if drop.reason is Reason.DOWN:
                    ends = [each for each in ends if each not in by_node.get(where, ())]
                ends.append(drop)
    return Observation(steps=tuple(steps), ends=frozenset(ends), nodes=nodes, unknown=tuple(unknown))


def _steps(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
    reader = _READERS.get(node.name)
    if reader is not None:
        yield from reader(node, names)
    elif node.name.startswith("acl-plugin-"):
        yield from _acl(node, names)
    elif SOURCE_CHECK in node.name:
        yield "checked", "", ""
    elif node.name.endswith("-output"):
        for name, text in _sendings(node):
            yield "sent", name, ""
            for found in _REPLY.finditer(text):
                yield "answered", "", f"{found[2]} {found[1]}"


def _interface(pattern: re.Pattern[str], kind: str) -> Callable[[Node, Names], Iterator[tuple[str, str, str]]]:
    def read(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
        for found in pattern.finditer(node.text):
            yield kind, names.interfaces.get(int(found[1]), ""), ""

    return read


def _plain(kind: str) -> Callable[[Node, Names], Iterator[tuple[str, str, str]]]:
    def read(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
        yield kind, "", ""

    return read


def _lookup(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
    if found := _FIB.search(node.text):
        family = int(node.name[2])
        table = names.tables.get((family, int(found[1])))
        yield "looked up", str(family), "" if table is None else str(table)


def _acl(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
    index, match = _INDEX.search(node.text), _MATCH.search(node.text)
    if index and match and int(match[1]) in names.access_lists:
        direction = "input" if "-in-" in node.name else "output"
        detail = f"{direction} {names.access_lists[int(match[1])]} {match[2]}"
        yield "filtered", names.interfaces.get(int(index[1]), ""), detail


def _adjacent(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
    if found := _ADJACENCY.search(node.text):
        yield "rewritten", found[1], ""


def _bonded(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
    if found := _BOND.search(node.text):
        yield "bonded", found[2], ""


def _mirrored(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
    for found in _MIRRORED.finditer(node.text):
        yield "mirrored", found[1], found[2]


def _tunnel(kind: str) -> Callable[[Node, Names], Iterator[tuple[str, str, str]]]:
    def read(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
        if found := _NAMED_TUNNEL.search(node.text):
            yield kind, found[1], ""
        elif _TUNNEL.search(node.text):
            yield kind, "", ""

    return read


def _class(kind: str) -> Callable[[Node, Names], Iterator[tuple[str, str, str]]]:
    def read(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
        if found := _CLASS.search(node.text):
            yield kind, "", found[1]

    return read


def _marked(target: str) -> Callable[[Node, Names], Iterator[tuple[str, str, str]]]:
    def read(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
        if found := _MARK.search(node.text):
            yield "marked", "", f"{target} {found[1]}"

    return read


def _policed(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
    """Yield the policer of a packet: by its name where it is one of files, else by its number; '' for none."""
    if found := _POLICER.search(node.text):
        number = int(found[2])
        policer = names.policers.get(number, str(number)) if number >= 0 else ""
        yield "policed", names.interfaces.get(int(found[1]), ""), policer


def _redirected(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
    if _REDIRECTED in node.text:
        yield "redirected", "", ""


def _relayed(node: Node, names: Names) -> Iterator[tuple[str, str, str]]:
    for found in _RELAYED.finditer(node.text):
        yield "relayed", "", f"{found[1]} from {found[2]}"


_READERS: dict[str, Callable[[Node, Names], Iterator[tuple[str, str, str]]]] = {
    "bond-input": _bonded,
    "l2-input": _interface(_INDEX, "switched"),
    "l2-input-vtr": _plain("retagged"),
    "span-input": _mirrored,
    "span-output": _mirrored,
    **dict.fromkeys(("ip4-input", "ip4-input-no-checksum", "ip6-input"), _plain("routed")),
    **dict.fromkeys(("ip4-lookup", "ip6-lookup"), _lookup),
    **dict.fromkeys(NAT_NODES, _plain("translated")),
    **dict.fromkeys(("abf-input-ip4", "abf-input-ip6"), _plain("steered")),
    **dict.fromkeys(("l3xc-input-ip4", "l3xc-input-ip6"), _plain("crossed")),
    **dict.fromkeys(("ip4-qos-record", "ip6-qos-record"), _class("recorded")),
    **dict.fromkeys(("ip4-qos-store", "ip6-qos-store"), _class("stored")),
    **dict.fromkeys(("ip4-qos-mark", "ip6-qos-mark"), _marked("ip")),
    **dict.fromkeys(("vlan-ip4-qos-mark", "vlan-ip6-qos-mark"), _marked("vlan")),
    **dict.fromkeys(("ip4-policer-classify", "ip6-policer-classify", "l2-policer-classify"), _policed),
    _RELAY: _relayed,
    **dict.fromkeys(("ip4-punt-redirect", "ip6-punt-redirect"), _redirected),
    **dict.fromkeys(("ip4-receive", "ip6-receive"), _plain("received")),
    **dict.fromkeys(_ASKING, _plain("looked for")),
    **dict.fromkeys(("ip4-rewrite", "ip6-rewrite", "ip4-midchain", "ip6-midchain"), _adjacent),
    **dict.fromkeys(_TUNNEL_INPUTS, _tunnel("unwrapped")),
    **dict.fromkeys(("vxlan4-encap", "vxlan6-encap"), _tunnel("wrapped")),
}
"""By the name of a node: what makes steps of the text that it prints."""


def _goes_on(node: Node) -> bool:
    """Return whether a node sends on what the router has received: out of a tunnel, or to a redirect or server."""
    if node.name == _RELAY:
        return _RELAYED.search(node.text) is not None
    return node.name in _TUNNEL_INPUTS or (node.name.endswith("-punt-redirect") and _REDIRECTED in node.text)


def _sendings(node: Node) -> Iterator[tuple[str, str]]:
    """Yield each interface by which a node sends a frame or a copy of it, and what it prints of that."""
    starts = list(_SENDING.finditer(node.text))
    for start, following in zip(starts, [*starts[1:], None], strict=False):
        yield start[1], node.text[start.end() : following.start() if following else len(node.text)]


def _ends(node: Node, rest: tuple[Node, ...], names: Names) -> Iterator[FrameEnd]:
    if node.name in ("ip4-receive", "ip6-receive") and not any(_goes_on(each) for each in rest):
        yield FrameEnd(fate=Fate.KEPT)
    elif node.name in _ASKING:
        yield FrameEnd(fate=Fate.ASKED)
    elif node.name in ("ip4-null", "ip6-null"):
        reasons = (reason for words, reason in _REFUSALS.items() if words in node.text)
        yield from (FrameEnd(fate=Fate.REFUSED, reason=reason) for reason in reasons)
    elif node.name in ("ip4-icmp-error", "ip6-icmp-error"):
        yield FrameEnd(fate=Fate.ANSWERED)
    elif node.name.endswith("-output"):
        for name, text in _sendings(node):
            if name not in names.bonds:
                yield FrameEnd(fate=Fate.PUNTED) if name in names.hosts else _sent(name, text)


def _sent(name: str, text: str) -> FrameEnd:
    ethernet = _ETHERNET.search(text)
    below = text[ethernet.end() :] if ethernet is not None else text
    addresses, ttl = _ADDRESSES.search(below), _TTL.search(below)
    tags = None
    if ethernet is not None:
        is_dot1ad = " 802.1ad " in ethernet[3]
        vlans = [int(found[2]) for found in _VLAN.finditer(ethernet[3])]
        tags = tuple(Tag(vlan=vlan, is_dot1ad=is_dot1ad and not place) for place, vlan in enumerate(vlans))
    return FrameEnd(
        fate=Fate.SENT,
        interface=name,
        tags=tags,
        destination_mac=ethernet[2] if ethernet is not None else "",
        source=addresses[1] if addresses is not None else "",
        destination=addresses[2] if addresses is not None else "",
        ttl=int(ttl[1]) if ttl is not None else 0,
        is_encrypted=_ENCRYPTED.search(below) is not None,
    )


def _drops(node: Node, before: tuple[Node, ...], unknown: list[str]) -> Iterator[tuple[str, FrameEnd]]:
    """Yield which nodes dropped a frame, or copies of it, and why; what is no end of its way is left out."""
    last = next((each.name for each in reversed(before) if each.name in _BY_NODE), "")
    dropping = next((each.name for each in reversed(before) if each.name not in _DROPPING), "")
    for found in _DROP.finditer(node.text):
        where, words = found[1], found[2].strip()
        has_left = where.endswith("-tx")  # as far as VPP's part goes
        is_copy_for_bvi = "BVI L3 mac mismatch" in words and any(each.name == _FLOOD for each in before)
        if has_left or is_copy_for_bvi or where in _ASKING:
            continue
        if dropping in _STATION_LISTS:
            yield where, FrameEnd(fate=Fate.DROPPED, reason=Reason.STATION)
            continue
        reason = _reason_of(where, words) or _BY_NODE.get(last, Reason.OTHER)
        if reason is Reason.NO_ROUTE and last:
            reason = _BY_NODE[last]
        if reason is Reason.OTHER:
            unknown.append(f"{where}: {words}")
        yield where, FrameEnd(fate=Fate.DROPPED, reason=reason)


def _reason_of(where: str, words: str) -> Reason | None:
    """Return why a node dropped a frame, None where that is unknown."""
    if any(count in words for count in _COUNTS):
        return None
    return next((reason for name, text, reason in REASONS if name in ("", where) and text in words), None)
