"""Announces addresses on VPP's wires (plugins/arping). VPP stops no worker for it and answers at once."""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.model.announcement import Announcement
from vppcfg.vpp.address_codec import address_values
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.retval import describe
from vppcfg.vpp.row import read_interfaces, request_interfaces

_ARPING = "arping"


def announce(connection: Connection, announcements: Sequence[Announcement]) -> dict[Announcement, str]:
    """Send each once, and return why those were not sent that were not. Raise DataplaneError when VPP goes away.

    VPP 26.10 ends at an IPv4 address on an interface without Ethernet (ip4_neighbor_advertise): none is sent there.
    """
    if not connection.has(_ARPING):
        return dict.fromkeys(announcements, "this VPP runs without the plugin arping")
    rows = read_interfaces(connection, connection.ask(request_interfaces(connection)))
    with_mac = {row.sw_if_index for row in rows if any(row.mac)}
    indexes = {row.name: row.sw_if_index for row in rows if row.parent_index in with_mac}
    failed: dict[Announcement, str] = {}
    asked: dict[int, Announcement] = {}
    requests = []
    for each in announcements:
        if each.interface not in indexes:
            failed[each] = "VPP has no such Ethernet interface"
            continue
        values = {"sw_if_index": indexes[each.interface], "is_garp": 1, "repeat": 1}
        context, request = connection.request(_ARPING, {**address_values("address", each.address), **values})
        asked[context] = each
        requests.append(request)
    replies = connection.ask(requests) if requests else {}
    answered = dict(connection.rows(replies, f"{_ARPING}_reply", "context", "retval"))
    failed |= {each: describe(retval) for context, each in asked.items() if (retval := answered.get(context, 0))}
    return failed
