"""Neighbours of interfaces (vnet/ip-neighbor). None is learnt: there are no packets."""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import DiedError, RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_API = """
version 23.06 1.0.0 fde4a69a
version 24.10- 1.0.1 36db39bd
import interface_index
import mac_address
import prefix
enum ip_neighbor_flags u8 NONE=0 STATIC=1 NO_FIB_ENTRY=2
struct ip_neighbor: interface_index sw_if_index, ip_neighbor_flags flags, mac_address mac_address, address ip_address
request ip_neighbor_add_del 0607c257: bool is_add, ip_neighbor neighbor
reply ip_neighbor_add_del_reply 1992deab: i32 retval, u32 stats_index
request ip_neighbor_dump d817a484 streams ip_neighbor_details: interface_index sw_if_index=4294967295, address_family af
reply ip_neighbor_details e29d79f0: f64 age, ip_neighbor neighbor
"""
_STATIC, _NO_FIB_ENTRY = 1, 2
_SECONDS = struct.Struct(">d")
_GOES_WITH_ITS_INTERFACE = ReleaseQuirk(
    span="26.02-", text="static neighbours are taken out with their interface (e5b3666c12f)"
)
_ENDS_AT_ONE_LEFT = ReleaseQuirk(
    span="-25.10", text="VPP ends when a neighbour is changed whose address a deleted interface has left (e5b3666c12f)"
)
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(slots=True, kw_only=True)
class Entry:
    """What is known of a neighbour."""

    mac: bytes
    flags: int
    updated_s: float = 0.0
    """When it was heard of last, in seconds since 1970."""


@dataclass(slots=True, kw_only=True)
class NeighborMain:
    """All neighbours, by the index of their interface and by their address."""

    entries: dict[int, dict[_Address, Entry]] = field(default_factory=dict)


def add(tables: Tables, sw_if_index: int, address: _Address, mac: bytes, flags: int) -> None:
    """Enter a neighbour, or give another MAC address to one that is there and keeps its flags but to become static."""
    known = tables.part(NeighborMain).entries.setdefault(sw_if_index, {})
    if address not in known and not flags & _NO_FIB_ENTRY:
        _end_at_one_left(tables, sw_if_index, address)
    entry = known.setdefault(address, Entry(mac=mac, flags=flags))
    entry.mac = mac
    entry.updated_s = tables.process.clock()
    entry.flags |= flags & _STATIC


def has_route(entry: Entry) -> bool:
    """Return whether packets to a neighbour have a route of its own."""
    return not entry.flags & _NO_FIB_ENTRY


def delete(tables: Tables, sw_if_index: int, address: _Address) -> None:
    """Take a neighbour out; raise RefusedError when there is none of that address."""
    known = tables.part(NeighborMain).entries.get(sw_if_index, {})
    if address not in known:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    if has_route(known[address]):
        _end_at_one_left(tables, sw_if_index, address)
    del known[address]


def _end_at_one_left(tables: Tables, sw_if_index: int, address: _Address) -> None:
    """Die where the route of a neighbour has another way over an interface that is gone; both are in the table 0."""
    if not tables.release.has(_ENDS_AT_ONE_LEFT) or (address.version == 6 and address.is_link_local):
        return
    if (tables.ip6 if address.version == 6 else tables.ip4).table_of(sw_if_index):
        return
    for index, entries in tables.part(NeighborMain).entries.items():
        if tables.sw.get(index) is None and address in entries and has_route(entries[address]):
            raise DiedError


def _answer(call: Call, values: Values) -> Outgoing:
    index = values["neighbor.sw_if_index"]
    interfaces.require(call.tables, index)
    raw = values["neighbor.ip_address.un"]
    address = ipaddress.ip_address(raw if values["neighbor.ip_address.af"] else raw[:4])
    if values["is_add"]:
        add(call.tables, index, address, values["neighbor.mac_address"], values["neighbor.flags"])
    else:
        delete(call.tables, index, address)
    return call.reply()


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    is_ipv6 = values["af"]
    now = call.tables.process.clock()
    for index, entries in sorted(call.tables.part(NeighborMain).entries.items()):
        for address, entry in entries.items() if values["sw_if_index"] in (NONE, index) else ():
            if (address.version == 6) == bool(is_ipv6):
                yield call.details(
                    {
                        "age": _SECONDS.pack(now - entry.updated_s),
                        "neighbor.sw_if_index": index,
                        "neighbor.flags": entry.flags,
                        "neighbor.mac_address": entry.mac,
                        "neighbor.ip_address.af": is_ipv6,
                        "neighbor.ip_address.un": address.packed.ljust(16, b"\0"),
                    }
                )


def _command(tables: Tables, line: Input) -> str:
    """`set ip neighbor [del] <interface> <address> <mac> [static] [no-fib-entry]`; taking out none is no error."""
    is_add, flags, row, address, mac = True, 0, None, None, None
    while not line.is_at_end:
        if (found := line.interface(tables)) is not None:
            row = found
            address = line.address()
            mac = line.mac_after("")
        elif line.take_word("static"):
            flags |= _STATIC
        elif line.take_word("no-fib-entry"):
            flags |= _NO_FIB_ENTRY
        elif line.take_word("del") or line.take_word("delete"):
            is_add = False
        else:
            break
    line.skip_space()
    if row is None or address is None or mac is None:
        raise RefusedError(Retval.UNSPECIFIED, f"specify interface, IP address and MAC: `{line.shown}'")
    if is_add:
        add(tables, row.index, address, mac, flags)
    else:
        with suppress(RefusedError):
            delete(tables, row.index, address)
    return ""


def _forget(tables: Tables, sw_if_index: int) -> None:
    """Take out the neighbours of an interface that goes; else they wait for the next one with its index."""
    if tables.release.has(_GOES_WITH_ITS_INTERFACE):
        tables.part(NeighborMain).entries.pop(sw_if_index, None)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for name, row in rows.items():
        for each in state.interfaces[name].neighbors:
            flags = _STATIC | (0 if each.has_route else _NO_FIB_ENTRY)
            add(tables, row.index, ipaddress.ip_address(each.address), mac_bytes(each.mac), flags)


KIND = Kind(
    api={"ip_neighbor": _API},
    quirks=(_GOES_WITH_ITS_INTERFACE, _ENDS_AT_ONE_LEFT),
    changes={"ip_neighbor_add_del": _answer},
    queries={"ip_neighbor_dump": _dump},
    commands={"set ip neighbor": _command},
    deleted=_forget,
    load=_load,
)
