"""How VPP is asked for policers, their indexes, which a dump of all does not show, and what sends packets to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vppcfg.model.rate_limit import IPV6_BIT, LAST_TABLE, LAYERS, TABLE_MARK
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.wire.reading import Replies, VppReader, text_of

POLICER_DUMP, INTERFACE_DUMP = "policer_dump_v2", "policer_classify_dump"
TABLE_INFO = "classify_table_info"
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


def use_requests(connection: VppReader) -> list[tuple[int, bytes]]:
    """Return the requests, with their contexts, for the tables of all interfaces by layer, of any program."""
    if not connection.offers(POLICER_DUMP):
        return []
    layers = range(len(LAYERS))
    return [connection.request(INTERFACE_DUMP, {"type": each, "sw_if_index": _ALL_OF_THEM}) for each in layers]


def uses(connection: VppReader) -> list[Use]:
    """Ask VPP which table each interface has, of any program. An answer shows its layer by its context alone."""
    asked = use_requests(connection)
    layers = {context: layer for (context, _), layer in zip(asked, LAYERS, strict=True)}
    paths = ("context", "sw_if_index", "table_index")
    rows = connection.rows(connection.ask([request for _, request in asked]), "policer_classify_details", *paths)
    return [Use(sw_if_index, layers[context], table) for context, sw_if_index, table in rows]


def is_ours(mark: int) -> bool:
    """Return whether a table of the classifier is ours, by what becomes of its other packets."""
    return mark & ~(IPV6_BIT | LAST_TABLE) == TABLE_MARK


def ask_about_tables(connection: VppReader, indexes: Sequence[int]) -> Replies:
    """Ask VPP about tables of the classifier, and return what it answers about those that are there.

    What it answers about one that is gone has a length that was never set, so that nothing else of it can be read.
    """
    asked = [connection.request(TABLE_INFO, {"table_id": index})[1] for index in indexes]
    answers = connection.ask(asked) if asked else {}
    number = connection.message(f"{TABLE_INFO}_reply").index
    retvals = connection.rows(answers, f"{TABLE_INFO}_reply", "retval")
    whole = zip(answers.get(number, ()), retvals, strict=True)
    return {number: [data for data, (retval,) in whole if not retval]}


def tables_of_ours(connection: VppReader, indexes: Sequence[int]) -> set[int]:
    """Ask VPP which tables of the classifier are ours."""
    answers = ask_about_tables(connection, indexes)
    rows = connection.rows(answers, f"{TABLE_INFO}_reply", "table_id", "miss_next_index")
    return {index for index, mark in rows if is_ours(mark)}
