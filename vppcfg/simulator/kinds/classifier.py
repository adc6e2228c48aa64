"""Simulates the tables of the classifier with their sessions (vnet_classify.c); no packet is looked at.

The setting for packets to an interface's own addresses, and its routes, outlive the interface and its addresses
(vnet/classify, vnet/ip). That an IPv6 address which comes later gets such a route is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address

from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.fib_entries import FibPath
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds.policer import typed_policer
from vppcfg.simulator.kinds.route import CLASSIFY
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.retval import DiedError, RefusedError, Retval, required
from vppcfg.simulator.tables import FibTable, Tables
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


def _answer_session(call: Call, values: Values) -> None:
    """Set what becomes of packets, instead of what did, or forget it."""
    table = required(call.tables.part(ClassifierMain).tables.get(values["table_index"]), retval=Retval.NO_SUCH_TABLE)
    if values["match_len"] != len(table.mask) + table.skipped * _VECTOR_BYTES:
        raise RefusedError(Retval.INVALID_VALUE)
    session = Session(hit=values["hit_next_index"], opaque=values["opaque_index"], advance=values["advance"])
    _set_session(table, _bytes(values, "match"), session if values["is_add"] else None)


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
    table = required(table, retval=Retval.CLASSIFY_TABLE_NOT_FOUND)
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


@dataclass(slots=True, kw_only=True)
class LocalMain:
    """Which table each interface has."""

    local: dict[tuple[int, bool], int] = field(default_factory=dict)
    """By interface and family."""
    routes: dict[tuple[bool, int, int], int] = field(default_factory=dict)
    """The table of each address that is classified, by family and FIB table."""


def _answer_local(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    _set_local(call.tables, values["sw_if_index"], bool(values["is_ipv6"]), values["table_index"])


def _set_local(tables: Tables, sw_if_index: int, is_ipv6: bool, table: int) -> None:
    """Set the table of an interface, and of the first address that it has; NONE takes it off."""
    main = tables.part(LocalMain)
    if table == NONE:
        main.local.pop((sw_if_index, is_ipv6), None)
    elif tables.part(ClassifierMain).tables.has(table):
        main.local[sw_if_index, is_ipv6] = table
    else:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    book = tables.ip6 if is_ipv6 else tables.ip4
    first = next((each for each in book.of(sw_if_index) if each.sw_if_index == sw_if_index), None)
    if first is not None:
        table_id = tables.ip4.table_of(sw_if_index)  # VPP takes the IPv4 table for IPv6, too
        _local_route(tables, is_ipv6, table_id, first.address, table)


def _local_route(tables: Tables, is_ipv6: bool, table_id: int, address: int, table: int) -> None:
    """Have packets to an address go to a table, or to none."""
    fib: FibTable | None = (tables.fib6 if is_ipv6 else tables.fib4).tables.get(table_id)
    routes = tables.part(LocalMain).routes
    if fib is None:
        return
    key = address, 128 if is_ipv6 else 32
    if table == NONE:
        routes.pop((is_ipv6, table_id, address), None)
        fib.drop_route(key, CLASSIFY)
    else:
        routes[is_ipv6, table_id, address] = table
        fib.routes.setdefault(key, {})[CLASSIFY] = (FibPath(is_ipv6=is_ipv6),)


def _address_changed(tables: Tables, sw_if_index: int, address: int, is_added: bool) -> None:
    """Have packets to a new address of an interface that is up go where those to the first one do."""
    table = tables.part(LocalMain).local.get((sw_if_index, False))
    if is_added and table is not None and tables.sw[sw_if_index].is_up:
        _local_route(tables, False, tables.ip4.table_of(sw_if_index), address, table)


def _admin_changed(tables: Tables, sw_if_index: int) -> None:
    """Have packets to the addresses of an interface that comes up go there likewise."""
    for assigned in tables.ip4.of(sw_if_index):
        if assigned.sw_if_index == sw_if_index:
            _address_changed(tables, sw_if_index, assigned.address, is_added=True)


def _command_local(is_ipv6: bool) -> Command:
    """`set ip|ip6 classify intfc <interface> table-index <n>`; it takes none off."""

    def command(tables: Tables, line: Input) -> None:
        row = line.interface_after(tables, "intfc")
        table = line.number_after("table-index")
        if table is None or table == NONE:
            raise RefusedError(Retval.UNSPECIFIED, "classify table-index must be specified")
        row = required(row, "interface / subif must be specified")
        _set_local(tables, row.index, is_ipv6, table)

    return command


def classifier_text(tables: Tables, is_ipv6: bool, table_id: int, address: int) -> str:
    """Return what `show ip fib` prints of the table that packets to an address are classified by, '' for none."""
    table = tables.part(LocalMain).routes.get((is_ipv6, table_id, address))
    return "" if table is None else f"        [@0]: ip{6 if is_ipv6 else 4}-classify:[0]:table:{table}\n"


KIND = Kind(
    changes={
        "classify_add_del_table": _answer_table,
        "classify_add_del_session": _answer_session,
        "classify_set_interface_ip_table": _answer_local,
    },
    queries={
        "classify_table_ids": _list_tables,
        "classify_table_info": _show_table,
        "classify_session_dump": _dump_sessions,
    },
    commands={
        "classify session": _command_session,
        "classify table": _command_table,
        "set ip classify": _command_local(is_ipv6=False),
        "set ip6 classify": _command_local(is_ipv6=True),
    },
    admin_changed=_admin_changed,
    address_changed=_address_changed,
)
