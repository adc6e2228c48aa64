"""Announces addresses on VPP's wires. VPP stops no worker for `arping` (plugins/arping), and answers at once.

Router advertisements that are set once more, with nothing else than they are, begin anew (vnet/ip6-nd/ip6_ra.c).
"""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.model.announcement import Announcement
from vppcfg.operations.request import Value
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.retval import describe
from vppcfg.wire.codec import address_values
from vppcfg.wire.row import read_interfaces, request_interfaces

_ARPING = "arping"
_ADVERTISE = "sw_interface_ip6nd_ra_config"


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
        values: dict[str, Value] = {"sw_if_index": indexes[each.interface]}
        if each.address:
            values |= {**address_values("address", each.address), "is_garp": 1, "repeat": 1}
        context, request = connection.request(_ARPING if each.address else _ADVERTISE, values)
        asked[context] = each
        requests.append(request)
    replies = connection.ask(requests) if requests else {}
    names = {_ARPING if each.address else _ADVERTISE for each in asked.values()}
    answered = dict(row for name in names for row in connection.rows(replies, f"{name}_reply", "context", "retval"))
    failed |= {each: describe(retval) for context, each in asked.items() if (retval := answered.get(context, 0))}
    return failed
