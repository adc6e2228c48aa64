"""Interfaces and sub-interfaces: one dump in, rows as VPP tells them, and from these the model's interfaces out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, TagRewrite
from vppcfg.vpp import devclass
from vppcfg.vpp.connection import Connection, Replies, text_of

ALL = 0xFFFFFFFF
_ADMIN_UP = 1
"""IF_STATUS_API_FLAG_ADMIN_UP (vnet/interface_types.api)."""
_TYPE_SUB = 1
"""IF_API_TYPE_SUB (vnet/interface_types.api)."""
_LOCAL = "local0"


class SubFlag(IntEnum):
    """sub_if_flags (vnet/interface_types.api)."""

    NO_TAGS = 1
    ONE_TAG = 2
    TWO_TAGS = 4
    DOT1AD = 8
    EXACT_MATCH = 16
    DEFAULT = 32
    OUTER_ANY = 64
    INNER_ANY = 128


_MATCH = sum(SubFlag)
"""Every bit that speaks of the match; DOT1AH speaks of provider backbone bridging."""
_TAGS = SubFlag.ONE_TAG | SubFlag.TWO_TAGS
_PLAIN = _TAGS | SubFlag.DOT1AD | SubFlag.EXACT_MATCH


class Row(NamedTuple):
    """What sw_interface_details says of one interface, as VPP says it."""

    sw_if_index: int
    parent_index: int
    mac: bytes
    flags: int
    type: int
    link_mtu: int
    packet_mtu: int
    ip4_mtu: int
    ip6_mtu: int
    mpls_mtu: int
    sub_id: int
    outer: int
    inner: int
    sub_flags: int
    vtr_operation: int
    vtr_push_dot1q: int
    vtr_tag1: int
    vtr_tag2: int
    name: str
    device_class: str
    tag: str


_PATHS = (
    "sw_if_index",
    "sup_sw_if_index",
    "l2_address",
    "flags",
    "type",
    "link_mtu",
    "mtu.0",
    "mtu.1",
    "mtu.2",
    "mtu.3",
    "sub_id",
    "sub_outer_vlan_id",
    "sub_inner_vlan_id",
    "sub_if_flags",
    "vtr_op",
    "vtr_push_dot1q",
    "vtr_tag1",
    "vtr_tag2",
    "interface_name",
    "interface_dev_type",
    "tag",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What hangs on interfaces, by their index."""

    names: Mapping[int, str]
    addresses: Mapping[int, frozenset[str]]
    targets: Mapping[int, int]
    """Where cross-connected interfaces send what they receive."""
    bridges: Mapping[int, int]
    tables: Mapping[int, tuple[int, int]]


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all interfaces (sw_interface_dump)."""
    return [connection.request("sw_interface_dump", {"sw_if_index": ALL})[1]]


def read(connection: Connection, replies: Replies) -> list[Row]:
    """Return the interfaces that `replies` tell of, in VPP's order."""
    return [
        Row._make((*values, text_of(name), text_of(device_class), text_of(tag)))
        for *values, name, device_class, tag in connection.rows(replies, "sw_interface_details", *_PATHS)
    ]


def read_names(connection: Connection) -> dict[str, int]:
    """Ask VPP for the index of every interface by its name."""
    replies = connection.ask(requests(connection))
    rows = connection.rows(replies, "sw_interface_details", "sw_if_index", "interface_name")
    return {text_of(name): index for index, name in rows}


def without(rows: Sequence[Row], hosts: frozenset[int]) -> list[Row]:
    """Return the rows of what an operator may name: not local0, no LCP host device of `hosts`, nothing upon one."""
    return [
        row for row in rows if row.name != _LOCAL and row.sw_if_index not in hosts and row.parent_index not in hosts
    ]


def build(rows: Sequence[Row], around: Surroundings) -> dict[str, Interface]:
    """Return the interfaces of `rows` by name, with what hangs on them."""
    return {row.name: _sub_interface(row, around) if row.type == _TYPE_SUB else _port(row, around) for row in rows}


def _port(row: Row, around: Surroundings) -> Interface:
    is_ethernet = any(row.mac)
    has_link_mtu = is_ethernet and devclass.has_link_mtu(row.device_class, row.name)
    return Interface(
        name=row.name,
        kind=devclass.kind_of(row.device_class, row.name),
        device_class=row.device_class,
        mac=row.mac.hex(":") if is_ethernet else "",
        link_mtu=row.link_mtu if has_link_mtu else None,
        packet_mtu=row.packet_mtu,
        protocol_mtus=_protocol_mtus(row),
        is_up=bool(row.flags & _ADMIN_UP),
        tag=row.tag,
        addresses=around.addresses.get(row.sw_if_index, frozenset()),
        l2xc=_target(row, around),
        bridge=around.bridges.get(row.sw_if_index),
        tag_rewrite=_tag_rewrite(row),
        tables=around.tables.get(row.sw_if_index, (0, 0)),
    )


def _sub_interface(row: Row, around: Surroundings) -> Interface:
    return Interface(
        name=row.name,
        kind=InterfaceKind.SUB_INTERFACE,
        parent=around.names.get(row.parent_index),
        sub_id=row.sub_id,
        encapsulation=_encapsulation(row),
        packet_mtu=row.packet_mtu,
        protocol_mtus=_protocol_mtus(row),
        is_up=bool(row.flags & _ADMIN_UP),
        tag=row.tag,
        addresses=around.addresses.get(row.sw_if_index, frozenset()),
        l2xc=_target(row, around),
        bridge=around.bridges.get(row.sw_if_index),
        tag_rewrite=_tag_rewrite(row),
        tables=around.tables.get(row.sw_if_index, (0, 0)),
    )


def _encapsulation(row: Row) -> Encapsulation | OtherMatch:
    flags = row.sub_flags & _MATCH
    tags = flags & _TAGS
    is_plain = not flags & ~_PLAIN and tags in (SubFlag.ONE_TAG, SubFlag.TWO_TAGS)
    if not is_plain or not row.outer or bool(row.inner) != (tags == SubFlag.TWO_TAGS):
        return OtherMatch(flags=flags, outer=row.outer, inner=row.inner)
    return Encapsulation(
        outer=row.outer,
        inner=row.inner or None,
        is_dot1ad=bool(flags & SubFlag.DOT1AD),
        is_exact=bool(flags & SubFlag.EXACT_MATCH),
    )


def _protocol_mtus(row: Row) -> tuple[int, int, int]:
    """Return the MTUs for IPv4, IPv6 and MPLS, 0 where they are that of every packet anyway."""
    ip4, ip6, mpls = (0 if mtu == row.packet_mtu else mtu for mtu in (row.ip4_mtu, row.ip6_mtu, row.mpls_mtu))
    return ip4, ip6, mpls


def _tag_rewrite(row: Row) -> TagRewrite | None:
    if not row.vtr_operation:
        return None
    return TagRewrite(operation=row.vtr_operation, push_dot1q=row.vtr_push_dot1q, tag1=row.vtr_tag1, tag2=row.vtr_tag2)


def _target(row: Row, around: Surroundings) -> str | None:
    target = around.targets.get(row.sw_if_index)
    return None if target is None else around.names.get(target)
