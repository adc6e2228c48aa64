"""Asks VPP for the peers of virtual routers (plugins/vrrp)."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address

from vppcfg.wire.reading import VppReader
from vppcfg.wire.shell import show

RouterKey = tuple[int, int, bool]
"""The index of the interface, the number, and whether it is of IPv6."""
_DUMP = "vrrp_vr_peer_dump"
_SHOW = "show vrrp vr"
_SHOWN = re.compile(r"^\[\d+\] sw_if_index (\d+) VR ID (\d+) IPv([46])$.*?^   peer addresses(.*?)$", re.M | re.S)
"""What that prints of each router (vrrp_format.c)."""


def read_peers(connection: VppReader, routers: Collection[RouterKey]) -> dict[RouterKey, list[tuple[int, bytes]]]:
    """Return family and address of each peer of `routers`, in VPP's order. Raise DataplaneError.

    They are asked for router by router: to a question about all, VPP answers with another message. It looks a router
    up by a key with bytes that it has not set (vl_api_vrrp_vr_peer_dump_t_handler): by the compiler that it was built
    with, it may find none, and answer nothing. Its prompt shows them then.
    """
    if not routers:
        return {}
    heads = ("sw_if_index", "vr_id", "is_ipv6")
    asked = [connection.request(_DUMP, dict(zip(heads, map(int, each), strict=True)))[1] for each in routers]
    rows = connection.lists(connection.ask(asked), "vrrp_vr_peer_details", heads, "af", "un")
    found = {(index, number, bool(is_ipv6)): list(hosts) for (index, number, is_ipv6), hosts in rows}
    if any(each not in found for each in routers):
        for shown in _SHOWN.finditer(show(connection, _SHOW)[1]):
            is_ipv6 = shown[3] == "6"
            hosts = [(int(is_ipv6), ip_address(text).packed.ljust(16, b"\0")) for text in shown[4].split()]
            found[int(shown[1]), int(shown[2]), is_ipv6] = hosts
    return found
