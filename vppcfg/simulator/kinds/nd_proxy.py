"""Simulates ND proxies, hosts for which VPP answers solicitations: entries of the FIB (vnet/ip6-nd/ip6_nd_proxy.c).

The message that lists them has a number that no client knows, and is left out.
"""

from __future__ import annotations

import ipaddress
from contextlib import suppress

from vppcfg.model.nd_proxy import NdProxy
from vppcfg.model.state import State
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.fib_entries import FibPath
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import neighbor
from vppcfg.simulator.kinds.route import ND_PROXY
from vppcfg.simulator.kinds.route_change import change
from vppcfg.simulator.retval import RefusedError
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_BITS = 128


def proxy(tables: Tables, index: int, address: ipaddress.IPv6Address, *, is_add: bool) -> None:
    """Answer for a host of an interface in the table that this is in now, or no more; with it goes the neighbour."""
    table = tables.fib6.tables[tables.ip6.table_of(index)]
    path = FibPath(index, address.packed, is_ipv6=True)
    change(tables, table, (int(address), _BITS), ND_PROXY, (path,), is_add=is_add, is_multipath=True)
    if not is_add:
        with suppress(RefusedError):
            neighbor.delete(tables, index, address)


def _answer(call: Call, values: Values) -> Outgoing:
    """Change a proxy. VPP does not look whether there is such an interface."""
    address = ipaddress.IPv6Address(values["ip"])
    proxy(call.tables, values["sw_if_index"], address, is_add=bool(values["is_add"]))
    return call.reply()


def _command(tables: Tables, line: Input) -> str:
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
    return ""


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for each in state.of(NdProxy).values():
        proxy(tables, rows[each.interface].index, ipaddress.IPv6Address(each.address), is_add=True)


KIND = Kind(
    changes={"ip6nd_proxy_add_del": _answer},
    commands={"set ip6 nd proxy": _command},
    load=_load,
)
