"""Simulates the tables by which packets of interfaces go to policers (vnet/classify/policer_classify.c).

They are kept by index, and outlive their interfaces: the next one with the index is shown with a table, and its packets
do not come there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import ip_address

from vppcfg.model.rate_limit import (
    IPV6_BIT,
    LAYERS,
    MARK,
    TABLE_MARK,
    LimitedInterface,
    LimitTable,
    Policer,
    RateLimit,
)
from vppcfg.model.state import State
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds.classifier import ClassifierMain, Session, Table
from vppcfg.simulator.kinds.policer import PolicerMain, add
from vppcfg.simulator.l2 import L2_INPUT, bit_of
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_FIELDS = ("ip4_table_index", "ip6_table_index", "l2_table_index")
_WORDS = ("ip4-table", "ip6-table", "l2-table")
_FRAMES = 2


@dataclass(slots=True, kw_only=True)
class PolicerClassifyMain:
    """The table of each interface, by the number of the layer and sw_if_index."""

    tables: tuple[dict[int, int], ...] = field(default_factory=lambda: ({}, {}, {}))


def _answer_set(call: Call, values: Values) -> None:
    """Have a table look at an interface's packets, unless one does already, or no longer."""
    row = interfaces.require(call.tables, values["sw_if_index"])
    for layer, name in enumerate(_FIELDS):
        if values[name] != NONE and not _set(call.tables, row.index, layer, values[name], is_on=bool(values["is_add"])):
            break


def _set(tables: Tables, sw_if_index: int, layer: int, table: int, *, is_on: bool) -> bool:
    """Set or remove a table, and return whether further ones of the same message are looked at."""
    if not tables.part(ClassifierMain).tables.has(table):
        raise RefusedError(Retval.NO_SUCH_TABLE)
    own = tables.part(PolicerClassifyMain).tables[layer]
    if is_on and sw_if_index in own:
        return False
    if not is_on and own.get(sw_if_index) != table:
        raise RefusedError(Retval.NO_SUCH_TABLE)
    if layer == _FRAMES:
        config, bit = tables.l2_of(sw_if_index), bit_of(L2_INPUT, "POLICER_CLAS")
        config.input_bits = config.input_bits | bit if is_on else config.input_bits & ~bit
    else:
        family = 6 if layer else 4
        feature = f"ip{family}-unicast", f"ip{family}-policer-classify"
        arcs.set_features(tables, sw_if_index, [feature], is_on=is_on)
    if is_on:
        own[sw_if_index] = table
    else:
        del own[sw_if_index]
    return True


def _command_set(tables: Tables, line: Input) -> str:
    """`set policer classify interface <interface> ip4-table|ip6-table|l2-table <n> [del]`; it hides every refusal."""
    row, numbers, is_on = None, dict[str, int](), True
    while True:
        if (found := line.interface_after(tables, "interface")) is not None:
            row = found
        elif line.take("del"):
            is_on = False
        elif not any(line.take_setting(word, numbers) for word in _WORDS):
            break
    if row is None:
        raise RefusedError(Retval.UNSPECIFIED, "Interface must be specified.")
    if len(numbers) != 1:
        few, many = "Table index should be specified.", "Only one table index per API is allowed."
        raise RefusedError(Retval.UNSPECIFIED, many if numbers else few)
    for word, table in numbers.items():
        with suppress(RefusedError):
            _set(tables, row.index, _WORDS.index(word), table, is_on=is_on)
    return ""


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the tables of all interfaces when asked for those of the first one, and none when asked for all."""
    tables = call.tables.part(PolicerClassifyMain).tables
    is_known = values["sw_if_index"] == 0 and values["type"] < len(tables)
    for sw_if_index, table in sorted(tables[values["type"]].items()) if is_known else ():
        yield call.details({"sw_if_index": sw_if_index, "table_index": table})


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for each in state.of(Policer).values():
        add(tables, f"{MARK}{each.name}".encode(), _settings(each))
    policers = {policer.name: policer.index for policer in tables.part(PolicerMain).policers}
    found = {item.number: _loaded(tables, item) for item in state.of(LimitTable).values()}
    for limit in state.of(RateLimit).values():
        hit = policers.get(f"{MARK}{limit.policer}".encode(), NONE)
        key = _key(limit, found[limit.number])
        found[limit.number].sessions[key] = Session(hit=hit, opaque=NONE, advance=0)
    for item in state.of(LimitTable).values():
        if item.next is not None:
            found[item.number].next = found[item.next].index
    for use in state.of(LimitedInterface).values():
        if use.number in found and use.interface in rows:
            _set(tables, rows[use.interface].index, LAYERS.index(use.layer), found[use.number].index, is_on=True)


def _loaded(tables: Tables, item: LimitTable) -> Table:
    bits = bytearray(((item.offset + 16) // 16 + 1) * 16)
    for place in range(item.offset * 8, item.offset * 8 + item.length):
        bits[place // 8] |= 0x80 >> place % 8
    skipped = item.offset // 16 if item.length else 0
    vectors = max((item.offset * 8 + item.length + 127) // 128, skipped + 1)
    mask = bytes(bits[skipped * 16 : vectors * 16])
    miss = TABLE_MARK | IPV6_BIT * item.is_ipv6 | item.number
    pool = tables.part(ClassifierMain).tables
    return pool.add(lambda index: Table(index=index, mask=mask, skipped=skipped, buckets=4096, next=NONE, miss=miss))


def _key(limit: RateLimit, table: Table) -> bytes:
    """Return the bits of a session, behind those that its table skips."""
    raw = bytearray(len(table.mask))
    if limit.prefix:
        address = ip_address(limit.prefix.partition("/")[0]).packed
        start = limit.offset - table.skipped * 16
        raw[start : start + len(address)] = address
    return bytes(each & bits for each, bits in zip(raw, table.mask, strict=False))


def _settings(item: Policer) -> dict[str, int]:
    excess = {"type": 0, "dscp": 0} if item.dscp is None else {"type": 2, "dscp": item.dscp}
    return {
        "cir": item.rate_kbps,
        "cb": item.burst_bytes,
        "conform_action.type": int(item.is_plain),
        **{f"{when}_action.{key}": value for when in ("exceed", "violate") for key, value in excess.items()},
    }


KIND = Kind(
    changes={"policer_classify_set_interface": _answer_set},
    queries={"policer_classify_dump": _dump},
    commands={"set policer classify": _command_set},
    load=_load,
)
