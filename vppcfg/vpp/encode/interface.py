"""What is said about ports and sub-interfaces themselves: creation, state, MTU, MAC and tag."""

from __future__ import annotations

from vppcfg.model.interface import Encapsulation, OtherMatch
from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode
from vppcfg.vpp.observe.interface import SubFlag

_ADMIN_UP = 1


def mac_bytes(mac: str) -> bytes:
    """Return a colon-separated MAC address as VPP's mac_address; '' as zeros."""
    return bytes.fromhex(mac.replace(":", "")) if mac else bytes(6)


@encode.register
def _(operation: op.SetAdminState, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": indexes.interface(operation.interface), "flags": _ADMIN_UP if operation.is_up else 0}
    return Request("sw_interface_set_flags", values)


@encode.register
def _(operation: op.CreateSubInterface, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {
        "sw_if_index": indexes.interface(operation.parent),
        "sub_id": operation.sub_id,
        "sub_if_flags": _sub_flags(operation.encapsulation),
        "outer_vlan_id": operation.encapsulation.outer,
        "inner_vlan_id": operation.encapsulation.inner or 0,
    }
    return Request("create_subif", values)


def _sub_flags(encapsulation: Encapsulation | OtherMatch) -> int:
    if isinstance(encapsulation, OtherMatch):
        return encapsulation.flags
    flags = int(SubFlag.ONE_TAG if encapsulation.inner is None else SubFlag.TWO_TAGS)
    flags |= SubFlag.DOT1AD if encapsulation.is_dot1ad else 0
    flags |= SubFlag.EXACT_MATCH if encapsulation.is_exact else 0
    return flags


@encode.register
def _(operation: op.DeleteSubInterface, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("delete_subif", {"sw_if_index": indexes.interface(operation.interface)})


@encode.register
def _(operation: op.SetLinkMtu, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": indexes.interface(operation.interface), "mtu": operation.mtu}
    return Request("hw_interface_set_mtu", values)


@encode.register
def _(operation: op.SetPacketMtu, indexes: Indexes, vpp: Vocabulary) -> Request:
    ip4, ip6, mpls = operation.protocol_mtus
    values = {
        "sw_if_index": indexes.interface(operation.interface),
        "mtu.0": operation.mtu,
        "mtu.1": ip4,
        "mtu.2": ip6,
        "mtu.3": mpls,
    }
    return Request("sw_interface_set_mtu", values)


@encode.register
def _(operation: op.SetMac, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": indexes.interface(operation.interface), "mac_address": mac_bytes(operation.mac)}
    return Request("sw_interface_set_mac_address", values)


@encode.register
def _(operation: op.SetTag, indexes: Indexes, vpp: Vocabulary) -> Request:
    values: dict[str, Value] = {
        "is_add": int(operation.tag != ""),
        "sw_if_index": indexes.interface(operation.interface),
        "tag": operation.tag,
    }
    return Request("sw_interface_tag_add_del", values)
