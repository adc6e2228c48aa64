"""Interfaces and sub-interfaces: one dump in, rows as VPP tells them, and from these the model's interfaces out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from vppcfg.model.acl import AclBinding
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, TagRewrite
from vppcfg.record import record
from vppcfg.vpp import devclass
from vppcfg.vpp.connection import Connection, Replies, text_of
from vppcfg.vpp.observe.bridge import BridgeMember

ALL = 0xFFFFFFFF
_ADMIN_UP = 1
"""IF_STATUS_API_FLAG_ADMIN_UP (vnet/interface_types.api)."""
_TYPE_SUB = 1
"""IF_API_TYPE_SUB (vnet/interface_types.api)."""
_LOCAL = "local0"
DELETED_DONOR = "DELETED"
"""What stands for an interface that is gone and whose addresses another one goes on borrowing, as VPP prints it."""
_NO_BRIDGE = BridgeMember(bd_id=0, is_bvi=False, split_horizon_group=0)
_NO_ACLS = AclBinding()
_NO_ADDRESSES: frozenset[str] = frozenset()


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


@record
class Surroundings:
    """What hangs on interfaces, by their index."""

    names: Mapping[int, str]
    addresses: Mapping[int, frozenset[str]]
    targets: Mapping[int, int]
    """Where cross-connected interfaces send what they receive."""
    bridges: Mapping[int, BridgeMember]
    tables: Mapping[int, tuple[int, int]]
    donors: Mapping[int, int]
    """Whose addresses unnumbered interfaces borrow."""
    acls: Mapping[int, AclBinding]
    with_mpls: frozenset[str]
    with_sflow: frozenset[str]


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
        kind=devclass.kind_of(row.device_class, row.name),
        device_class=row.device_class,
        mac=row.mac.hex(":") if is_ethernet else "",
        link_mtu=row.link_mtu if has_link_mtu else None,
        has_sflow=row.name in around.with_sflow,
        **_of_any(row, around),
    )


def _sub_interface(row: Row, around: Surroundings) -> Interface:
    return Interface(
        kind=InterfaceKind.SUB_INTERFACE,
        parent=around.names.get(row.parent_index),
        sub_id=row.sub_id,
        encapsulation=_encapsulation(row),
        **_of_any(row, around),
    )


def _of_any(row: Row, around: Surroundings) -> dict[str, Any]:
    """Return what ports and sub-interfaces have alike."""
    index = row.sw_if_index
    member = around.bridges.get(index, _NO_BRIDGE)
    return {
        "name": row.name,
        "packet_mtu": row.packet_mtu,
        "protocol_mtus": _protocol_mtus(row),
        "is_up": bool(row.flags & _ADMIN_UP),
        "tag": row.tag,
        "addresses": around.addresses.get(index, _NO_ADDRESSES),
        "l2xc": _named(around.targets, index, around),
        "bridge": member.bd_id or None,
        "is_bvi": member.is_bvi,
        "split_horizon_group": member.split_horizon_group,
        "tag_rewrite": _tag_rewrite(row),
        "tables": around.tables.get(index, (0, 0)),
        "unnumbered": _donor(index, around),
        "has_mpls": row.name in around.with_mpls,
        "acls": around.acls.get(index, _NO_ACLS),
    }


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


def _named(others: Mapping[int, int], index: int, around: Surroundings) -> str | None:
    """Return the name of the interface that `others` has for the one with `index`."""
    other = others.get(index)
    return None if other is None else around.names.get(other)


def _donor(index: int, around: Surroundings) -> str | None:
    """Return the name of the interface whose addresses are borrowed; VPP keeps the index of a deleted one."""
    donor = around.donors.get(index)
    return None if donor is None else around.names.get(donor, DELETED_DONOR)
