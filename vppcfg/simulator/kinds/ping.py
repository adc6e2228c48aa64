"""Simulates pings of the CLI and ARP requests over the API (plugins/ping/ping.c, plugins/arping/arping.c).

There are no wires: who answers on them is put into the table `Hosts`, by address.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.retval import DiedError
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.wire import Outgoing, Values

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(slots=True, kw_only=True)
class Hosts:
    """Who is on the wires."""

    answering: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    """The interface (sw_if_index) and the MAC address of each host, by its address."""
    announced: list[tuple[int, str, bytes]] = field(default_factory=list)
    """What the router has announced on interfaces that are up: where, which address, and with which MAC address."""


def _address(values: Values) -> _Address:
    raw = values["address.un"]
    return ipaddress.ip_address(raw if values["address.af"] else raw[:4])


def _ping(tables: Tables, line: Input) -> str:
    """`ping <address> [repeat <n>]` in the default table; without a route nothing is sent."""
    address = line.address()
    if address is None:
        raise line.unknown()
    repeat = line.number_after("repeat") or 5
    egress = _egress(tables, address)
    host = tables.part(Hosts).answering.get(str(address))
    sent = 0 if egress is None else repeat
    received = repeat if egress is not None and host is not None and host[0] == egress else 0
    heard = [f"116 bytes from {address}: icmp_seq={number + 1} ttl=64 time=.5 ms" for number in range(received)]
    lines = heard if sent else ["Failed: no egress interface"]
    lost = 100 * (sent - received) // sent if sent else 0
    return "\n".join([*lines, "", f"Statistics: {sent} sent, {received} received, {lost}% packet loss", ""])


def _arping(call: Call, values: Values) -> Outgoing:
    """Ask on an interface; without an address of that family it sends nothing, and gets no answer."""
    index, address = values["sw_if_index"], _address(values)
    interface = interfaces.require(call.tables, index)
    if values["is_garp"]:
        _announce(call.tables, interface, address)
        return call.reply()
    book = call.tables.ip6 if address.version == 6 else call.tables.ip4
    host = call.tables.part(Hosts).answering.get(str(address))
    is_asking = call.tables.sw[index].is_up and any(True for _ in book.of(index))
    if not is_asking or host is None or host[0] != index:
        return call.reply()
    return call.reply(reply_count=values["repeat"], mac_address=host[1])


def _announce(tables: Tables, interface: SwInterface, address: _Address) -> None:
    """Send a gratuitous ARP request or a neighbour advertisement; VPP reads the MAC address from where there is none.

    See ip4_neighbor_advertise and ip6_neighbor_advertise (vnet/ip-neighbor).
    """
    port = tables.hw_of(interface)
    if not port.is_ethernet and address.version == 4:
        raise DiedError
    if port.is_ethernet and interface.is_up:
        tables.part(Hosts).announced.append((interface.index, str(address), port.mac))


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


PING = Kind(commands={"ping": _ping}, plugin="ping")
ARPING = Kind(queries={"arping": _arping, "arping_acd": _arping}, plugin="arping")
