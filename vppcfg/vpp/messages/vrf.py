"""FIB tables, and which of them interfaces are in.

No message tells of the tables of all interfaces at once. Where there are others than the default ones, each interface
is asked about, for the families that have any, and all requests are sent before the first reply is awaited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vppcfg.model.vrf import FibTable, table_key
from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.reading import Replies

_FAMILIES = (0, 1)
"""As is_ipv6 of the messages."""
_DUMP = "ip_table_dump"
_ADD_DEL = ("ip_table_add_del_v2", "ip_table_add_del")
"""Newest first; v2 came in 24.10, and may leave out the table for multicast, which its predecessor always makes."""


def _create_vrf(operation: op.CreateVrf, indexes: Indexes, vpp: Vocabulary) -> Request:
    message = vpp.newest(_ADD_DEL)
    multicast = {"create_mfib": 1} if vpp.has_field(message, "create_mfib") else {}
    return Request(message, {**_table(operation), "table.name": operation.name, "is_add": 1, **multicast})


def _delete_vrf(operation: op.DeleteVrf, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request(vpp.newest(_ADD_DEL), {**_table(operation), "is_add": 0})


def _mark_routes(operation: op.MarkVrfRoutes, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("ip_table_replace_begin", _table(operation))


def _sweep_routes(operation: op.SweepVrfRoutes, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("ip_table_replace_end", _table(operation))


def _release_typed_vrf(operation: op.ReleaseTypedVrf, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Write the command, which succeeds where nobody typed the other one (vnet/ip/lookup.c)."""
    family = "ip6" if operation.is_ipv6 else "ip"
    return Request("cli_inband", {}, text=f"{family} table del {operation.table_id}")


def _set_table(operation: op.SetTable, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {
        "sw_if_index": indexes.interface(operation.interface),
        "is_ipv6": int(operation.is_ipv6),
        "vrf_id": operation.table_id,
    }
    return Request("sw_interface_set_table", values)


def _table(operation: op.CreateVrf | op.DeleteVrf | op.MarkVrfRoutes | op.SweepVrfRoutes) -> dict[str, Value]:
    return {"table.table_id": operation.table_id, "table.is_ip6": int(operation.is_ipv6)}


MESSAGES: Messages = {
    op.CreateVrf: _create_vrf,
    op.MarkVrfRoutes: _mark_routes,
    op.SweepVrfRoutes: _sweep_routes,
    op.ReleaseTypedVrf: _release_typed_vrf,
    op.DeleteVrf: _delete_vrf,
    op.SetTable: _set_table,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all FIB tables, where VPP takes it."""
    return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies, used: Iterable[tuple[int, int]]) -> dict[str, FibTable]:
    """Return the FIB tables but the default ones, by what they go by.

    `used` are those that interfaces are in: of a VPP that has no list of tables, nothing else is known.
    """
    if not connection.offers(_DUMP):
        return {table.key: table for table in _unnamed(used)}
    rows = connection.rows(replies, "ip_table_details", "table.table_id", "table.is_ip6", "table.name")
    tables = [
        FibTable(table_id=table_id, is_ipv6=bool(is_ipv6), name=text_of(name))
        for table_id, is_ipv6, name in rows
        if table_id
    ]
    return {table.key: table for table in tables}


def _unnamed(used: Iterable[tuple[int, int]]) -> Iterator[FibTable]:
    for ids in used:
        for is_ipv6, table_id in enumerate(ids):
            if table_id:
                name = table_key(table_id, is_ipv6=bool(is_ipv6))
                yield FibTable(table_id=table_id, is_ipv6=bool(is_ipv6), name=name)


def families_of(connection: Connection, replies: Replies) -> tuple[int, ...]:
    """Return the families of which interfaces may be in another table than the default one."""
    if not connection.offers(_DUMP):
        return _FAMILIES
    rows = connection.rows(replies, "ip_table_details", "table.table_id", "table.is_ip6")
    return tuple(sorted({int(is_ipv6) for table_id, is_ipv6 in rows if table_id}))


class TableQuestions:
    """The requests for the FIB tables of interfaces, and what each asked for: the replies do not say."""

    def __init__(self, connection: Connection, indexes: Sequence[int], families: Sequence[int]) -> None:
        """Prepare one sw_interface_get_table for each of `indexes` and each of `families`."""
        self._asked: dict[int, tuple[int, int]] = {}
        self.requests: list[bytes] = []
        for index in indexes if families else ():
            for family in families:
                values = {"sw_if_index": index, "is_ipv6": family}
                context, request = connection.request("sw_interface_get_table", values)
                self._asked[context] = (index, family)
                self.requests.append(request)

    def read(self, connection: Connection, replies: Replies) -> dict[int, tuple[int, int]]:
        """Return the IPv4 and IPv6 table of every interface that is not in table 0 for both."""
        tables: dict[int, list[int]] = {}
        for context, retval, table in connection.rows(
            replies, "sw_interface_get_table_reply", "context", "retval", "vrf_id"
        ):
            if context in self._asked and not retval and table:
                index, family = self._asked[context]
                tables.setdefault(index, [0, 0])[family] = table
        return {index: (ip4, ip6) for index, (ip4, ip6) in tables.items()}
