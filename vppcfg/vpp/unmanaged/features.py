"""Reads what others turned on and no message reports: features of an interface's arcs, and its L2 bits, from VPP's CLI.

`show interface features NAME` lists the nodes of every arc and the bits of L2 input and output
(vnet_interface_features_show, vnet/feature/feature.c; show_sw_interfaces, vnet/interface_cli.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.kinds.kind_list import KINDS, kind_of
from vppcfg.model.attachment import Attachment, Layer, Values, index_placeholder, stored_call
from vppcfg.model.interface import Interface
from vppcfg.model.vpp_object import Referent
from vppcfg.operations.request import NO_INDEX
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.unmanaged.reader import ReadScope
from vppcfg.wire.shell import Commands

_ARC = re.compile(r"^([a-z0-9-]+):$")
_NODE = re.compile(r"^\s+([A-Za-z0-9_-]+)(?:\s+\(.*\))?$")
"""An arc with its features, which may have more behind them in brackets::

    mpls-input:
      mpls-not-enabled
    ip6-drop:
      none configured
"""
_POLICERS = "policer_dump_v2"
_POLICED = ("device-input", "ip4-unicast")
"""The arc of policers of input before 26.06, and from then on (0f37c4847df)."""
_L2_ARCS = frozenset({"l2-input", "l2-output"})
_OF_VPP = (
    r"^(?:acl-plugin-|linux-cp-|lcp-|policer-|arp-|ip[46]-not-enabled|interface-output|error-drop|ethernet-input|ip[46]-lookup"
    r"|ip6-link|icmp-|ip[46]-mfib|bvi-|stats-collect|ip[46]-multicast|ip[46]-local|ip[46]-drop|virtio-|memif"
    r"|feature-bitmap|device-input|det44-|none$)"
)
"""Features that VPP turns on for every interface, those of access lists and of LCP pairs, policers, and those of DET44.

