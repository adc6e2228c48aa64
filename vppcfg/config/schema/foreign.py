"""Keys of the public vppcfg, of VPP's commands and of other products that vppcfg lacks, and what to do instead."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_LINUX = "not managed by vppcfg: set it in Linux on the LCP interface"
_DAEMON = "not managed by vppcfg: run a routing daemon on the LCP interfaces, whose routes `linux_nl` brings into VPP"
_SCRIPT = "not managed by vppcfg: a script that `unix { exec FILE }` runs can set it"
_DRIVER = "of the device, not of the file's interfaces: see `dataplane.dpdk` in docs/tuning.md"

FOREIGN: Mapping[str, tuple[tuple[str, ...], str]] = {
    "table": (("ip-table", "table-id", "fib-table", "vrf-id", "routing-instance"), "written `vrf`, made in `vrfs`"),
    "address": (("ip", "ipv4", "ipv6", "ip-address", "ip-addresses", "inet", "inet6"), "written `addresses`, a list"),
    "vlan": (("vlans", "vlan-id", "units", "vif", "subinterfaces", "sub-interface"), "written `sub-interfaces`"),
    "bond": (("bonds", "bonding", "lag", "port-channel", "bundle"), "a section of its own, `bondethernets`"),
    "bridge": (("bridges", "bridge-domain", "bridge-domains"), "a section of its own, `bridgedomains`"),
    "vxlan": (("vxlans", "vxlan-tunnel"), "a section of its own, `vxlan_tunnels`"),
    "gre": (("gre-tunnel",), "a section of its own, `gre_tunnels`"),
    "ipip": (("ipip-tunnel", "sit"), "a section of its own, `ipip_tunnels`"),
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
    "arp": (("static-arp", "nd-static", "neighbor", "neighbour", "neighbours"), "written `neighbors`"),
    "mss": (("tcp-mss", "adjust-mss", "mss-adjust", "tcp-mss-clamp"), "written `mss-clamp`"),
    "rp-filter": (("rpf", "unicast-rpf", "source-validation"), "written `urpf`"),
    "netflow": (("flowprobe", "sampling"), "written `ipfix`, or `sflow` for samples of packets"),
    "acl": (
        ("access-list", "access-lists", "access-group", "firewall", "filter"),
        "written `acls`; they have no state",
    ),
    "rx-queues": (
        ("tx-queues", "num-rx-queues", "num-tx-queues", "num-rx-desc", "num-tx-desc", "ring-size"),
        _DRIVER,
    ),
    "speed": (("duplex", "autoneg", "fec", "flow-control"), _DRIVER),
    "route": (
        ("static-routes", "static", "ip-route", "gateway", "gateway4", "gateway6"),
        "a section of its own, `routes`",
    ),
    "bgp": (("ospf", "isis", "rip", "bfd", "protocols", "mpls-labels", "ldp"), _DAEMON),
    "dhcp": (("dhcp4",), "written `dhcp-client`"),
    "dhcp6": (("pppoe", "slaac", "accept-ra", "autoconf", "nameservers", "dns"), _LINUX),
    "nat": (("snat", "dnat", "masquerade", "port-forward", "port-forwards"), "a section of its own, `nat44`"),
    "nat64": (("cgnat", "map"), _SCRIPT),
    "ipsec": (("ikev2", "vpn", "tunnel-protection"), _SCRIPT),
    "policer": (("policers", "policy", "traffic-policy", "shaper", "storm-control"), _SCRIPT),
    "span": (("port-mirroring", "monitor-session"), "written `mirror`"),
    "cdp": (("lldp-med",), "not in VPP; `lldp` is"),
    "memif": (("memif-interface",), "a section of its own, `memifs`"),
    "af-packet": (("afpacket", "host-interfaces"), "a section of its own, `host_interfaces`"),
    "vhost-user": (("vhost-users",), "a section of its own, `vhost_users`"),
    "rdma": (("avf",), _SCRIPT),
    "ipv6-link-local": (("ip6-link-local", "link-local-address"), "written `link-local`"),
    "router-advert": (("router-advertisement", "nd"), "written `ra`"),
    "geneve": (("l2tp", "gtpu", "lisp", "srv6", "sr"), _SCRIPT),
}
"""One spelling, the others, and the description of all of them."""

_BY_SPELLING: Mapping[str, str] = {
    spelling: text for first, (others, text) in FOREIGN.items() for spelling in (first, *others)
}


_OTHER_WORD = re.compile(r"written `(?P<key>[a-z-]+)")


def foreign_text(key: str, known: Collection[str]) -> str | None:
    """Return what to do instead of a key that vppcfg does not have but others do, where the keys `known` may stand.

    None for a key that no program has, and for one whose place is elsewhere.
    """
    text = _BY_SPELLING.get(_spelling(key))
    other = _OTHER_WORD.match(text) if text is not None else None
    return text if other is None or other["key"] in known else None


def is_foreign_key(key: str) -> bool:
    """Return whether others have a key, so that it is no misspelling of one of ours."""
    return _spelling(key) in _BY_SPELLING


def _spelling(key: str) -> str:
    return key.lower().replace("_", "-")
