"""Simulates policers and where they are applied, which nothing shows (plugins/policer, vnet/policer up to 26.02).

The tables by which packets of interfaces go to policers (vnet/classify/policer_classify.c) are kept by index, and
outlive their interfaces: the next one with the index is shown with a table, and its packets do not come there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from vppcfg.model import rate_limit
from vppcfg.model.rate_limit import LAYERS, MARK, LimitedInterface, LimitTable, RateLimit
from vppcfg.model.state import State
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds.classifier import ClassifierMain, Session, Table
from vppcfg.simulator.l2 import L2_INPUT, L2_OUTPUT, bit_of
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_HAS_L2 = ReleaseQuirk(
    span="26.06-", text="a policer is on frames in L2, too, as a bit that outlives the interface (0f37c4847df)"
)
_CHECKS = ReleaseQuirk(span="25.06-", text="an unknown policer is not put on an interface (d1177514c40)")
_CONFIGURATION = ("cir", "eir", "cb", "eb", "rate_type", "round_type", "type", "color_aware")
_ACTIONS = tuple(f"{when}_action.{what}" for when in ("conform", "exceed", "violate") for what in ("type", "dscp"))


@dataclass(slots=True, kw_only=True)
class Policer:
    """One policer."""

    index: int
    name: bytes
    values: dict[str, Any]
    """The values of the message, by the names of a dump."""


@dataclass(slots=True, kw_only=True)
class PolicerMain:
    """All policers."""

    policers: Pool[Policer] = field(default_factory=Pool)


def put(tables: Tables, sw_if_index: int, policer: int, *, is_output: bool, is_on: bool) -> None:
    """Apply a policer to an interface, or remove it; VPP counts. Raise RefusedError for an unknown one."""
    if tables.release.has(_CHECKS) and not tables.part(PolicerMain).policers.has(policer):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    has_l2 = tables.release.has(_HAS_L2)
    places = arcs.both("ip{}-output", "policer-output") if is_output else _input_places(has_l2)
    arcs.set_features(tables, sw_if_index, places, is_on=is_on)
    if not has_l2:
        return
    config = tables.l2_of(sw_if_index)
    bit = bit_of(L2_OUTPUT if is_output else L2_INPUT, "POLICER")
    if is_output:
        config.output_bits = config.output_bits | bit if is_on else config.output_bits & ~bit
    else:
        config.input_bits = config.input_bits | bit if is_on else config.input_bits & ~bit


def _input_places(has_l2: bool) -> tuple[arcs.Feature, ...]:
    return arcs.both("ip{}-unicast", "policer-input") if has_l2 else (("device-input", "policer-input"),)


def _answer_add(call: Call, values: Values) -> Outgoing:
    policers = call.tables.part(PolicerMain).policers
    name = values["name"].split(b"\0", 1)[0]
    if any(each.name == name for each in policers):
        return call.reply(retval=Retval.VALUE_EXIST, policer_index=NONE)
    return call.reply(policer_index=add(call.tables, name, _shown(values)).index)


def _shown(values: Values) -> dict[str, Any]:
    return {each: values[f"infos.{each}"] for each in (*_CONFIGURATION, *_ACTIONS)}


def add(tables: Tables, name: bytes, values: dict[str, Any]) -> Policer:
    """Make a policer; `values` are those of a dump."""
    return tables.part(PolicerMain).policers.add(lambda index: Policer(index=index, name=name, values=values))


def _answer_update(call: Call, values: Values) -> None:
    """Give a policer other settings in place."""
    policer = required(call.tables.part(PolicerMain).policers.get(values["policer_index"]), retval=Retval.NO_SUCH_ENTRY)
    policer.values = _shown(values)


def _answer_delete(call: Call, values: Values) -> None:
    """Delete a policer, also one that is on interfaces."""
    policers = call.tables.part(PolicerMain).policers
    if not policers.has(values["policer_index"]):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    policers.remove(values["policer_index"])


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    for each in call.tables.part(PolicerMain).policers:
        if values["policer_index"] in (NONE, each.index):
            yield "policer_details", {"name": each.name, **each.values}


def _answer_put(call: Call, values: Values) -> None:
    """Put a policer on an interface or take it off; the first versions of the messages know it by its name."""
    interfaces.require(call.tables, values["sw_if_index"])
    index = values["policer_index"] if call.message.endswith("_v2") else _named(call.tables, values["name"])
    is_output = call.message.startswith("policer_output")
    put(call.tables, values["sw_if_index"], index, is_output=is_output, is_on=values["apply"])


def _named(tables: Tables, raw: bytes) -> int:
    name = raw.split(b"\0", 1)[0]
    return next((each.index for each in tables.part(PolicerMain).policers if each.name == name), NONE)


_FIELDS = ("ip4_table_index", "ip6_table_index", "l2_table_index")
_FRAMES = 2


@dataclass(slots=True, kw_only=True)
class PolicerClassifyMain:
    """The table of each interface, by the number of the layer and sw_if_index."""

    tables: tuple[dict[int, int], ...] = field(default_factory=lambda: ({}, {}, {}))


def _answer_classify(call: Call, values: Values) -> None:
    """Have a table look at an interface's packets, unless one does already, or no longer."""
    row = interfaces.require(call.tables, values["sw_if_index"])
    for layer, name in enumerate(_FIELDS):
        if values[name] != NONE and not _classify(
            call.tables, row.index, layer, values[name], is_on=bool(values["is_add"])
        ):
            break


