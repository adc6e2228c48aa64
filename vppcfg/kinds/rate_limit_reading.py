"""How VPP is asked for rate limits: policers, tables of the classifier and their sessions, and interfaces.

The dump of policers shows no index. That of the tables of interfaces returns all of them when it is asked for those of
interface 0, nothing for any interface, and reads beyond its vectors for another one (vl_api_policer_classify_dump_t).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from vppcfg.kinds.rate_limit_operations import (
    ADDRESS_BYTES,
    VECTOR_BYTES,
    vectors_of,
)
from vppcfg.model.rate_limit import IPV6_BIT, LAST_TABLE, MARK, LimitTable
from vppcfg.operations.request import Value
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.policers import (
    POLICER_DUMP,
    TABLE_INFO,
    Use,
    ask_about_tables,
    is_ours,
    policer_indexes,
    policer_names,
    policer_requests,
    use_requests,
)
from vppcfg.wire.reading import Replies, VppReader

TABLE_IDS = "classify_table_ids"
_SESSION_DUMP, _IS_ENABLED = "classify_session_dump", "feature_is_enabled"
_FEATURES = {"ipv4": ("ip4-unicast", "ip4-policer-classify"), "ipv6": ("ip6-unicast", "ip6-policer-classify")}


class FoundTable(NamedTuple):
    """A table of the classifier by VPP's index."""

    at: int
    table: LimitTable


def requests(connection: VppReader) -> list[bytes]:
    """Return the requests for all policers, and for the tables of interfaces."""
    return [*policer_requests(connection), *(request for _, request in use_requests(connection))]


def is_in_use(connection: VppReader, replies: Replies) -> bool:
    """Return whether there is a policer, or an interface with a table, of any program."""
    if not connection.offers(POLICER_DUMP):
        return False
    shown = ("policer_details", "policer_classify_details")
    return any(connection.message(name).index in replies for name in shown)


def tables(connection: VppReader, replies: Replies) -> list[FoundTable]:
    """Ask VPP for our tables; none where `replies` show no policer and no table of an interface.

    The tables of all programs are listed anew each time: MACIP access lists have some, too, and what VPP answers about
    one that is gone has a length that was never set (vl_api_classify_table_info_t_handler).
    """
    if not is_in_use(connection, replies):
        return []
    listed = connection.ask([connection.request(TABLE_IDS)[1]])
    indexes = [index for _, ids in connection.lists(listed, f"{TABLE_IDS}_reply", ("retval",), "") for (index,) in ids]
    answers = ask_about_tables(connection, indexes)
    heads = ("table_id", "skip_n_vectors", "miss_next_index", "next_table_index")
    found: dict[int, LimitTable] = {}
    follows: dict[int, int] = {}
    for (index, skipped, mark, after), mask in connection.lists(answers, f"{TABLE_INFO}_reply", heads, ""):
        table = _table(mark, skipped, bytes(each for (each,) in mask))
        if table is not None:
            found[index], follows[index] = table, after
    return [
        FoundTable(index, replace(table, next=found[after].number) if (after := follows[index]) in found else table)
        for index, table in found.items()
    ]


def _table(mark: int, skipped: int, mask: bytes) -> LimitTable | None:
    """Return a table of ours, None for one of another program."""
    found = bits_of(skipped, mask)
    if not is_ours(mark) or found is None:
        return None
    offset, length = found
    return LimitTable(number=mark & LAST_TABLE, is_ipv6=bool(mark & IPV6_BIT), offset=offset, length=length)


def bits_of(skipped: int, mask: bytes) -> tuple[int, int] | None:
    """Return how many bytes of a frame are before the bits of a mask, and how many these are; None with gaps."""
    ones = [place for place in range(len(mask) * 8) if mask[place // 8] >> (7 - place % 8) & 1]
    offset = skipped * VECTOR_BYTES + ones[0] // 8 if ones else 0
    is_whole = vectors_of(LimitTable(number=0, offset=offset, length=len(ones))) == (skipped, mask)
    return (offset, len(ones)) if is_whole else None


def sessions(connection: VppReader, found: Sequence[FoundTable]) -> Iterator[tuple[LimitTable, str, int]]:
    """Ask VPP for what our tables send to policers; yield the table, the prefix, and the index of the policer."""
    known = {each.at: each.table for each in found}
    asked = [connection.request(_SESSION_DUMP, {"table_id": index})[1] for index in known]
    rows = connection.lists(
        connection.ask(asked) if asked else {}, "classify_session_details", ("table_id", "hit_next_index"), ""
    )
    for (index, policer), match in rows:
        if index in known:
            yield known[index], prefix_in(known[index], bytes(each for (each,) in match)), policer


def prefix_in(table: LimitTable, match: bytes) -> str:
    """Return the prefix that a session of a table is for; its bytes are those behind the ones that are skipped."""
    if not table.length:
        return ""
    start = table.offset % VECTOR_BYTES
    size = ADDRESS_BYTES[table.is_ipv6]
    raw = match[start : start + size].ljust(size, b"\0")
    return f"{text_of_address(int(table.is_ipv6), raw)}/{table.length}"


def switched_off(connection: VppReader, found: Sequence[Use]) -> set[Use]:
    """Ask VPP which interfaces have a table at which no packet comes: it was that of a deleted one with their index."""
    if not connection.offers(_IS_ENABLED):
        return set()
    asked = {}
    for use in found:
        if use.layer in _FEATURES:
            arc, feature = _FEATURES[use.layer]
            where: dict[str, Value] = {"arc_name": arc, "feature_name": feature, "sw_if_index": use.sw_if_index}
            asked[connection.request(_IS_ENABLED, where)] = use
    of_context = {context: use for (context, _), use in asked.items()}
    rows = connection.rows(
        connection.ask([request for _, request in asked]) if asked else {},
        f"{_IS_ENABLED}_reply",
        *("context", "retval", "is_enabled"),
    )
    return {of_context[context] for context, retval, is_on in rows if context in of_context and not (is_on or retval)}


def read_numbers(connection: VppReader) -> dict[str, int]:
    """Ask VPP for the index of each of our policers and tables, by their names."""
    replies = connection.ask(requests(connection))
    names = policer_names(connection, replies)
    policers = {
        name.removeprefix(MARK): index
        for index, name in policer_indexes(connection, names).items()
        if name.startswith(MARK)
    }
    return policers | {each.table.name: each.at for each in tables(connection, replies)}
