"""What is said about bridge domains."""

from __future__ import annotations

from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode

_BRIDGE = ("bridge_domain_add_del_v2", "bridge_domain_add_del")
"""Newest first: 23.02, before. The reply of the newer one tells an id that VPP picked."""
_FLAGS = {
    op.BridgeFlag.LEARN: 1,
    op.BridgeFlag.UNICAST_FORWARD: 2,
    op.BridgeFlag.UNICAST_FLOOD: 4,
    op.BridgeFlag.UNKNOWN_UNICAST_FLOOD: 8,
    op.BridgeFlag.ARP_TERMINATION: 16,
    op.BridgeFlag.ARP_UNICAST_FORWARD: 32,
}
"""bd_flags (vnet/l2/l2.api)."""


@encode.register
def _(operation: op.CreateBridge, indexes: Indexes, vpp: Vocabulary) -> Request:
    settings = operation.settings
    values: dict[str, Value] = {
        "bd_id": operation.bd_id,
        "flood": int(settings.unicast_flood),
        "uu_flood": int(settings.unknown_unicast_flood),
        "forward": int(settings.unicast_forward),
        "learn": int(settings.learn),
        "arp_term": int(settings.arp_termination),
        "arp_ufwd": int(settings.arp_unicast_forward),
        "mac_age": settings.mac_age_minutes,
        "bd_tag": operation.tag,
        "is_add": 1,
    }
    return Request(vpp.newest(_BRIDGE), values)


@encode.register
def _(operation: op.DeleteBridge, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request(vpp.newest(_BRIDGE), {"bd_id": operation.bd_id, "is_add": 0})


@encode.register
def _(operation: op.SetBridgeFlag, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"bd_id": operation.bd_id, "is_set": int(operation.is_on), "flags": _FLAGS[operation.flag]}
    return Request("bridge_flags", values)


@encode.register
def _(operation: op.SetBridgeMacAge, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("bridge_domain_set_mac_age", {"bd_id": operation.bd_id, "mac_age": operation.minutes})
