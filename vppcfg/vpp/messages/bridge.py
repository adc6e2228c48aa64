"""Bridge domains, and how interfaces belong to them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

from vppcfg.model.bridge import Bridge, BridgeSettings, bridge_name
from vppcfg.plan.request import ALL_INDEXES, NO_INDEX
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.reading import Replies, malformed

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
