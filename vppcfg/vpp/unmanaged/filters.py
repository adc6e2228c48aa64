"""Reads classifiers of other programs, which filter, police or record what comes in (vnet/classify/classify.api)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.attachment import Attachment, Layer, index_placeholder, stored_call
from vppcfg.operations.request import NO_INDEX
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.reading import Replies

_ASK = "classify_table_by_interface"
_SET = "input_acl_set_interface"
_TABLES = ("ip4", "ip6", "l2")


def _requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(_ASK, {"sw_if_index": index})[1] for index in scope.examined(connection)]


def _read(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield the tables that filter what comes in; those of lists of hosts, which vppcfg manages, are left out.

    One message sets all three families, so that an interface has one attachment.
    """
    fields = ("retval", "sw_if_index", *(f"{table}_table_id" for table in _TABLES))
    for retval, index, *tables in connection.rows(replies, f"{_ASK}_reply", *fields):
        name = scope.name(index)
        used = {table: number for table, number in zip(_TABLES, tables, strict=True) if number != NO_INDEX}
        known = scope.state.interfaces.get(name)
        if retval or not used or known is None or known.macip is not None:
            continue
        values = {f"{table}_table_index": number for table, number in zip(_TABLES, tables, strict=True)}
        words = " ".join(f"{table}-table {number}" for table, number in used.items())
        yield Attachment(
            holder=name,
            kind="classifier of input",
            name=words,
            layer=Layer.ALL,
            put=stored_call(_SET, {"is_add": 1, "sw_if_index": index_placeholder(name), **values}),
            take=stored_call(_SET, {"is_add": 0, "sw_if_index": index_placeholder(name), **values}),
            outlives=True,
            lines=(f"set interface input acl intfc {name} {words}",),
            removal=f"set interface input acl intfc {name} {words} del",
        )


READERS = (Reader((_ASK, _SET), _requests, _read),)
