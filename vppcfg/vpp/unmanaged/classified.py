"""Reads the classifier tables that others set for packets to an interface's own addresses (`set ip classify`).

No message reads the setting back. It shows as a route of the source `classify` to the first address of the interface,
and to each that is added later; such a route stays when its address goes, and the next interface with the index has the
setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from vppcfg.kinds.route_reading import LOOKUP
from vppcfg.model.attachment import Attachment, Layer, Values, index_placeholder, stored_call
from vppcfg.operations.request import NO_INDEX
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.codec import prefix_values, text_of_address
from vppcfg.wire.reading import Replies
from vppcfg.wire.shell import Commands

_CHANGE_ROUTE = "ip_route_add_del_v2"
_SET = "classify_set_interface_ip_table"
_SOURCE = 2
"""FIB_SOURCE_CLASSIFY (vnet/fib/fib_source.h), the same in all releases from 22.06."""
_TABLE = re.compile(r"-classify:\[\d+\]:table:(\d+)")
"""`[@0]: ip4-classify:[0]:table:0`, the path of such a route in `show ip fib table 0 10.0.0.1/32`."""


class _Route(NamedTuple):
    """A route to an address whose packets are classified."""

    table_id: int
    family: int
    raw: bytes
    length: int

    @property
    def address(self) -> str:
        return text_of_address(self.family, self.raw)

    @property
    def shown_by(self) -> str:
        """Return the command that shows the table."""
        return f"show ip{'6' if self.family else ''} fib table {self.table_id} {self.address}/{self.length}"

    @property
    def values(self) -> Values:
        return {
            "route.table_id": self.table_id,
            "route.prefix.address.af": self.family,
            "route.prefix.address.un": self.raw,
            "route.prefix.len": self.length,
            "route.src": _SOURCE,
        }


def _requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    """Ask for the routes to the addresses of the interfaces that are asked for."""
    hosts = {
        (scope.state.interfaces[name].tables[":" in host], host)
        for name in scope.holders & scope.state.interfaces.keys()
        for host in (address.partition("/")[0] for address in scope.state.interfaces[name].addresses)
    }
    return [
        connection.request(
            LOOKUP, {"table_id": table, "exact": 1, **prefix_values("prefix", f"{host}/{128 if ':' in host else 32}")}
        )[1]
        for table, host in sorted(hosts)
    ]


def _read(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    heads = (
        *("retval", "route.src", "route.table_id"),
        *("route.prefix.address.af", "route.prefix.address.un", "route.prefix.len"),
    )
    rows = connection.rows(replies, f"{LOOKUP}_reply", *heads)
    known = (_Route(*values) for retval, source, *values in rows if not retval and source == _SOURCE)
    routes = {(each.table_id, each.address): each for each in known}
    if not routes:
        return
    commands = Commands(connection, sorted({each.shown_by for each in routes.values()}))
    shown = commands.read(connection, connection.ask(commands.requests))
    for name in sorted(scope.holders & scope.state.interfaces.keys()):
        interface = scope.state.interfaces[name]
        for family in (0, 1):
            own = [each.partition("/")[0] for each in interface.addresses if (":" in each) == bool(family)]
            found = [routes[key] for each in own if (key := (interface.tables[family], each)) in routes]
            numbers = {_TABLE.search(shown[each.shown_by][1]) for each in found}
            if len(found) == len(own) == 1 and (match := next(iter(numbers))) and interface.tables == (0, 0):
                yield _of_interface(name, family, int(match[1]))
            elif found:
                yield _of_interface(name, family)
                yield from (_of_address(name, each) for each in found)


def _of_interface(name: str, family: int, table: int | None = None) -> Attachment:
    """Return the setting; without a table it cannot be brought back as it was.

    With several addresses the first one is unknown. In a VRF VPP uses the wrong table for IPv6.
    """
    values: Values = {"is_ipv6": family, "sw_if_index": index_placeholder(name)}
    line = f"set ip{'6' if family else ''} classify intfc {name} table-index {table}"
    return Attachment(
        holder=name,
        kind="local classifier",
        name=f"IPv{6 if family else 4}" + ("" if table is None else f" table {table}"),
        layer=Layer.ROUTED,
        put=None if table is None else stored_call(_SET, {**values, "table_index": table}),
        take=stored_call(_SET, {**values, "table_index": NO_INDEX}),
        outlives=True,
        lines=() if table is None else (line,),
    )


def _of_address(name: str, route: _Route) -> Attachment:
    return Attachment(
        holder=name,
        kind="local classifier",
        name=f"of {route.address}",
        layer=Layer.ROUTED,
        take=stored_call(_CHANGE_ROUTE, {"is_add": 0, "is_multipath": 0, **route.values}),
        outlives=True,
    )


READERS = (Reader((LOOKUP, _CHANGE_ROUTE, _SET), _requests, _read),)
