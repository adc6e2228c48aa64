"""How VPP is asked for policers, their indexes, which a dump of all does not show, and what sends packets to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vppcfg.model.rate_limit import LAYERS
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.wire.reading import Replies, VppReader, text_of

POLICER_DUMP, INTERFACE_DUMP = "policer_dump_v2", "policer_classify_dump"
_ALL_OF_THEM = 0
"""The interface for which VPP shows the tables of all, and none for all (vl_api_policer_classify_dump_t_handler)."""
_BLOCK = 1024
"""Indexes that are asked about at once."""
_MOST_INDEXES = 1 << 20


def policer_requests(connection: VppReader) -> list[bytes]:
    """Return the request for all policers."""
    if not connection.offers(POLICER_DUMP):
        return []
    return [connection.request(POLICER_DUMP, {"policer_index": ALL_INDEXES})[1]]


def policer_names(connection: VppReader, replies: Replies) -> list[str]:
    """Return the names of all policers, in the order of their indexes."""
    if not connection.offers(POLICER_DUMP):
        return []
    return [text_of(name) for (name,) in connection.rows(replies, "policer_details", "name")]


def policer_indexes(connection: VppReader, names: Sequence[str]) -> dict[int, str]:
    """Ask VPP for the index of each policer; `names` are those of all of them, in the order of their indexes.

    The last one shows by its index whether deleted ones have left gaps; only then more indexes are asked about.
    """
    found: dict[int, str] = {}
    for first in range(0, _MOST_INDEXES, _BLOCK):
        left = names[len(found) :]
        if not left:
            break
        if _policers_at(connection, [first + len(left) - 1]) == {first + len(left) - 1: left[-1]}:
            return found | dict(enumerate(left, start=first))
        found |= _policers_at(connection, range(first, first + _BLOCK))
    return found


def _policers_at(connection: VppReader, indexes: Sequence[int]) -> dict[int, str]:
    asked = [connection.request(POLICER_DUMP, {"policer_index": index}) for index in indexes]
    by_context = {context: index for (context, _), index in zip(asked, indexes, strict=True)}
    rows = connection.rows(connection.ask([each for _, each in asked]), "policer_details", "context", "name")
    return {by_context[context]: text_of(name) for context, name in rows}


class Use(NamedTuple):
    """A table that an interface has."""

    sw_if_index: int
    layer: str
    table: int
    """VPP's index."""


def uses(connection: VppReader) -> list[Use]:
    """Ask VPP which table each interface has, of any program."""
    asked = {
        connection.request(INTERFACE_DUMP, {"type": number, "sw_if_index": _ALL_OF_THEM}): layer
        for number, layer in enumerate(LAYERS)
    }
    layers = {context: layer for (context, _), layer in asked.items()}
    rows = connection.rows(
        connection.ask([request for _, request in asked]),
        "policer_classify_details",
        *("context", "sw_if_index", "table_index"),
    )
    return [Use(sw_if_index, layers[context], table) for context, sw_if_index, table in rows]
