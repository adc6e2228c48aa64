"""Simulates pings and ARP requests over the API (plugins/ping/ping_api.c, plugins/arping/arping.c).

There are no wires: who answers on them is put into the table `Hosts`, by address.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import unpack

from vppcfg.simulator import interfaces
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_PING = """
version 24.02- 0.1.0 5b568e46
import interface_index
import prefix
request want_ping_finished_events e79ee58b 24.02-: address address, u32 repeat=1, f64 interval=1.0
reply want_ping_finished_events_reply e8d4e804 24.02-: i32 retval
bare ping_finished_event 397ccf72 24.02-: u32 client_index, u32 request_count, u32 reply_count
"""
"""VPP's messages for this, in the notation of `simulator/api_files`."""
_ARPING = """
version 23.06- 1.0.0 8b2c8f39
import interface_index
import mac_address
import prefix
request arping 48817482: address address, interface_index sw_if_index, bool is_garp, u32 repeat=1, f64 interval=1.0
reply arping_reply bb9d1cbd: i32 retval, u32 reply_count
request arping_acd 48817482 23.10-: address address, interface_index sw_if_index, bool is_garp, u32 repeat=1, \
f64 interval=1.0
reply arping_acd_reply e08c3b05 23.10-: i32 retval, u32 reply_count, mac_address mac_address
"""
_LEAST_S = 0.001
"""An answer takes longer than that; a wait in network order comes to none (clib_net_to_host_f64)."""
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(slots=True, kw_only=True)
class Hosts:
    """Who is on the wires."""

    answering: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    """The interface (sw_if_index) and the MAC address of each host, by its address."""


def _address(values: Values) -> _Address:
    raw = values["address.un"]
    return ipaddress.ip_address(raw if values["address.af"] else raw[:4])


def _ping(call: Call, values: Values) -> Iterator[Outgoing]:
    """Ping in the default table; without a route nothing is sent, and the event has no requests."""
    address, repeat = _address(values), values["repeat"]
    yield call.reply()
    has_route = _egress(call.tables, address) is not None
    host = call.tables.part(Hosts).answering.get(str(address))
    is_waiting = unpack("<d", values["interval"])[0] >= _LEAST_S
    is_heard = is_waiting and host is not None and host[0] == _egress(call.tables, address)
    counts = {"request_count": repeat if has_route else 0, "reply_count": repeat if is_heard else 0}
    yield "ping_finished_event", {"client_index": call.client.handle, **counts}


def _arping(call: Call, values: Values) -> Outgoing:
    """Ask on an interface; without an address of that family it sends nothing, and gets no answer."""
    index, address = values["sw_if_index"], _address(values)
    interfaces.require(call.tables, index)
    book = call.tables.ip6 if address.version == 6 else call.tables.ip4
    host = call.tables.part(Hosts).answering.get(str(address))
    is_asking = call.tables.sw[index].is_up and any(True for _ in book.of(index))
    if not is_asking or host is None or host[0] != index:
        return call.reply()
    return call.reply(reply_count=values["repeat"], mac_address=host[1])


def _egress(tables: Tables, address: _Address) -> int | None:
    """Return the interface that is up and whose network in the default table has an address."""
    book = tables.ip6 if address.version == 6 else tables.ip4
    for index, sw in ((sw.index, sw) for sw in tables.sw):
        if not sw.is_up or book.table_of(index):
            continue
        for own in book.of(index):
            shift = book.bits - own.length
            if own.address >> shift == int(address) >> shift:
                return index
    return None


PING = Kind(api={"ping": _PING}, queries={"want_ping_finished_events": _ping}, plugin="ping", releases="24.02-")
ARPING = Kind(api={"arping": _ARPING}, queries={"arping": _arping, "arping_acd": _arping}, plugin="arping")
