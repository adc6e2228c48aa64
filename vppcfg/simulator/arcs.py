"""Feature arcs of a simulated VPP (vnet/feature/feature.c): which features are on for an interface, in what order.

VPP counts: what was enabled twice is passed twice, and has to be disabled twice. All of an interface go off with it,
whatever the part that enabled them still has in its own tables; what such a part does not enable again because it takes
it for on stays off on the next interface with the index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from vppcfg.simulator.ip6_link import Ip6LinkMain
from vppcfg.simulator.tables import Tables

Feature = tuple[str, str]
"""The names of an arc and of a node on it."""

ARCS: dict[str, tuple[str, ...]] = {
    "arp": ("vrrp4-arp-input", "arping-input", "arp-reply", "arp-proxy", "arp-disabled"),
    "nsh-output": (),
    "mpls-output": ("mpls-qos-mark", "vlan-mpls-qos-mark"),
    "mpls-input": ("vlan-mpls-qos-record", "mpls-qos-record", "mpls-not-enabled"),
    "ip6-drop": (),
    "ip6-punt": (),
    "ip6-local": ("vrrp6-nd-input",),
    "ip6-output": (
        *("gso-ip6", "wg6-output-tun", "ip6-tx-urpf-strict", "ip6-tx-urpf-loose", "policer-output"),
        *("tcp-mss-clamping-ip6-out", "flowprobe-output-ip6", "acl-plugin-out-ip6-fa", "ip6-qos-mark"),
        *("ip6-outacl", "ipsec6-output-feature", "interface-output"),
    ),
    "ip6-multicast": (
        *("vrrp6-accept-owner-input", "flowprobe-input-ip6", "ip6-qos-store", "vlan-ip6-qos-record"),
        *("ip6-qos-record", "ip6-not-enabled"),
    ),
    "ip6-unicast": (
        *("ip6-rx-urpf-loose", "ip6-rx-urpf-strict", "policer-input", "ip6-sv-reassembly-feature"),
        *("flowprobe-input-ip6", "acl-plugin-in-ip6-fa", "ip6-inacl", "tcp-mss-clamping-ip6-in", "l3xc-input-ip6"),
        *("ip6-full-reassembly-feature", "abf-input-ip6", "ip6-qos-store", "vlan-ip6-qos-record", "ip6-qos-record"),
        *("ip6-not-enabled", "ip6-policer-classify", "ipsec6-input-feature"),
    ),
    "ip4-drop": (),
    "ip4-punt": (),
    "ip4-local": (),
    "ip4-output": (
        *("gso-ip4", "wg4-output-tun", "ip4-tx-urpf-strict", "ip4-tx-urpf-loose", "policer-output"),
        *("ip4-sv-reassembly-output-feature", "nat-pre-in2out-output", "acl-plugin-out-ip4-fa"),
        *("tcp-mss-clamping-ip4-out", "flowprobe-output-ip4", "ip4-qos-mark", "ip4-outacl", "ipsec4-output-feature"),
        "interface-output",
    ),
    "ip4-multicast": (
        *("vrrp4-accept-owner-input", "flowprobe-input-ip4", "ip4-qos-store", "vlan-ip4-qos-record"),
        *("ip4-qos-record", "ip4-not-enabled"),
    ),
    "ip4-unicast": (
        *("ip4-rx-urpf-loose", "ip4-rx-urpf-strict", "policer-input", "ip4-full-reassembly-feature"),
        *("ip4-sv-reassembly-feature", "ip4-dhcp-client-detect", "acl-plugin-in-ip4-fa", "nat44-ed-classify"),
        *(
            "nat-pre-out2in",
            "nat-pre-in2out",
            "det44-out2in",
            "det44-in2out",
            "flowprobe-input-ip4",
            "ip4-inacl",
            "tcp-mss-clamping-ip4-in",
        ),
        *("l3xc-input-ip4", "abf-input-ip4", "ip4-qos-store", "vlan-ip4-qos-record", "ip4-qos-record"),
        *("ip4-not-enabled", "ip4-policer-classify", "ipsec4-input-feature"),
    ),
    "l2-output-nonip": ("acl-plugin-out-nonip-l2",),
    "l2-input-nonip": ("acl-plugin-in-nonip-l2",),
    "l2-output-ip6": ("acl-plugin-out-ip6-l2", "gso-l2-ip6"),
    "l2-input-ip6": ("acl-plugin-in-ip6-l2",),
    "l2-output-ip4": ("acl-plugin-out-ip4-l2", "gso-l2-ip4"),
    "l2-input-ip4": ("acl-plugin-in-ip4-l2",),
    "ethernet-output": (),
    "error-drop": ("sflow-drop",),
    "interface-output": ("sflow-egress", "flowprobe-output-l2", "span-output"),
    "port-rx-eth": ("bond-input", "span-input"),
    "device-input": ("sflow", "flowprobe-input-l2", "bond-input", "span-input", "policer-input"),
}
"""The arcs in the order in which VPP shows them, each with those of its features that are known here, in order."""


_ALWAYS = frozenset({"mpls-input", "ip6-multicast", "ip6-unicast", "ip4-multicast", "ip4-unicast"})
"""The arcs on which each new interface has something."""


@dataclass(slots=True, kw_only=True)
class ArcMain:
    """What is enabled."""

    enabled: dict[int, Counter[Feature]] = field(default_factory=dict)
    """How often each feature is on, by sw_if_index."""
    known: dict[str, int] = field(default_factory=dict)
    """How many indexes the configuration of an arc has; it never shrinks."""


def enable(tables: Tables, sw_if_index: int, *features: Feature) -> None:
    """Have packets of an interface pass features once more."""
    main = tables.part(ArcMain)
    main.enabled.setdefault(sw_if_index, Counter()).update(features)
    for arc, _ in features:
        main.known[arc] = max(main.known.get(arc, 0), sw_if_index + 1)


def disable(tables: Tables, sw_if_index: int, *features: Feature) -> None:
    """Have packets of an interface pass features once less; nothing happens where they are off."""
    counts = tables.part(ArcMain).enabled.get(sw_if_index, Counter())
    for feature in features:
        if counts[feature]:
            counts[feature] -= 1


def set_features(tables: Tables, sw_if_index: int, features: Iterable[Feature], *, is_on: bool) -> None:
    """Enable features once more or once less."""
    (enable if is_on else disable)(tables, sw_if_index, *features)


def both(arc: str, name: str) -> tuple[Feature, Feature]:
    """Return a feature of IPv4 and that of IPv6; `{}` in the names stands for 4 and 6."""
    return (arc.format(4), name.format(4)), (arc.format(6), name.format(6))


def is_known(tables: Tables, arc: str, name: str, sw_if_index: int) -> bool:
    """Return whether VPP knows if a feature is on: not of what it does not have, nor beyond its tables."""
    return name in ARCS.get(arc, ()) and (arc in _ALWAYS or sw_if_index < tables.part(ArcMain).known.get(arc, 0))


def on(tables: Tables, sw_if_index: int) -> dict[str, list[str]]:
    """Return the features of an interface by arc, in VPP's order, as often as packets pass them."""
    counts = Counter(tables.part(ArcMain).enabled.get(sw_if_index, Counter()))
    counts.update(_by_nature(tables, sw_if_index))
    return {arc: [name for name in names for _ in range(counts[arc, name])] for arc, names in ARCS.items()}


def _by_nature(tables: Tables, sw_if_index: int) -> Iterator[Feature]:
    """Yield what follows from addresses: a protocol that is not enabled is dropped."""
    row = tables.sw[sw_if_index]
    if row.unnumbered is not None or any(tables.ip4.of(sw_if_index)):
        yield "arp", "arp-reply"
    else:
        yield from (("ip4-unicast", "ip4-not-enabled"), ("ip4-multicast", "ip4-not-enabled"))
    if sw_if_index not in tables.part(Ip6LinkMain).links:
        yield from (("ip6-unicast", "ip6-not-enabled"), ("ip6-multicast", "ip6-not-enabled"))


def interface_gone(tables: Tables, sw_if_index: int) -> None:
    """Take all features off an interface that is being deleted (vnet_feature_add_del_sw_interface)."""
    tables.part(ArcMain).enabled.pop(sw_if_index, None)
