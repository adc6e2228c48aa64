"""Bridge domains, and how interfaces belong to them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

from vppcfg.model.bridge import Bridge, BridgeSettings, bridge_name
from vppcfg.plan import operations as op
from vppcfg.plan.request import ALL_INDEXES, NO_INDEX, Indexes, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.reading import Replies, malformed

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
_DUMP = "bridge_domain_dump"
_DETAILS = "bridge_domain_details"
_SETTINGS = ("learn", "flood", "uu_flood", "forward", "arp_term", "arp_ufwd", "mac_age")
"""In the order of BridgeSettings."""


class Portless(NamedTuple):
    """The MAC addresses of a bridge domain that no interface has."""

    filtered: tuple[str, ...] = ()
    stray: tuple[str, ...] = ()
    """Of interfaces that are gone."""


_NO_MACS = Portless()


def _create_bridge(operation: op.CreateBridge, indexes: Indexes, vpp: Vocabulary) -> Request:
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


def _delete_bridge(operation: op.DeleteBridge, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request(vpp.newest(_BRIDGE), {"bd_id": operation.bd_id, "is_add": 0})


def _set_bridge_flag(operation: op.SetBridgeFlag, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"bd_id": operation.bd_id, "is_set": int(operation.is_on), "flags": _FLAGS[operation.flag]}
    return Request("bridge_flags", values)


def _set_bridge_mac_age(operation: op.SetBridgeMacAge, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("bridge_domain_set_mac_age", {"bd_id": operation.bd_id, "mac_age": operation.minutes})


MESSAGES: Messages = {
    op.CreateBridge: _create_bridge,
    op.DeleteBridge: _delete_bridge,
    op.SetBridgeFlag: _set_bridge_flag,
    op.SetBridgeMacAge: _set_bridge_mac_age,
}


class BridgeMember(NamedTuple):
    """How an interface belongs to a bridge domain."""

    bd_id: int
    is_bvi: bool
    split_horizon_group: int


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all bridge domains but 0, which VPP keeps for itself; none where VPP has no such thing."""
    if not connection.offers(_DUMP):
        return []
    return [connection.request(_DUMP, {"bd_id": ALL_INDEXES, "sw_if_index": ALL_INDEXES})[1]]


def read(connection: Connection, replies: Replies, portless: Mapping[int, Portless]) -> dict[str, Bridge]:
    """Return the bridge domains by name, with the MAC addresses there that no interface has."""
    if not connection.offers(_DUMP):
        return {}
    rows = connection.rows(replies, _DETAILS, "bd_id", "bd_tag", *_SETTINGS)
    return {
        bridge_name(bd_id): _bridge(bd_id, tag, portless.get(bd_id, _NO_MACS), *settings)
        for bd_id, tag, *settings in rows
    }


def _bridge(
    bd_id: int,
    tag: bytes,
    macs: Portless,
    learn: bool,
    flood: bool,
    uu_flood: bool,
    forward: bool,
    arp_term: bool,
    arp_ufwd: bool,
    mac_age: int,
) -> Bridge:
    settings = BridgeSettings(
        learn=learn,
        unicast_flood=flood,
        unknown_unicast_flood=uu_flood,
        unicast_forward=forward,
        arp_termination=arp_term,
        arp_unicast_forward=arp_ufwd,
        mac_age_minutes=mac_age,
    )
    return Bridge(bd_id=bd_id, settings=settings, tag=text_of(tag), filtered_macs=macs.filtered, stray_macs=macs.stray)


def read_members(connection: Connection, replies: Replies) -> dict[int, BridgeMember]:
    """Return how every member, a BVI included, belongs to its bridge domain.

    The port that alone gets unknown unicast is not among the members that VPP lists, and is one here.
    """
    if not connection.offers(_DUMP):
        return {}
    details = connection.message(_DETAILS)
    read_bridge = details.reader("bd_id", "bvi_sw_if_index", "uu_fwd_sw_if_index")
    members: dict[int, BridgeMember] = {}
    try:
        for data in replies.get(details.index, ()):
            bd_id, bvi, uu_forward = read_bridge(data)
            if uu_forward != NO_INDEX:
                members[uu_forward] = BridgeMember(bd_id, is_bvi=False, split_horizon_group=0)
            for index, group in details.items(data, "sw_if_index", "shg"):
                members[index] = BridgeMember(bd_id, index == bvi, group)
    except struct.error as error:
        raise malformed(details.name) from error
    return members