VPP turns DET44's on once more where it drops a side, so that they may be left of one (det44_interface_add_del).
"""
_OF_OTHERS: Mapping[str, re.Pattern[str]] = {
    "NAT": re.compile(r"nat|ip[46]-sv-reassembly"),
    "ABF": re.compile(r"abf-"),
    "IPsec": re.compile(r"ipsec|esp[46]|ah[46]"),
    "security": re.compile(r"ipsec|esp[46]|ah[46]"),
    "classifier": re.compile(r"ip[46]-inacl|l2-input-acl"),
    "BFD": re.compile(r"bfd"),
    "TEIB": re.compile(r"nhrp"),
    "L3": re.compile(r"l3xc"),
    "rate": re.compile(r"policer-classify"),
    "MAP": re.compile(r"ip[46]-map|reassembly"),
    "LB": re.compile(r"lb-nat"),
}
"""Features that belong to an attachment whose kind begins with the word."""
_NAMES = (
    (re.compile(r"(full|sv)-reassembly"), "reassembly"),
    (re.compile(r"outacl"), "classifier of output"),
    (re.compile(r"-bypass"), "tunnel bypass"),
    (re.compile(r"l3xc"), "L3 cross-connect"),
    (re.compile(r"punt-redirect"), "punt redirect"),
    (re.compile(r"cnat-"), "CNAT"),
)
"""What attachments are called whose nodes match a pattern."""
_SWITCHES = {"LEARN": (1 << 0, "learn"), "FWD": (1 << 1, "forward"), "FLOOD": (1 << 2, "flood")}
"""The bits of l2_flags (vnet/l2/l2_input.h), and what the prompt calls them."""
_OWN_BITS = frozenset(
    {
        *("FLOOD", "UU_FLOOD", "FWD", "LEARN", "ARP_TERM", "ARP_UFWD", "UU_FWD", "VTR", "ACL", "SPAN", "FLOW", "GBP"),
        "POLICER_CLAS",
        *("OUTPUT", "XCONNECT", "XCRW", "EFP_FILTER", "L2PT", "L2_EMULATION", "LINESTATUS_DOWN", "STP_BLOCKED"),
        *("INPUT_FEAT_ARC", "OUTPUT_FEAT_ARC", "CFM", "ECID_XLATE", "BVI", "IPSEC", "DROP", "none"),
    }
)
"""Bits that come with the mode of an interface, and with what vppcfg manages."""


def read(connection: Connection, scope: ReadScope, found: Iterable[Attachment]) -> Iterator[Attachment]:
    """Yield the features of each interface that neither vppcfg nor one of the attachments `found` accounts for."""
    names = [scope.names[index] for index in scope.examined(connection)]
    has_policers = connection.offers(_POLICERS)
    lines = {name: f"show interface features {name}" for name in names}
    commands = Commands(connection, list(lines.values()))
    replies = connection.ask([*commands.requests, *_policer_requests(connection)])
    shown = commands.read(connection, replies)
    policers = (
        [text_of(name) for (name,) in connection.rows(replies, "policer_details", "name")] if has_policers else []
    )
    kinds: dict[str, set[str]] = {}
    for each in found:
        kinds.setdefault(each.holder, set()).add(_word(each.kind))
    of_objects = _own_nodes(scope)
    for name in names:
        arcs = _arcs(shown[lines[name]][1])
        known = scope.state.interfaces.get(name)
        yield from _of_policers(name, arcs, policers)
        own = [*_of_map(name, arcs), *_of_load_balancer(name, arcs)]
        yield from own
        kinds.setdefault(name, set()).update(_word(each.kind) for each in own)
        ours = of_objects.get(name, set()) | (_nodes_of(known) if known is not None else set())
        accounted = [re.compile(each) for each in sorted({_OF_VPP, *ours})]
        accounted += [_OF_OTHERS[kind] for kind in sorted(kinds.get(name, set())) if kind in _OF_OTHERS]
        yield from _of_arcs(name, arcs, accounted)
        if known is not None:
            yield from _of_bits(known, arcs, scope)


def _word(kind: str) -> str:
    return kind.split(" ")[0].partition("4")[0].partition("6")[0]


def _own_nodes(scope: ReadScope) -> dict[str, set[str]]:
    """Return the patterns of the nodes of objects by the interfaces that these are on, whoever has configured them."""
    found: dict[str, set[str]] = {}
    for items in scope.state.objects.values():
        for item in items.values():
            if nodes := kind_of(item).nodes:
                for reference in item.references():
                    if reference.referent is Referent.INTERFACE:
                        found.setdefault(reference.name, set()).add(nodes)
    return found


def _nodes_of(interface: Interface) -> set[str]:
    """Return the patterns of the nodes of all kinds that an interface may have."""
    return {
        kind.nodes
        for kind in KINDS
        if kind.nodes and not isinstance(kind, VppObjectKind) and kind.has_nodes_on(interface)
    }


def _arcs(text: str) -> dict[str, list[str]]:
    """Return the nodes of each arc that has any, in the order of the text."""
    arcs: dict[str, list[str]] = {}
    arc = ""
    for line in text.splitlines():
        if match := _ARC.match(line):
            arc = match[1]
        elif (match := _NODE.match(line)) and arc and "none configured" not in line:
            arcs.setdefault(arc, []).append(match[1])
    return arcs


def _policer_requests(connection: Connection) -> list[bytes]:
    return [connection.request(_POLICERS, {"policer_index": NO_INDEX})[1]] if connection.offers(_POLICERS) else []


def _of_policers(name: str, arcs: Mapping[str, list[str]], policers: Sequence[str]) -> Iterator[Attachment]:
    """Yield the policers of an interface. VPP does not report which they are, and takes off whatever is there.

    They are switched on as often as they stand there, and leave L2 bits behind unless they are switched off as often.
    """
    for side, places in (("input", _POLICED), ("output", ("ip4-output",))):
        for number in range(max(arcs.get(arc, []).count(f"policer-{side}") for arc in places)):
            take = None
            if policers:
                values: Values = {"name": policers[0].encode(), "sw_if_index": index_placeholder(name), "apply": 0}
                take = stored_call(f"policer_{side}", values)
            yield Attachment(
                holder=name,
                kind="policer",
                name=f"of {side}" + (f" {number + 1}" if number else ""),
                layer=Layer.ALL,
                take=take,
                outlives=True,
                removal=f"policer {side} unapply name {policers[0]} {name}" if policers else "",
            )


def _of_map(name: str, arcs: Mapping[str, list[str]]) -> Iterator[Attachment]:
    """Yield MAP-E and MAP-T of an interface, with the reassembly that they turn on (map_if_enable_disable).

    VPP keeps that they are on when the interface goes, and then does not turn them on on the next one with its index.
    """
    for is_translation, (node, word) in enumerate((("ip4-map", ""), ("ip4-map-t", " map-t"))):
        if node in arcs.get("ip4-unicast", ()):
            values: Values = {"sw_if_index": index_placeholder(name), "is_translation": is_translation}
            line = f"map interface {name}{word}"
            yield Attachment(
                holder=name,
                kind="MAP",
                name="T" if is_translation else "E",
                layer=Layer.ROUTED,
                put=stored_call("map_if_enable_disable", {**values, "is_enable": 1}),
                take=stored_call("map_if_enable_disable", {**values, "is_enable": 0}),
                outlives=True,
                lines=(line,),
                removal=f"{line} del",
            )


def _of_load_balancer(name: str, arcs: Mapping[str, list[str]]) -> Iterator[Attachment]:
    """Yield where lb translates what servers answer (lb_nat4_interface_add_del in plugins/lb/lb.c)."""
    for family in (4, 6):
        if f"lb-nat{family}-in2out" in arcs.get(f"ip{family}-unicast", ()):
            message, values = f"lb_add_del_intf_nat{family}", {"sw_if_index": index_placeholder(name)}
            line = f"lb set interface nat{family} in {name}"
            yield Attachment(
                holder=name,
                kind="LB NAT",
                name=f"of IPv{family}",
                layer=Layer.ROUTED,
                put=stored_call(message, {"is_add": 1, **values}),
                take=stored_call(message, {"is_add": 0, **values}),
                lines=(line,),
                removal=f"{line} del",
            )


def _of_arcs(name: str, arcs: Mapping[str, list[str]], accounted: Sequence[re.Pattern[str]]) -> Iterator[Attachment]:
    for arc, nodes in arcs.items():
        for node in nodes if arc not in _L2_ARCS else ():
            if not any(pattern.search(node) for pattern in accounted):
                word = next((word for pattern, word in _NAMES if pattern.search(node)), "feature")
                yield Attachment(holder=name, kind=word, name=f"{node} of {arc}")


def _of_bits(interface: Interface, arcs: Mapping[str, list[str]], scope: ReadScope) -> Iterator[Attachment]:
    """Yield L2 bits that were switched off by hand, and those that were switched on.

    VPP shows the bits of a bridge port masked by those of its bridge domain.
    """
    bits = set(arcs.get("l2-input", ()))
    others = {*bits, *arcs.get("l2-output", ())} - _OWN_BITS if interface.is_l2 else ()
    for bit in sorted(others):
        yield Attachment(holder=interface.name, kind="L2 feature", name=bit.lower(), layer=Layer.SWITCHED)
    bridge = next((each for each in scope.state.bridges.values() if each.bd_id == interface.bridge), None)
    if bridge is None or not bits:
        return
    of_bridge = bridge.settings
    settings = {"LEARN": of_bridge.learn, "FWD": of_bridge.unicast_forward, "FLOOD": of_bridge.unicast_flood}
    settings["LEARN"] &= not interface.is_bvi  # VPP learns nothing from a BVI
    for bit, (flag, word) in _SWITCHES.items():
        if settings[bit] and bit not in bits:
            values: Values = {"sw_if_index": index_placeholder(interface.name), "feature_bitmap": flag}
            yield Attachment(
                holder=interface.name,
                kind=f"L2 {word} off",
                layer=Layer.SWITCHED,
                put=stored_call("l2_flags", {**values, "is_set": 0}),
                take=stored_call("l2_flags", {**values, "is_set": 1}),
                lines=(f"set interface l2 {word} {interface.name} disable",),
                removal=f"set interface l2 {word} {interface.name}",
            )
