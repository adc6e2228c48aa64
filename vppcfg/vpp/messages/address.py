"""Addresses and borrowed addresses of interfaces.

VPP has no message that tells of all addresses at once; the requests for all interfaces are therefore sent before the
first reply is awaited.
"""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.plan.request import ALL_INDEXES
from vppcfg.vpp.address_codec import text_of_address
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies, malformed

_FAMILIES = (0, 1)
"""ADDRESS_IP4, ADDRESS_IP6 (vnet/ip/ip_types.api); the same numbers are is_ipv6 where a message asks for that."""
_UNNUMBERED = "ip_unnumbered_dump"


def requests(connection: Connection, indexes: Sequence[int]) -> list[bytes]:
    """Return the requests for the addresses of the interfaces `indexes` (ip_address_dump)."""
    return [
        connection.request("ip_address_dump", {"sw_if_index": index, "is_ipv6": family})[1]
        for index in indexes
        for family in _FAMILIES
    ]


def read(connection: Connection, replies: Replies) -> dict[int, frozenset[str]]:
    """Return the addresses by interface index, canonical, without link-local ones.

    Raise DataplaneError when one has more bits than there are.
    """
    found: dict[int, list[str]] = {}
    paths = ("sw_if_index", "prefix.address.af", "prefix.address.un", "prefix.len")
    for index, family, raw, length in connection.rows(replies, "ip_address_details", *paths):
        if length > (128 if family else 32):
            raise malformed("ip_address_details")
        if family and raw[0] == 0xFE and raw[1] & 0xC0 == 0x80:
            continue
        found.setdefault(index, []).append(f"{text_of_address(family, raw)}/{length}")
    return {index: frozenset(addresses) for index, addresses in found.items()}


def unnumbered_requests(connection: Connection) -> list[bytes]:
    """Return the request for all unnumbered interfaces."""
    return [connection.request(_UNNUMBERED, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_UNNUMBERED) else []


def read_donors(connection: Connection, replies: Replies) -> dict[int, int]:
    """Return the donor of every unnumbered interface."""
    if not connection.offers(_UNNUMBERED):
        return {}
    return dict(connection.rows(replies, "ip_unnumbered_details", "sw_if_index", "ip_sw_if_index"))
