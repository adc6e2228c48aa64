"""Sends a question on VPP's wires for a check: an echo request of VPP's own, an ARP request, a neighbour solicitation.

While VPP waits for an answer, the one process that serves all clients of its API waits too (vl_api_clnt_process): each
question takes about a second, and only one is sent at a time.
"""

from __future__ import annotations

import struct

from vppcfg.errors import DataplaneError
from vppcfg.model.question import AskOutcome, EchoQuestion, NeighborQuestion
from vppcfg.vpp.address_codec import address_values
from vppcfg.vpp.connection import Connection, text_of

_WAIT_S = 1.0
_PATIENCE_S = 10.0
"""How long VPP may take to report how a ping of a second ended."""
_INTERVAL = struct.pack("=d", _WAIT_S)
"""VPP takes a f64 in the order of its own machine (clib_net_to_host_f64, vppinfra/byte_order.h)."""
_PING, _ARPING, _ARPING_ACD = "want_ping_finished_events", "arping", "arping_acd"


def ask_echo(connection: Connection, question: EchoQuestion) -> AskOutcome:
    """Ping once from VPP. Raise DataplaneError when VPP goes away or does not report how it ended.

    Nothing else is sent meanwhile: a message that comes in while VPP waits ends its wait (ping_api.c).
    """
    if not connection.has(_PING):
        return AskOutcome(cannot_ask="this VPP has no ping in its API: 24.02, plugin ping", is_unable=True)
    values = {**address_values("address", question.address), "repeat": 1, "interval": _INTERVAL}
    request = connection.request(_PING, values)[1]
    event = connection.ask_and_wait(request, f"{_PING}_reply", "ping_finished_event", _PATIENCE_S)
    if not event:
        return AskOutcome(cannot_ask="VPP refuses to ping it")
    requests, replies = connection.values(event, "ping_finished_event", "request_count", "reply_count")
    if not requests:
        return AskOutcome(cannot_ask="VPP has no route to it, or no address to ask from")
    return AskOutcome(is_answered=replies > 0)


def ask_neighbor(connection: Connection, question: NeighborQuestion) -> AskOutcome:
    """Ask on an interface who has an address. Raise DataplaneError when VPP goes away.

    An interface without an address of that family asks nothing and reports no answer (ip4_neighbor_probe_dst): that is
    for the caller to know.
    """
    name = connection.newest((_ARPING_ACD, _ARPING))
    if not connection.has(name):
        return AskOutcome(cannot_ask="this VPP runs without the plugin arping")
    index = _index_of(connection, question.interface)
    if index is None:
        return AskOutcome(cannot_ask=f"VPP has no interface {question.interface}")
    values = {
        **address_values("address", question.address),
        "sw_if_index": index,
        "is_garp": 0,
        "repeat": 1,
        "interval": _INTERVAL,
    }
    replies = connection.ask([connection.request(name, values)[1]])
    paths = ("retval", "reply_count", *(("mac_address",) if name == _ARPING_ACD else ()))
    for retval, count, *macs in connection.rows(replies, f"{name}_reply", *paths):
        if retval:
            return AskOutcome(cannot_ask=f"VPP is asking on {question.interface} already, or refuses to ({retval})")
        mac = macs[0].hex(":") if macs and count else ""
        return AskOutcome(is_answered=count > 0, mac=mac)
    raise DataplaneError(f"VPP did not answer {name}", "is it the API socket of a VPP?")


def _index_of(connection: Connection, name: str) -> int | None:
    replies = connection.ask([connection.request("sw_interface_dump", {"sw_if_index": 0xFFFFFFFF})[1]])
    rows = connection.rows(replies, "sw_interface_details", "sw_if_index", "interface_name")
    return next((int(index) for index, found in rows if text_of(found) == name), None)
