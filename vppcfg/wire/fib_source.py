"""The FIB source of the routes of files, which keeps them apart from all other routes (vnet/fib/fib_source.c)."""

from __future__ import annotations

from vppcfg.errors import DataplaneError
from vppcfg.model.route import SOURCE, SOURCE_PRIORITY
from vppcfg.operations.request import Value
from vppcfg.wire.reading import Replies, VppReader

SOURCES = "fib_source_dump"


def own_source(connection: VppReader, replies: Replies) -> int | None:
    """Return VPP's number of the source that routes of files have, the first of that name; None where it has none."""
    rows = connection.rows(replies, "fib_source_details", "src.id", "src.name")
    return next((number for number, name in rows if name.partition(b"\0")[0] == SOURCE.encode()), None)


def registered_source(connection: VppReader) -> int:
    """Return VPP's number of our source, and create it where it is missing. Raise DataplaneError.

    VPP creates another one of the same name whenever it is asked to, and frees none (fib_source_allocate).
    """
    found = own_source(connection, connection.ask([connection.request(SOURCES)[1]]))
    if found is not None:
        return found
    values: dict[str, Value] = {"src.priority": SOURCE_PRIORITY, "src.name": SOURCE}
    replies = connection.ask([connection.request("fib_source_add", values)[1]])
    for retval, number in connection.rows(replies, "fib_source_add_reply", "retval", "id"):
        if not retval:
            return int(number)
    raise DataplaneError("VPP makes no FIB source for the routes of the file", "it has room for 255 of them")
