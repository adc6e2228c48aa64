"""Operations as API messages: an operation in, the name of a message and its values out. Nothing is sent here."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Protocol

from vppcfg.model.interface import Encapsulation, OtherMatch
from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value
from vppcfg.vpp.observe.interface import SubFlag

_LCP_PAIR = ("lcp_itf_pair_add_del_v3", "lcp_itf_pair_add_del_v2", "lcp_itf_pair_add_del")
"""Newest first: 24.06, 22.02, before. They differ in what the reply tells."""
_HOST_TAP = 0
_ADMIN_UP = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An API message: its name, and its values by path."""

    message: str
    values: Mapping[str, Value]


class Target(Protocol):
    """What must be known of a VPP to write a message for it."""

    def index(self, name: str) -> int:
        """Return the sw_if_index of the interface `name`."""

    def newest(self, names: tuple[str, ...]) -> str:
        """Return the first of the messages `names` that VPP has."""

    def has_field(self, message: str, path: str) -> bool:
        """Return whether VPP's `message` has a value at `path`."""


@singledispatch
def encode(operation: op.Operation, vpp: Target) -> Request:
    """Return the message that carries out `operation`."""
    raise TypeError(f"no API message for {type(operation).__name__}")


@encode.register
def _(operation: op.SetAdminState, vpp: Target) -> Request:
    values = {"sw_if_index": vpp.index(operation.interface), "flags": _ADMIN_UP if operation.is_up else 0}
    return Request(message="sw_interface_set_flags", values=values)


@encode.register
def _(operation: op.CreateSubInterface, vpp: Target) -> Request:
    values = {
        "sw_if_index": vpp.index(operation.parent),
        "sub_id": operation.sub_id,
        "sub_if_flags": _sub_flags(operation.encapsulation),
        "outer_vlan_id": operation.encapsulation.outer,
        "inner_vlan_id": operation.encapsulation.inner or 0,
    }
    return Request(message="create_subif", values=values)


def _sub_flags(encapsulation: Encapsulation | OtherMatch) -> int:
    if isinstance(encapsulation, OtherMatch):
        return encapsulation.flags
    flags = int(SubFlag.ONE_TAG if encapsulation.inner is None else SubFlag.TWO_TAGS)
    flags |= SubFlag.DOT1AD if encapsulation.is_dot1ad else 0
    flags |= SubFlag.EXACT_MATCH if encapsulation.is_exact else 0
    return flags


@encode.register
def _(operation: op.DeleteSubInterface, vpp: Target) -> Request:
    return Request(message="delete_subif", values={"sw_if_index": vpp.index(operation.interface)})


@encode.register
def _(operation: op.SetLinkMtu, vpp: Target) -> Request:
    values = {"sw_if_index": vpp.index(operation.interface), "mtu": operation.mtu}
    return Request(message="hw_interface_set_mtu", values=values)


@encode.register
def _(operation: op.SetPacketMtu, vpp: Target) -> Request:
    ip4, ip6, mpls = operation.protocol_mtus
    values = {
        "sw_if_index": vpp.index(operation.interface),
        "mtu.0": operation.mtu,
        "mtu.1": ip4,
        "mtu.2": ip6,
        "mtu.3": mpls,
    }
    return Request(message="sw_interface_set_mtu", values=values)


@encode.register
def _(operation: op.AddAddress, vpp: Target) -> Request:
    return _address(vpp.index(operation.interface), operation.address, is_add=1)


@encode.register
def _(operation: op.RemoveAddress, vpp: Target) -> Request:
    return _address(vpp.index(operation.interface), operation.address, is_add=0)


def _address(index: int, address: str, is_add: int) -> Request:
    text, _, length = address.partition("/")
    is_ip6 = ":" in text
    values: dict[str, Value] = {
        "sw_if_index": index,
        "is_add": is_add,
        "prefix.address.af": int(is_ip6),
        "prefix.address.un": socket.inet_pton(socket.AF_INET6 if is_ip6 else socket.AF_INET, text),
        "prefix.len": int(length),
    }
    return Request(message="sw_interface_add_del_address", values=values)


@encode.register
def _(operation: op.CreateLcpPair, vpp: Target) -> Request:
    """Write the namespace out, unless it is VPP's own: that one is what an empty name means without a default."""
    message = vpp.newest(_LCP_PAIR)
    if not operation.netns and not operation.is_default_netns:
        raise ValueError("VPP cannot be told to use its own namespace for a pair while it has a default one")
    values: dict[str, Value] = {
        "is_add": 1,
        "sw_if_index": vpp.index(operation.interface),
        "host_if_name": operation.host_name,
        "host_if_type": _HOST_TAP,
        "netns" if vpp.has_field(message, "netns") else "namespace": operation.netns,
    }
    return Request(message=message, values=values)


@encode.register
def _(operation: op.DeleteLcpPair, vpp: Target) -> Request:
    return Request(message=vpp.newest(_LCP_PAIR), values={"is_add": 0, "sw_if_index": vpp.index(operation.interface)})


@encode.register
def _(operation: op.SetCrossConnect, vpp: Target) -> Request:
    values = {
        "rx_sw_if_index": vpp.index(operation.interface),
        "tx_sw_if_index": vpp.index(operation.target),
        "enable": 1,
    }
    return Request(message="sw_interface_set_l2_xconnect", values=values)


@encode.register
def _(operation: op.LeaveL2, vpp: Target) -> Request:
    """Say what `set interface l3` does: disabling a cross-connect leaves a bridge as well (vnet/l2/l2_api.c)."""
    values = {"rx_sw_if_index": vpp.index(operation.interface), "tx_sw_if_index": 0, "enable": 0}
    return Request(message="sw_interface_set_l2_xconnect", values=values)


@encode.register
def _(operation: op.SetTagRewrite, vpp: Target) -> Request:
    rewrite = operation.tag_rewrite
    values = {
        "sw_if_index": vpp.index(operation.interface),
        "vtr_op": rewrite.operation if rewrite else 0,
        "push_dot1q": rewrite.push_dot1q if rewrite else 0,
        "tag1": rewrite.tag1 if rewrite else 0,
        "tag2": rewrite.tag2 if rewrite else 0,
    }
    return Request(message="l2_interface_vlan_tag_rewrite", values=values)


@encode.register
def _(operation: op.SetTag, vpp: Target) -> Request:
    values: dict[str, Value] = {
        "is_add": int(operation.tag != ""),
        "sw_if_index": vpp.index(operation.interface),
        "tag": operation.tag,
    }
    return Request(message="sw_interface_tag_add_del", values=values)
