"""Reads L3 cross-connects of other programs: all that an interface takes in goes one way (plugins/l3xc/l3xc.api).

Plans that delete or recreate the interface report them, or carry them over (model/attachment.py).

VPP keeps a cross-connect when its interface is deleted. It then does nothing, but a new one on the next interface with
that index does nothing either. VPP does not fill in the family (l3xc_send_details): it is that of the next hops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vppcfg.model.attachment import Attachment, Layer, Values, index_placeholder, stored_call
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.vpp.unmanaged.routes import PATH, element_of, lookup_table_of, share_of, way_of
from vppcfg.wire.reading import Replies

_DUMP, _UPDATE, _DELETE = "l3xc_dump", "l3xc_update", "l3xc_del"


def _requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]]


def _read(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    for (index,), rows in connection.lists(replies, "l3xc_details", ("l3xc.sw_if_index",), *PATH):
        paths = [dict(zip(PATH, row, strict=True)) for row in rows]
        name, names = scope.names.get(index, ""), [scope.names.get(path["sw_if_index"], "") for path in paths]
        tables = tuple(filter(None, map(lookup_table_of, paths)))
        if not scope.concerns(name, (*names, *tables)):
            continue
        is_ipv6 = any(path["proto"] == 1 for path in paths)
        ways = [way_of(path, through) + share_of(path) for path, through in zip(paths, names, strict=True)]
        elements = [element_of(path, through) for path, through in zip(paths, names, strict=True)]
        head: Values = {"l3xc.sw_if_index": index_placeholder(name), "l3xc.is_ip6": int(is_ipv6)}
        family = "ip6 " if is_ipv6 else ""
        yield Attachment(
            holder=name,
            kind="L3 cross-connect",
            name=f"IPv{6 if is_ipv6 else 4} {' '.join(ways)}",
            layer=Layer.ROUTED,
            put=replace(stored_call(_UPDATE, head, "l3xc.paths", elements), needs=tables),
            take=stored_call(_DELETE, {"sw_if_index": index_placeholder(name), "is_ip6": is_ipv6}),
            outlives=True,
            lines=(f"l3xc add {name} {family}{' '.join(ways)}",),
            removal=f"l3xc del {name} {family}{' '.join(ways)}",
        )


READERS = (Reader((_DUMP, _UPDATE, _DELETE), _requests, _read),)
