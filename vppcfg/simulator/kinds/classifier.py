"""Simulates the tables of the classifier with their sessions (vnet_classify.c); no packet is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.wire import NONE, Outgoing, Values

_VECTOR_BYTES = 16


@dataclass(slots=True, kw_only=True)
class Session:
    """What becomes of packets with certain bits."""

    hit: int
    opaque: int
    advance: int


@dataclass(slots=True, kw_only=True)
class Table:
    """One table."""

    index: int
    mask: bytes
    skipped: int
    buckets: int
    next: int
    miss: int
    sessions: dict[bytes, Session] = field(default_factory=dict)
    """By the bits that count, behind the vectors that are skipped."""

    @property
    def vectors(self) -> int:
        """Return how many vectors of 16 bytes the table looks at."""
        return len(self.mask) // _VECTOR_BYTES


@dataclass(slots=True, kw_only=True)
class ClassifierMain:
    """All tables."""

    tables: Pool[Table] = field(default_factory=Pool)


def _bytes(values: Values, name: str) -> bytes:
    return bytes(values[name])


def _answer_table(call: Call, values: Values) -> Outgoing:
    """Make a table, link it to another one, or delete it, whoever has it."""
    tables, index = call.tables.part(ClassifierMain).tables, values["table_index"]
    if values["mask_len"] != values["match_n_vectors"] * _VECTOR_BYTES:
        raise RefusedError(Retval.INVALID_VALUE)
    if not values["is_add"]:
        if not tables.has(index):
            raise RefusedError(Retval.NO_SUCH_TABLE)
        tables.remove(index)
        return call.reply(new_table_index=NONE, skip_n_vectors=NONE, match_n_vectors=NONE)
    if tables.has(index):
        tables[index].next = values["next_table_index"]
        found = tables[index]
    else:
        found = tables.add(lambda number: _new(number, values))
    shown = {"skip_n_vectors": found.skipped, "match_n_vectors": found.vectors}
    return call.reply(new_table_index=found.index, **shown)


def _new(index: int, values: Values) -> Table:
    if not values["memory_size"]:
        raise RefusedError(Retval.INVALID_MEMORY_SIZE)
    if not values["nbuckets"] or not 1 <= values["match_n_vectors"] <= 5:
        raise RefusedError(Retval.INVALID_VALUE)
    return Table(
        index=index,
        mask=_bytes(values, "mask"),
        skipped=values["skip_n_vectors"],
        buckets=1 << (values["nbuckets"] - 1).bit_length(),
        next=values["next_table_index"],
        miss=values["miss_next_index"],
    )


def _answer_session(call: Call, values: Values) -> Outgoing:
    """Set what becomes of packets, instead of what did, or forget it."""
    table = call.tables.part(ClassifierMain).tables.get(values["table_index"])
    if table is None:
        raise RefusedError(Retval.NO_SUCH_TABLE)
    if values["match_len"] != len(table.mask) + table.skipped * _VECTOR_BYTES:
        raise RefusedError(Retval.INVALID_VALUE)
    behind = _bytes(values, "match")[table.skipped * _VECTOR_BYTES :]
    key = bytes(each & bits for each, bits in zip(behind, table.mask, strict=True))
    if values["is_add"]:
        session = Session(hit=values["hit_next_index"], opaque=values["opaque_index"], advance=values["advance"])
        table.sessions[key] = session
    elif table.sessions.pop(key, None) is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    return call.reply()


def _list_tables(call: Call, _values: Values) -> Outgoing:
    ids = [table.index for table in call.tables.part(ClassifierMain).tables]
    return call.reply(count=len(ids), ids=ids)


def _show_table(call: Call, values: Values) -> Outgoing:
    table = call.tables.part(ClassifierMain).tables.get(values["table_id"])
    if table is None:
        raise RefusedError(Retval.CLASSIFY_TABLE_NOT_FOUND)
    shown: Mapping[str, int] = {
        "table_id": table.index,
        "nbuckets": table.buckets,
        "match_n_vectors": table.vectors,
        "skip_n_vectors": table.skipped,
        "active_sessions": len(table.sessions),
        "next_table_index": table.next,
        "miss_next_index": table.miss,
    }
    return call.reply(**shown, mask_length=len(table.mask), mask=list(table.mask))


def _dump_sessions(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the sessions of a table, without the vectors that it skips."""
    table = call.tables.part(ClassifierMain).tables.get(values["table_id"])
    for key, session in table.sessions.items() if table is not None else ():
        shown = {"hit_next_index": session.hit, "advance": session.advance, "opaque_index": session.opaque}
        yield call.details({"table_id": values["table_id"], **shown, "match_length": len(key), "match": list(key)})


KIND = Kind(
    changes={"classify_add_del_table": _answer_table, "classify_add_del_session": _answer_session},
    queries={
        "classify_table_ids": _list_tables,
        "classify_table_info": _show_table,
        "classify_session_dump": _dump_sessions,
    },
)