def _classify(tables: Tables, sw_if_index: int, layer: int, table: int, *, is_on: bool) -> bool:
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


def _dump_classified(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the tables of all interfaces when asked for those of the first one, and none when asked for all."""
    tables = call.tables.part(PolicerClassifyMain).tables
    is_known = values["sw_if_index"] == 0 and values["type"] < len(tables)
    for sw_if_index, table in sorted(tables[values["type"]].items()) if is_known else ():
        yield call.details({"sw_if_index": sw_if_index, "table_index": table})


def _load_classified(tables: Tables, state: State, rows: Rows) -> None:
    for each in state.of(rate_limit.Policer).values():
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
        if use.number in found:
            _classify(tables, rows[use.interface].index, LAYERS.index(use.layer), found[use.number].index, is_on=True)


def _loaded(tables: Tables, item: LimitTable) -> Table:
    bits = bytearray(((item.offset + 16) // 16 + 1) * 16)
    for place in range(item.offset * 8, item.offset * 8 + item.length):
        bits[place // 8] |= 0x80 >> place % 8
    skipped = item.offset // 16 if item.length else 0
    vectors = max((item.offset * 8 + item.length + 127) // 128, skipped + 1)
    mask = bytes(bits[skipped * 16 : vectors * 16])
    miss = 0x76600000 | 0x80000 * item.is_ipv6 | item.number
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


def _settings(item: rate_limit.Policer) -> dict[str, int]:
    excess = {"type": 0, "dscp": 0} if item.dscp is None else {"type": 2, "dscp": item.dscp}
    return {
        "cir": item.rate_kbps,
        "cb": item.burst_bytes,
        "conform_action.type": 1,
        **{f"{when}_action.{key}": value for when in ("exceed", "violate") for key, value in excess.items()},
    }


KIND = Kind(
    plugin="policer",
    plugin_releases="26.06-",
    changes={
        "policer_add": _answer_add,
        "policer_del": _answer_delete,
        "policer_update": _answer_update,
        "policer_input": _answer_put,
        "policer_output": _answer_put,
        "policer_input_v2": _answer_put,
        "policer_output_v2": _answer_put,
    },
    queries={"policer_dump_v2": _dump},
    quirks=(_HAS_L2, _CHECKS),
)

CLASSIFY = Kind(
    changes={"policer_classify_set_interface": _answer_classify},
    queries={"policer_classify_dump": _dump_classified},
    load=_load_classified,
)
