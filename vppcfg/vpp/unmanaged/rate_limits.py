"""Reads the tables by which others limit the rates of interfaces (vnet/classify/policer_classify.c).

An interface that has one keeps it when it is made anew: the table stays. What `policer_input` does is not read here.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.attachment import Attachment, Layer, Values, index_placeholder, stored_call
from vppcfg.model.rate_limit import LAYERS, LimitedInterface
from vppcfg.operations.request import NO_INDEX
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.policers import POLICER_DUMP, uses
from vppcfg.wire.reading import Replies

_SET = "policer_classify_set_interface"
_PARTS = {
    "ipv4": ("ip4_table_index", "ip4-table", Layer.ROUTED),
    "ipv6": ("ip6_table_index", "ip6-table", Layer.ROUTED),
    "frames": ("l2_table_index", "l2-table", Layer.SWITCHED),
}
"""By layer: the field of the message, the word of the prompt, and the packets."""


def _read(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    limited = scope.state.of(LimitedInterface).values()
    foreign = {(each.interface, each.layer) for each in limited if each.number is None}
    for use in uses(connection) if foreign else ():
        name = scope.name(use.sw_if_index)
        if (name, use.layer) in foreign:
            yield _attachment(name, use.layer, use.table)


def _attachment(name: str, layer: str, table: int) -> Attachment:
    own, word, packets = _PARTS[layer]
    fields = (_PARTS[each][0] for each in LAYERS)
    tables = {field: table if field == own else NO_INDEX for field in fields}
    values: Values = {"sw_if_index": index_placeholder(name), **tables}
    line = f"set policer classify interface {name} {word} {table}"
    return Attachment(
        holder=name,
        kind="rate limits",
        name=f"of {layer} by table {table}",
        layer=packets,
        put=stored_call(_SET, {**values, "is_add": 1}),
        take=stored_call(_SET, {**values, "is_add": 0}),
        outlives=True,
        lines=(line,),
        removal=f"{line} del",
    )


READERS = (Reader((POLICER_DUMP, _SET), lambda connection, scope: (), _read),)
