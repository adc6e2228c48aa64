"""Simulates proxies of ARP (vnet/arp/arp_proxy.c) and of ND (vnet/ip6-nd/ip6_nd_proxy.c).

Ranges of proxy ARP outlive their table, and who answers outlives its interface. Hosts for which VPP answers
solicitations are entries of the FIB; the message that lists them has a number that no client knows, and is left out.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from vppcfg.model.nd_proxy import NdProxy
from vppcfg.model.state import State
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.fib_entries import FibPath
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import neighbor
from vppcfg.simulator.kinds.route import ND_PROXY
from vppcfg.simulator.kinds.route_change import change
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_TELLS_IDS = ReleaseQuirk(
    span="25.10-", text="ranges are reported with the id of their table, not with its index (89bbec8df64)"
)
_NOWHERE = b"\xff" * 4


class Range(NamedTuple):
    """Addresses for which VPP answers (ethernet_proxy_arp_t)."""

    first: bytes
    last: bytes
    fib_index: int


@dataclass(slots=True, kw_only=True)
class ProxyArpMain:
    """Ranges, with the id of their table when they were added, and who answers (arp_proxy_main_t)."""

    ranges: dict[Range, int] = field(default_factory=dict)
    answering: set[int] = field(default_factory=set)


def set_range(tables: Tables, table_id: int, first: bytes, last: bytes, *, is_add: bool) -> None:
    """Add or delete a range; raise RefusedError where there is no such table, or no range to delete."""
    table = required(tables.fib4.tables.get(table_id), f"no such table: {table_id}", Retval.NO_SUCH_FIB)
    wanted, ranges = Range(first, last, table.index), tables.part(ProxyArpMain).ranges
    if is_add:
        ranges.setdefault(wanted, table_id)
    elif ranges.pop(wanted, None) is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)


def _answer_range(call: Call, values: Values) -> None:
    ends = values["proxy.low"], values["proxy.hi"]
    set_range(call.tables, values["proxy.table_id"], *ends, is_add=values["is_add"])


def _dump_ranges(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the ranges; one of a table that is gone has the id that this had."""
    tells_ids = call.tables.release.has(_TELLS_IDS)
    ids = {table.index: table_id for table_id, table in call.tables.fib4.tables.items()}
    for each, former in call.tables.part(ProxyArpMain).ranges.items():
        table_id = ids.get(each.fib_index, former) if tells_ids else each.fib_index
        yield call.details({"proxy.table_id": table_id, "proxy.low": each.first, "proxy.hi": each.last})


def _answer_interface(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    _switch(call.tables, values["sw_if_index"], is_on=values["enable"])


def _switch(tables: Tables, sw_if_index: int, *, is_on: bool) -> None:
    answering = tables.part(ProxyArpMain).answering
    if is_on == (sw_if_index in answering):
        return
    arcs.set_features(tables, sw_if_index, [("arp", "arp-proxy")], is_on=is_on)
    if is_on:
        answering.add(sw_if_index)
    else:
        answering.discard(sw_if_index)


def _dump_interfaces(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show who answers, interfaces that are gone too."""
    for index in sorted(call.tables.part(ProxyArpMain).answering):
        yield call.details({"sw_if_index": index})


def _command_range(tables: Tables, line: Input) -> None:
    """`set arp proxy [del] table-id <id> start <address> end <address>`; what it cannot delete it passes over."""
    table_id, is_add, ends = 0, True, {"first": _NOWHERE, "last": _NOWHERE}
    while not line.is_at_end:
        if (number := line.number_after("table-id")) is not None:
            table_id = number
        elif line.take_field({"start": "first", "end": "last"}, lambda: line.packed(4), ends):
            continue
        elif line.take("del") or line.take("delete"):
            is_add = False
        else:
            break
    try:
        set_range(tables, table_id, **ends, is_add=is_add)
    except RefusedError as refusal:
        if refusal.retval is not Retval.NO_SUCH_ENTRY:
            raise RefusedError(Retval.UNSPECIFIED, f"no such table: {table_id}") from None


def _command_interface(tables: Tables, line: Input) -> None:
    """`set interface proxy-arp <interface> [enable | on | disable | off]`."""
    row, is_on = None, False
    while not line.is_at_end:
        if (found := line.interface(tables)) is not None:
            row = found
        elif (word := line.choice_after("", {"enable": True, "on": True, "disable": False, "off": False})) is not None:
            is_on = word
        else:
            break
    if row is None:
        raise line.unknown()
    _switch(tables, row.index, is_on=is_on)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for each in sorted(state.proxy_arps, key=lambda each: each.order):
        ends = (ipaddress.IPv4Address(end).packed for end in (each.first, each.last))
        set_range(tables, each.table_id, *ends, is_add=True)
    for name, row in rows.items():
        if state.interfaces[name].has_proxy_arp:
            _switch(tables, row.index, is_on=True)


_BITS = 128


def proxy(tables: Tables, index: int, address: ipaddress.IPv6Address, *, is_add: bool) -> None:
    """Answer for a host of an interface in the table that this is in now, or no more; with it goes the neighbour."""
    table = tables.fib6.tables[tables.ip6.table_of(index)]
    path = FibPath(index, address.packed, is_ipv6=True)
    change(tables, table, (int(address), _BITS), ND_PROXY, (path,), is_add=is_add, is_multipath=True)
    if not is_add:
        with suppress(RefusedError):
            neighbor.delete(tables, index, address)


def _answer_nd(call: Call, values: Values) -> None:
    """Change a proxy. VPP does not look whether there is such an interface."""
    address = ipaddress.IPv6Address(values["ip"])
    proxy(call.tables, values["sw_if_index"], address, is_add=bool(values["is_add"]))


def _command_nd(tables: Tables, line: Input) -> None:
    """`set ip6 nd proxy <interface> [del] <address>`."""
    row = line.interface(tables)
    is_add = True
    while row is not None and not line.is_at_end:
        if isinstance(address := line.address(), ipaddress.IPv6Address):
            proxy(tables, row.index, address, is_add=is_add)
            break
        if not line.take_word("del"):
            raise line.unknown("parse error")
        is_add = False


def _load_nd(tables: Tables, state: State, rows: Rows) -> None:
    for each in state.of(NdProxy).values():
        proxy(tables, rows[each.interface].index, ipaddress.IPv6Address(each.address), is_add=True)


KIND = Kind(
    changes={"proxy_arp_add_del": _answer_range, "proxy_arp_intfc_enable_disable": _answer_interface},
    queries={"proxy_arp_dump": _dump_ranges, "proxy_arp_intfc_dump": _dump_interfaces},
    commands={"set arp proxy": _command_range, "set interface proxy-arp": _command_interface},
    quirks=(_TELLS_IDS,),
    load=_load,
)

ND = Kind(
    changes={"ip6nd_proxy_add_del": _answer_nd},
    commands={"set ip6 nd proxy": _command_nd},
    load=_load_nd,
)
