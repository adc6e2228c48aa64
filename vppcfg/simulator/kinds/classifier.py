"""Simulates the tables of the classifier with their sessions (vnet_classify.c); no packet is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address

from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds.policer import typed_policer
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.retval import DiedError, RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_API = """
version 23.06- 3.1.0 92a4f2c8
import interface_index
enum classify_action u8 CLASSIFY_API_ACTION_NONE=0 CLASSIFY_API_ACTION_SET_IP4_FIB_INDEX=1 \
CLASSIFY_API_ACTION_SET_IP6_FIB_INDEX=2 CLASSIFY_API_ACTION_SET_METADATA=3 CLASSIFY_API_ACTION_MARK_FLOW=4
request classify_add_del_table 6849e39e: bool is_add, bool del_chain, u32 table_index=4294967295, u32 nbuckets=2, \
u32 memory_size=2097152, u32 skip_n_vectors=0, u32 match_n_vectors=1, u32 next_table_index=4294967295, \
u32 miss_next_index=4294967295, u8 current_data_flag=0, i16 current_data_offset=0, u32 mask_len, u8 mask[mask_len]
reply classify_add_del_table_reply 05486349: i32 retval, u32 new_table_index, u32 skip_n_vectors, u32 match_n_vectors
request classify_add_del_session f20879f0: bool is_add, u32 table_index, u32 hit_next_index=4294967295, \
u32 opaque_index=4294967295, i32 advance=0, classify_action action=0, u32 metadata=0, u32 match_len, u8 match[match_len]
reply classify_add_del_session_reply e8d4e804: i32 retval
request classify_table_ids 51077d14
reply classify_table_ids_reply d1d20e1d: i32 retval, u32 count, u32 ids[count]
request classify_table_info 0cca2cd9: u32 table_id
reply classify_table_info_reply 4a573c0e: i32 retval, u32 table_id, u32 nbuckets, u32 match_n_vectors, \
u32 skip_n_vectors, u32 active_sessions, u32 next_table_index, u32 miss_next_index, u32 mask_length, \
u8 mask[mask_length]
request classify_session_dump 0cca2cd9 streams classify_session_details: u32 table_id
reply classify_session_details 60e3ef94: i32 retval, u32 table_id, u32 hit_next_index, i32 advance, \
u32 opaque_index, u32 match_length, u8 match[match_length]
"""
"""VPP's messages for this, in the notation of `simulator/api_files`."""
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
    session = Session(hit=values["hit_next_index"], opaque=values["opaque_index"], advance=values["advance"])
    _set_session(table, _bytes(values, "match"), session if values["is_add"] else None)
    return call.reply()


def _set_session(table: Table, match: bytes, session: Session | None) -> None:
    """Set a session in place of another one; None deletes it."""
    behind = match[table.skipped * _VECTOR_BYTES :]
    key = bytes(each & bits for each, bits in zip(behind, table.mask, strict=False))
    if session is not None:
        table.sessions[key] = session
    elif table.sessions.pop(key, None) is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)


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


_ADDRESSES = {
    "l3 ip4 src": (26, 4),
    "l3 ip4 dst": (30, 4),
    "l3 ip6 src": (22, 16),
    "l3 ip6 dst": (38, 16),
}
"""Where an address is in a frame without tags, and its bytes."""


def _typed_bits(line: Input, *, is_mask: bool) -> bytes | None:
    """Take the bytes of a mask or of what it matches, in hexadecimal digits or as an address."""
    if line.take("hex"):
        try:
            return bytes.fromhex(line.string() or "")
        except ValueError:
            return None
    for words, (offset, size) in _ADDRESSES.items():
        if line.take(*words.split()):
            address = None if is_mask else line.address()
            bits = b"\xff" * size if is_mask else ip_address(str(address)).packed if address is not None else b""
            return bytes(offset) + bits if len(bits) == size else None
    return None


def _command_table(tables: Tables, line: Input) -> str:
    """`classify table`: the bytes before and behind a mask's vectors are cut off."""
    numbers, mask, is_past = {"buckets": 2, "next-table": NONE, "miss-next": NONE}, b"", False
    while not is_past:
        if line.take("mask"):
            mask = _typed_bits(line, is_mask=True) or b""
        elif line.number_after("memory-size") is not None:
            is_past = not (line.take("M") or line.take("G"))
        elif not any(line.take_setting(word, numbers) for word in numbers):
            is_past = True
    if not mask:
        raise RefusedError(Retval.UNSPECIFIED, "Mask required")
    first, last = len(mask) - len(mask.lstrip(b"\0")), len(mask.rstrip(b"\0"))
    skipped, end = first // _VECTOR_BYTES, -(-last // _VECTOR_BYTES)
    values = {"nbuckets": numbers["buckets"], "memory_size": 1, "match_n_vectors": max(end - skipped, 0)}
    shape = {"skip_n_vectors": skipped, "next_table_index": numbers["next-table"]}
    mask = mask.ljust(end * _VECTOR_BYTES, b"\0")[skipped * _VECTOR_BYTES : end * _VECTOR_BYTES]
    try:
        tables.part(ClassifierMain).tables.add(
            lambda index: _new(index, {**values, **shape, "miss_next_index": numbers["miss-next"], "mask": mask})
        )
    except RefusedError as refusal:
        raise RefusedError(refusal.retval, f"vnet_classify_add_del_table returned {refusal.retval:d}") from None
    return ""


def _command_session(tables: Tables, line: Input) -> str:
    """`classify session`: what it matches is only read behind the number of the table."""
    number, match, hit, opaque, is_add = NONE, None, NONE, NONE, True
    known = tables.part(ClassifierMain).tables
    while True:
        if line.take("del"):
            is_add = False
        elif line.take("policer-hit-next"):
            found = typed_policer(tables, line)
            if found is None:
                break
            hit = found
        elif line.take("conform-color"):
            opaque = 0
        elif line.take("exceed-color"):
            opaque = 1
        elif known.has(number) and line.take("match"):
            match = _typed_bits(line, is_mask=False)
        elif (given := line.number_after("table-index")) is not None:
            number = given
        else:
            break
    if number == NONE:
        raise RefusedError(Retval.UNSPECIFIED, "Table index required")
    if match is None and is_add:
        raise RefusedError(Retval.UNSPECIFIED, "Match value required")
    if match is None:
        raise DiedError
    table = known[number]
    whole = match.ljust((table.skipped + table.vectors) * _VECTOR_BYTES, b"\0")
    try:
        _set_session(table, whole, Session(hit=hit & 0xFFFF, opaque=opaque, advance=0) if is_add else None)
    except RefusedError as refusal:
        raise RefusedError(refusal.retval, f"vnet_classify_add_del_session returned {refusal.retval:d}") from None
    return ""


KIND = Kind(
    api={"classify": _API},
    changes={"classify_add_del_table": _answer_table, "classify_add_del_session": _answer_session},
    queries={
        "classify_table_ids": _list_tables,
        "classify_table_info": _show_table,
        "classify_session_dump": _dump_sessions,
    },
    commands={"classify session": _command_session, "classify table": _command_table},
)
