"""Simulates neighbours of interfaces and their limits (vnet/ip-neighbor). Without packets none is learnt or ages."""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from vppcfg.model.neighbor_table import NeighborTable
from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import DiedError, RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_STATIC, _NO_FIB_ENTRY = 1, 2
_FAMILIES = ("ip4", "ip6")
_SECONDS = struct.Struct(">d")
_GOES_WITH_ITS_INTERFACE = ReleaseQuirk(
    span="26.02-", text="static neighbours are taken out with their interface (e5b3666c12f)"
)
_ENDS_AT_ONE_LEFT = ReleaseQuirk(
    span="-25.10", text="VPP crashes at a change of a neighbour that a deleted interface has left (e5b3666c12f)"
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
class Limits:
    """What bounds the neighbours of a family (ip_neighbor_db_t)."""

    limit: int = 50_000
    age_s: int = 0
    is_recycling: bool = False


@dataclass(slots=True, kw_only=True)
class NeighborMain:
    """All neighbours, by the index of their interface and by their address, and the limits by family."""

    entries: dict[int, dict[_Address, Entry]] = field(default_factory=dict)
    limits: list[Limits] = field(default_factory=lambda: [Limits(), Limits()])
    counts: list[int] = field(default_factory=lambda: [0, 0])
    """Neighbours by family."""


def add(tables: Tables, sw_if_index: int, address: _Address, mac: bytes, flags: int) -> None:
    """Enter a neighbour, or give another MAC address to one that is there and keeps its flags but to become static."""
    main = tables.part(NeighborMain)
    known = main.entries.setdefault(sw_if_index, {})
    if address not in known:
        _make_room(tables, address.version)
        main.counts[address.version == 6] += 1
        if not flags & _NO_FIB_ENTRY:
            _end_at_one_left(tables, sw_if_index, address)
    entry = known.setdefault(address, Entry(mac=mac, flags=flags))
    entry.mac = mac
    entry.updated_s = tables.process.clock()
    entry.flags |= flags & _STATIC


def _make_room(tables: Tables, version: int) -> None:
    """Remove the oldest neighbour of a full table that recycles; raise RefusedError where no other one may go."""
    main = tables.part(NeighborMain)
    limits = main.limits[version == 6]
    if not limits.limit or main.counts[version == 6] < limits.limit:
        return
    dynamic = [
        (entry.updated_s, index, address)
        for index, entries in main.entries.items()
        for address, entry in entries.items()
        if address.version == version and not entry.flags & _STATIC
    ]
    if not (limits.is_recycling and dynamic):
        raise RefusedError(Retval.LIMIT_EXCEEDED)
    _, index, oldest = min(dynamic, key=lambda each: each[0])
    _take_out(main, index, oldest)


def _take_out(main: NeighborMain, sw_if_index: int, address: _Address) -> None:
    del main.entries[sw_if_index][address]
    main.counts[address.version == 6] -= 1


def has_route(entry: Entry) -> bool:
    """Return whether packets to a neighbour have a route of its own."""
    return not entry.flags & _NO_FIB_ENTRY


def delete(tables: Tables, sw_if_index: int, address: _Address) -> None:
    """Take a neighbour out; raise RefusedError when there is none of that address."""
    main = tables.part(NeighborMain)
    known = main.entries.get(sw_if_index, {})
    if address not in known:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    if has_route(known[address]):
        _end_at_one_left(tables, sw_if_index, address)
    _take_out(main, sw_if_index, address)


def _end_at_one_left(tables: Tables, sw_if_index: int, address: _Address) -> None:
    """Die where the route of a neighbour has another way over an interface that is gone; both are in the table 0."""
    if not tables.release.has(_ENDS_AT_ONE_LEFT) or (address.version == 6 and address.is_link_local):
        return
    if (tables.ip6 if address.version == 6 else tables.ip4).table_of(sw_if_index):
        return
    for index, entries in tables.part(NeighborMain).entries.items():
        if tables.sw.get(index) is None and address in entries and has_route(entries[address]):
            raise DiedError


def _answer(call: Call, values: Values) -> None:
    index = values["neighbor.sw_if_index"]
    interfaces.require(call.tables, index)
    raw = values["neighbor.ip_address.un"]
    address = ipaddress.ip_address(raw if values["neighbor.ip_address.af"] else raw[:4])
    if values["is_add"]:
        add(call.tables, index, address, values["neighbor.mac_address"], values["neighbor.flags"])
    else:
        delete(call.tables, index, address)


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


def _command(tables: Tables, line: Input) -> None:
    """`set ip neighbor [del] <interface> <address> <mac> [static] [no-fib-entry] [count <n>]`; VPP refuses none."""
    is_add, flags, count, row, address, mac = True, 0, 1, None, None, None
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
        elif (number := line.number_after("count")) is not None:
            count = number
        else:
            break
    line.skip_space()
    if row is None or address is None or mac is None:
        raise RefusedError(Retval.UNSPECIFIED, f"specify interface, IP address and MAC: `{line.shown}'")
    for place in range(count):
        there = type(address)((int(address) + place) % (1 << address.max_prefixlen))
        with suppress(RefusedError):
            if is_add:
                add(tables, row.index, there, _mac_after(mac, place), flags)
            else:
                delete(tables, row.index, there)


def _mac_after(mac: bytes, place: int) -> bytes:
    return ((int.from_bytes(mac, "big") + place) % (1 << 48)).to_bytes(6, "big")


def _configure(call: Call, values: Values) -> None:
    limits = call.tables.part(NeighborMain).limits
    if values["af"] >= len(limits):
        raise RefusedError(Retval.INVALID_ADDRESS_FAMILY)
    limits[values["af"]] = Limits(
        limit=values["max_number"], age_s=values["max_age"], is_recycling=bool(values["recycle"])
    )


def _get_config(call: Call, values: Values) -> Outgoing:
    limits = call.tables.part(NeighborMain).limits
    if values["af"] >= len(limits):
        return call.reply(retval=Retval.INVALID_ADDRESS_FAMILY, max_number=NONE, max_age=NONE)
    found = limits[values["af"]]
    return call.reply(af=values["af"], max_number=found.limit, max_age=found.age_s, recycle=found.is_recycling)


def _config_command(tables: Tables, line: Input) -> None:
    """`set ip neighbor-config ip4|ip6 [limit <n>] [age <n>] [recycle|norecycle]`."""
    line = line.line()
    family = next((number for number, word in enumerate(_FAMILIES) if line.take(word)), None)
    if family is None:
        raise line.unknown("parse error")
    limits = tables.part(NeighborMain).limits
    found = limits[family]
    numbers = {"limit": found.limit, "age": found.age_s}
    is_recycling = found.is_recycling
    while not line.is_at_end:
        if line.take("norecycle"):
            is_recycling = False
        elif line.take("recycle"):
            is_recycling = True
        elif not any(line.take_setting(key, numbers) for key in ("limit", "age")):
            raise line.unknown("parse error")
    limits[family] = Limits(limit=numbers["limit"], age_s=numbers["age"], is_recycling=is_recycling)


def _forget(tables: Tables, sw_if_index: int) -> None:
    """Take out the neighbours of an interface that goes; else they wait for the next one with its index."""
    if tables.release.has(_GOES_WITH_ITS_INTERFACE):
        main = tables.part(NeighborMain)
        for address in list(main.entries.get(sw_if_index, {})):
            _take_out(main, sw_if_index, address)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for table in state.of(NeighborTable).values():
        limits = Limits(limit=table.limit, age_s=table.max_age_s, is_recycling=table.is_recycling)
        tables.part(NeighborMain).limits[table.is_ipv6] = limits
    for name, row in rows.items():
        for each in state.interfaces[name].neighbors:
            flags = _STATIC | (0 if each.has_route else _NO_FIB_ENTRY)
            add(tables, row.index, ipaddress.ip_address(each.address), mac_bytes(each.mac), flags)


KIND = Kind(
    quirks=(_GOES_WITH_ITS_INTERFACE, _ENDS_AT_ONE_LEFT),
    changes={"ip_neighbor_add_del": _answer, "ip_neighbor_config": _configure},
    queries={"ip_neighbor_dump": _dump, "ip_neighbor_config_get": _get_config},
    commands={"set ip neighbor": _command, "set ip neighbor-config": _config_command},
    deleted=_forget,
    load=_load,
)
