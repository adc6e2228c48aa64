"""Keys of the public vppcfg, of VPP's commands and of other products that vppcfg lacks, and what to do instead."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from vppcfg.entries.interface_key import InterfaceKey
from vppcfg.kinds.kind_list import KINDS

_LINUX = "not managed by vppcfg: set it in Linux on the LCP interface, see docs/not-managed.md"
_DAEMON = (
    "not managed by vppcfg: run a routing daemon on the LCP interfaces, whose routes `linux_nl` brings into VPP, "
    "see docs/not-managed.md"
)
_PORT = "not managed by vppcfg: a line in the file that `unix { exec FILE }` runs makes it, see docs/not-managed.md"
_REST = "not managed by vppcfg: a line in a file for `vppcfg rest` sets it, see docs/not-managed.md"
_DRIVER = "of the device, not of the file's interfaces: see `dataplane.dpdk` in docs/tuning.md"


def _of_kinds() -> Iterator[tuple[str, tuple[tuple[str, ...], str]]]:
    """Yield the keys that other products have for the kinds of vppcfg."""
    for kind in KINDS:
        if kind.foreign_keys:
            is_section = bool(kind.sections()) and not isinstance(kind, InterfaceKey)
            first, *others = kind.foreign_keys
            yield (
                first,
                (tuple(others), f"a section of its own, `{kind.key}`" if is_section else f"written `{kind.key}`"),
            )


FOREIGN: Mapping[str, tuple[tuple[str, ...], str]] = {
    "table": (("ip-table", "table-id", "fib-table", "vrf-id", "routing-instance"), "written `vrf`, made in `vrfs`"),
    "address": (("ip", "ipv4", "ip-address", "ip-addresses", "inet"), "written `addresses`, a list"),
    "ipv6": (("inet6", "ip6"), "written `addresses`, a list; autoconfiguration is set in Linux, on the LCP interface"),
    "vlan": (("vlans", "vlan-id", "units", "vif", "subinterfaces", "sub-interface"), "written `sub-interfaces`"),
    "slaves": (("members", "ports", "member-interfaces"), "written `interfaces`, a list"),
    "enabled": (
        ("enable", "disable", "disabled", "shutdown", "admin-state", "admin-up", "up"),
        "written `state: up` or `state: down`",
    ),
    "comment": (("alias", "tag", "label"), "written `description`"),
    "mac-address": (("hwaddr", "lladdr", "ether"), "written `mac`"),
    "netns": (("namespace", "network-namespace"), "a part of the LCP: `lcp: { name: NAME, netns: NETNS }`"),
    "host-if": (("host-interface", "linux-name", "tap-name", "lcp-name"), "written `lcp`"),
    "hash": (("lb", "hash-policy", "transmit-hash-policy", "xmit-hash-policy"), "written `load-balance`, of a bond"),
    "lacp-rate": (("lacp-mode", "lacp-timeout"), "written `lacp-long-timeout` and `lacp-passive`, of a bond"),
    "netflow": (("flowprobe", "sampling"), "written `ipfix`, or `sflow` for samples of packets"),
    "acl": (
        ("access-list", "access-lists", "access-group", "firewall", "filter"),
        "written `acls`, with state as in docs/firewall.md",
    ),
    "rx-queues": (
        ("tx-queues", "num-rx-queues", "num-tx-queues", "num-rx-desc", "num-tx-desc", "ring-size"),
        _DRIVER,
    ),
    "speed": (("duplex", "autoneg", "fec", "flow-control"), _DRIVER),
    "bgp": (("ospf", "isis", "rip", "bfd", "protocols", "mpls-labels", "ldp"), _DAEMON),
    "dhcp6": (("pppoe", "slaac", "accept-ra", "autoconf", "nameservers", "dns"), _LINUX),
    "nat64": (("map",), _REST),
    "cgnat": ((), "a section of its own, `det44`, see docs/cgnat.md"),
    "ipsec": (("ikev2", "vpn", "tunnel-protection"), _REST),
    "policer": (("policy", "traffic-policy", "rate-limit"), "written `police`, with a rate in `policers`"),
    "shaper": (("storm-control",), _REST),
    "cdp": (("lldp-med",), "not in VPP; `lldp` is"),
    "rdma": (("avf",), _PORT),
    "geneve": (("l2tp", "gtpu", "lisp", "srv6", "sr"), _REST),
    **dict(_of_kinds()),
}
"""One spelling, the others, and the description of all of them; kinds come last, because those of other programs may
have what vppcfg lacks."""

_BY_SPELLING: Mapping[str, str] = {
    spelling: text for first, (others, text) in FOREIGN.items() for spelling in (first, *others)
}


_OURS = re.compile(r"`([a-z_-]+)")


def foreign_text(key: str, known: Collection[str]) -> str | None:
    """Return what to do instead of a key of another product, at a place where the keys `known` may stand.

    None for a key that no program has, and for one whose place is elsewhere.
    """
    text = _text_of(key)
    if text is None or not text.startswith("written"):
        return text
    return text if not set(_OURS.findall(text)).isdisjoint(known) else None


def is_foreign_key(key: str) -> bool:
    """Return whether another product has a key, so that it is no misspelling of one of ours."""
    return _text_of(key) is not None


_SORTS = re.compile(r"-?(?:tunnels?|interfaces?|profiles?|policy|policies|settings|config|s)$")
"""What keys of other products end with, as in `ipsec_tunnels`."""


def _text_of(key: str) -> str | None:
    """Return what to do instead of a key, or of the thing that it is a sort of."""
    spelling = key.lower().replace("_", "-")
    return _BY_SPELLING.get(spelling) or _BY_SPELLING.get(_SORTS.sub("", spelling))
