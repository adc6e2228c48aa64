"""FIB tables, and which of them interfaces are in.

No message tells of the tables of all interfaces at once. Where there are others than the default ones, each interface
is asked about, for the families that have any, and all requests are sent before the first reply is awaited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vppcfg.model.vrf import FibTable, table_key
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.reading import Replies

_FAMILIES = (0, 1)
"""As is_ipv6 of the messages."""
_DUMP = "ip_table_dump"


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
