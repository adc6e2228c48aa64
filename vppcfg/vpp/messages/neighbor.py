"""Static neighbours of interfaces; those that VPP has learnt are told with them and left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from vppcfg.kinds.neighbor import STATIC, WITHOUT_ROUTE
from vppcfg.model.neighbor import LeftNeighbor, Neighbor, in_order
from vppcfg.plan.request import ALL_INDEXES
from vppcfg.vpp.address_codec import text_of_address
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies

_DUMP = "ip_neighbor_dump"
_FAMILIES = (0, 1)
_PATHS = ("neighbor.sw_if_index", "neighbor.flags", "neighbor.mac_address")
_ADDRESS = ("neighbor.ip_address.af", "neighbor.ip_address.un")


def requests(connection: Connection) -> list[bytes]:
    """Return the requests for all neighbours, one for each family, where VPP takes them."""
    if not connection.offers(_DUMP):
        return []
    return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES, "af": family})[1] for family in _FAMILIES]


def rows(connection: Connection, replies: Replies) -> list[tuple[Any, ...]]:
    """Return the index, flags, MAC address, family, address and age of every neighbour, learnt ones too.

    The age is a number of seconds, packed as VPP does (f64).
    """
    if not connection.offers(_DUMP):
        return []
    return connection.rows(replies, "ip_neighbor_details", *_PATHS, *_ADDRESS, "age")


def read(connection: Connection, replies: Replies) -> dict[int, tuple[Neighbor, ...]]:
    """Return the static neighbours by interface index, in the order of their addresses.

    Up to 25.10, some may be of interfaces that are gone (vnet/ip-neighbor/ip_neighbor.c, e5b3666c12f).
    """
    found: dict[int, list[Neighbor]] = {}
    for index, flags, mac, family, raw, _ in rows(connection, replies):
        if flags & STATIC:
            address = text_of_address(family, raw)
            neighbor = Neighbor(address=address, mac=mac.hex(":"), has_route=not flags & WITHOUT_ROUTE)
            found.setdefault(index, []).append(neighbor)
    return {index: in_order(each) for index, each in found.items()}


def left_behind(neighbors: Mapping[int, tuple[Neighbor, ...]], indexes: Collection[int]) -> tuple[LeftNeighbor, ...]:
    """Return the static neighbours whose interface is none of `indexes`."""
    return tuple(
        LeftNeighbor(sw_if_index=index, address=each.address, mac=each.mac)
        for index in sorted(neighbors.keys() - indexes)
        for each in neighbors[index]
    )
