"""Sends a question on VPP's wires for a check: an echo request of VPP's own, an ARP request, a neighbour solicitation.

While VPP waits for an answer, the one process that serves all clients of its API waits too (vl_api_clnt_process): each
question takes about a second, and only one is sent at a time. Workers must not stand still meanwhile: they bring the
answer. They do for `want_ping_finished_events`, which is not thread-safe, so that it stops forwarding for a second and
hears nothing; `arping` is thread-safe, and so is `ping` of the CLI, but `cli_inband` only from 26.06 on (0f337c1459e).
"""

from __future__ import annotations

import re
import struct

from vppcfg.common.release import is_older, release_of
from vppcfg.errors import DataplaneError
from vppcfg.model.question import AskOutcome, EchoQuestion, NeighborQuestion
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.messages.interface import read_workers
from vppcfg.wire.codec import address_values
from vppcfg.wire.shell import show

_WAIT_S = 1.0
_INTERVAL = struct.pack("=d", _WAIT_S)
"""VPP takes a f64 in the order of its own machine (clib_net_to_host_f64, vppinfra/byte_order.h)."""
_ARPING, _ARPING_ACD = "arping", "arping_acd"
_THREAD_SAFE = "26.06"
_COUNTS = re.compile(r"Statistics: (\d+) sent, (\d+) received")
"""`Statistics: 1 sent, 0 received, 100% packet loss`, the last line of `ping`."""


def ask_echo(connection: Connection, question: EchoQuestion, version: str) -> AskOutcome:
    """Ping once from a VPP of a version. Raise DataplaneError when VPP goes away."""
    if is_older(version, release_of(_THREAD_SAFE)) and _has_workers(connection):
        text = f"before {_THREAD_SAFE}, VPP forwards nothing while it pings"
        return AskOutcome(cannot_ask=text, is_unable=True)
    _, text = show(connection, f"ping {question.address} repeat 1")
    counts = _COUNTS.search(text)
    if counts is None:
        return AskOutcome(cannot_ask="this VPP runs without the plugin ping", is_unable=True)
    if not int(counts[1]):
        return AskOutcome(cannot_ask="VPP has no route to it, or no address to ask from")
    return AskOutcome(is_answered=int(counts[2]) > 0)


def _has_workers(connection: Connection) -> bool:
    if not connection.offers("show_threads"):
        return False
    return read_workers(connection, connection.ask([connection.request("show_threads")[1]])) > 0


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
