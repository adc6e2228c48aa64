"""Operations as API messages: an operation in, the name of a message and its values out. Nothing is sent here."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping, Sequence
from functools import singledispatch
from ipaddress import ip_address
from typing import NamedTuple, Protocol

from vppcfg.model.interface import Encapsulation, OtherMatch
from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value
from vppcfg.vpp.observe.interface import SubFlag

_LCP_PAIR = ("lcp_itf_pair_add_del_v3", "lcp_itf_pair_add_del_v2", "lcp_itf_pair_add_del")
"""Newest first: 24.06, 22.02, before. They differ in what the reply tells."""
_HOST_TAP = 0
_ADMIN_UP = 1


class Request(NamedTuple):
    """An API message: its name, and its values by path."""

    message: str
    values: Mapping[str, Value]


IndexOf = Callable[[str], Value]
"""From the name of an interface to its sw_if_index; what it raises goes through."""


class Vocabulary(Protocol):
    """What must be known of a VPP's messages to write one."""

    def newest(self, names: Sequence[str]) -> str:
        """Return the first of the messages `names` that VPP has, or the last when it has none."""

    def has_field(self, message: str, path: str) -> bool:
        """Return whether VPP's `message` has a value at `path`."""


@singledispatch
def encode(operation: op.Operation, index: IndexOf, vpp: Vocabulary) -> Request:
    """Return the message that carries out `operation`."""
    raise TypeError(f"no API message for {type(operation).__name__}")


@encode.register
def _(operation: op.SetAdminState, index: IndexOf, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": index(operation.interface), "flags": _ADMIN_UP if operation.is_up else 0}
    return Request(message="sw_interface_set_flags", values=values)


@encode.register
def _(operation: op.CreateSubInterface, index: IndexOf, vpp: Vocabulary) -> Request:
    values = {
        "sw_if_index": index(operation.parent),
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
def _(operation: op.DeleteSubInterface, index: IndexOf, vpp: Vocabulary) -> Request:
    return Request(message="delete_subif", values={"sw_if_index": index(operation.interface)})


@encode.register
def _(operation: op.SetLinkMtu, index: IndexOf, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": index(operation.interface), "mtu": operation.mtu}
    return Request(message="hw_interface_set_mtu", values=values)


@encode.register
def _(operation: op.SetPacketMtu, index: IndexOf, vpp: Vocabulary) -> Request:
    ip4, ip6, mpls = operation.protocol_mtus
    values = {
        "sw_if_index": index(operation.interface),
        "mtu.0": operation.mtu,
        "mtu.1": ip4,
        "mtu.2": ip6,
        "mtu.3": mpls,
    }
    return Request(message="sw_interface_set_mtu", values=values)


@encode.register
def _(operation: op.AddAddress, index: IndexOf, vpp: Vocabulary) -> Request:
    return _address(index(operation.interface), operation.address, is_add=1)


@encode.register
def _(operation: op.RemoveAddress, index: IndexOf, vpp: Vocabulary) -> Request:
    return _address(index(operation.interface), operation.address, is_add=0)


def _address(index: Value, address: str, is_add: int) -> Request:
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
def _(operation: op.CreateLcpPair, index: IndexOf, vpp: Vocabulary) -> Request:
    """Write the namespace out, the default one too, unless it is VPP's own, whose name is empty."""
    message = vpp.newest(_LCP_PAIR)
    values: dict[str, Value] = {
        "is_add": 1,
        "sw_if_index": index(operation.interface),
        "host_if_name": operation.host_name,
        "host_if_type": _HOST_TAP,
        "netns" if vpp.has_field(message, "netns") else "namespace": operation.netns,
    }
    return Request(message=message, values=values)


@encode.register
def _(operation: op.DeleteLcpPair, index: IndexOf, vpp: Vocabulary) -> Request:
    return Request(message=vpp.newest(_LCP_PAIR), values={"is_add": 0, "sw_if_index": index(operation.interface)})


@encode.register
def _(operation: op.SetCrossConnect, index: IndexOf, vpp: Vocabulary) -> Request:
    values = {
        "rx_sw_if_index": index(operation.interface),
        "tx_sw_if_index": index(operation.target),
        "enable": 1,
    }
    return Request(message="sw_interface_set_l2_xconnect", values=values)


@encode.register
def _(operation: op.LeaveL2, index: IndexOf, vpp: Vocabulary) -> Request:
    """Say what `set interface l3` does: disabling a cross-connect leaves a bridge as well (vnet/l2/l2_api.c)."""
    values = {"rx_sw_if_index": index(operation.interface), "tx_sw_if_index": 0, "enable": 0}
    return Request(message="sw_interface_set_l2_xconnect", values=values)


@encode.register
def _(operation: op.SetTagRewrite, index: IndexOf, vpp: Vocabulary) -> Request:
    rewrite = operation.tag_rewrite
    values = {
        "sw_if_index": index(operation.interface),
        "vtr_op": rewrite.operation if rewrite else 0,
        "push_dot1q": rewrite.push_dot1q if rewrite else 0,
        "tag1": rewrite.tag1 if rewrite else 0,
        "tag2": rewrite.tag2 if rewrite else 0,
    }
    return Request(message="l2_interface_vlan_tag_rewrite", values=values)


@encode.register
def _(operation: op.SetTag, index: IndexOf, vpp: Vocabulary) -> Request:
    values: dict[str, Value] = {
        "is_add": int(operation.tag != ""),
        "sw_if_index": index(operation.interface),
        "tag": operation.tag,
    }
    return Request(message="sw_interface_tag_add_del", values=values)


def objection(operation: op.Operation) -> str:
    """Return why VPP cannot be told to carry out `operation`, '' when it can.

    An empty namespace means the default one to linux-cp, and has no other name for VPP's own (lcp_itf_pair_create in
    linux-cp/lcp_interface.c).
    """
    if isinstance(operation, op.CreateLcpPair) and not operation.netns and not operation.is_default_netns:
        return "VPP cannot be told to make a pair in its own namespace while it has a default one"
    return ""


class _NewestRelease:
    """A VPP that has every message and field that we know."""

    def newest(self, names: Sequence[str]) -> str:
        """Return the newest message."""
        return names[0]

    def has_field(self, message: str, path: str) -> bool:
        """Return True."""
        return True


def api_call(operation: op.Operation) -> tuple[str, dict[str, int | str]]:
    """Return the message of an operation and its values for people and programs: interfaces by name, bytes as text."""
    request = encode(operation, lambda name: name, _NewestRelease())
    return request.message, {path: _readable(value) for path, value in request.values.items()}


def _readable(value: Value) -> int | str:
    return str(ip_address(value)) if isinstance(value, bytes) else value
