"""What is switched: cross-connects and membership of bridge domains, by interface index."""

from __future__ import annotations

import struct

from vppcfg.vpp.connection import Connection, Replies, malformed

_ALL = 0xFFFFFFFF
_BRIDGES = "bridge_domain_dump"


def requests(connection: Connection) -> list[bytes]:
    """Return the requests for all cross-connects and, where VPP has such a thing, bridge domains."""
    asked = [connection.request("l2_xconnect_dump")[1]]
    if connection.offers(_BRIDGES):
        asked.append(connection.request(_BRIDGES, {"bd_id": _ALL, "sw_if_index": _ALL})[1])
    return asked


def read_targets(connection: Connection, replies: Replies) -> dict[int, int]:
    """Return where every cross-connected interface sends what it receives."""
    return dict(connection.rows(replies, "l2_xconnect_details", "rx_sw_if_index", "tx_sw_if_index"))


def read_bridges(connection: Connection, replies: Replies) -> dict[int, int]:
    """Return the bridge domain of every member, its BVI included."""
    if not connection.offers(_BRIDGES):
        return {}
    details = connection.message("bridge_domain_details")
    read_id = details.reader("bd_id")
    members: dict[int, int] = {}
    try:
        for data in replies.get(details.index, ()):
            (bridge,) = read_id(data)
            members.update((index, bridge) for (index,) in details.items(data, "sw_if_index"))
    except struct.error as error:
        raise malformed(details.name) from error
    return members
