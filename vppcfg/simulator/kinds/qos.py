"""Simulates QoS: where classes are recorded, stored and marked (vnet/qos); only a mark outlives its interface."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from vppcfg.model.qos import SOURCES, QosMap, QosMark, QosRecord, QosStore
from vppcfg.model.state import State
from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.l2 import L2_INPUT, bit_of
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, refused_as, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_MISREADS_VALUE = ReleaseQuirk(
    span="-25.02", text="`qos store` takes no value from the prompt, which has to be given (8a5b23ee83a)"
)
_VLAN, _MPLS, _IP = 1, 2, 3
Place = tuple[int, int]
"""An interface and a source of the class."""


@dataclass(slots=True, kw_only=True)
class QosMain:
    """What is recorded, stored and marked, and the maps of marks."""

    recorded: Counter[Place] = field(default_factory=Counter)
    stored: Counter[Place] = field(default_factory=Counter)
    values: dict[Place, int] = field(default_factory=dict)
    marked: dict[Place, int] = field(default_factory=dict)
    """The id of a map."""
    maps: dict[int, tuple[bytes, ...]] = field(default_factory=dict)


def _of_record(source: int) -> tuple[arcs.Feature, ...]:
    prefix = {_VLAN: "vlan-", _MPLS: "", _IP: ""}.get(source, "")
    ip = [each for arc in ("unicast", "multicast") for each in arcs.both(f"ip{{}}-{arc}", f"{prefix}ip{{}}-qos-record")]
    mpls = [("mpls-input", f"{prefix}mpls-qos-record")]
    return (*(ip if source in (_VLAN, _IP) else ()), *(mpls if source in (_VLAN, _MPLS) else ()))


def _of_store() -> tuple[arcs.Feature, ...]:
    return (*arcs.both("ip{}-unicast", "ip{}-qos-store"), *arcs.both("ip{}-multicast", "ip{}-qos-store"))


def _of_mark(source: int) -> tuple[arcs.Feature, ...]:
    prefix = "vlan-" if source == _VLAN else ""
    ip = arcs.both("ip{}-output", f"{prefix}ip{{}}-qos-mark") if source in (_VLAN, _IP) else ()
    return (*ip, *([("mpls-output", f"{prefix}mpls-qos-mark")] if source in (_VLAN, _MPLS) else ()))


def _count(
    tables: Tables, counts: Counter[Place], place: Place, features: tuple[arcs.Feature, ...], *, is_on: bool
) -> None:
    """Count how often something is asked for: the features are on from the first time to the last."""
    if not is_on and not counts[place]:
        raise RefusedError(Retval.VALUE_EXIST)
    counts[place] += 1 if is_on else -1
    if counts[place] == (1 if is_on else 0):
        arcs.set_features(tables, place[0], features, is_on=is_on)


def set_record(tables: Tables, place: Place, *, is_on: bool) -> None:
    """Record the class of packets once more, or once less often."""
    counts = tables.part(QosMain).recorded
    _count(tables, counts, place, _of_record(place[1]), is_on=is_on)
    if place[1] == _IP:
        config, bit = tables.l2_of(place[0]), bit_of(L2_INPUT, "L2_IP_QOS_RECORD")
        config.input_bits = config.input_bits | bit if counts[place] else config.input_bits & ~bit


def set_store(tables: Tables, place: Place, value: int, *, is_on: bool) -> None:
    """Store a class once more, or once less often: the first one, until it is stored no more. Refuse all but IP."""
    main = tables.part(QosMain)
    if place[1] != _IP:
        raise RefusedError(Retval.UNIMPLEMENTED)
    _count(tables, main.stored, place, _of_store(), is_on=is_on)
    if is_on and main.stored[place] == 1:
        main.values[place] = value


def set_mark(tables: Tables, place: Place, number: int, *, is_on: bool) -> None:
    """Mark with a map, or no longer; where something is marked already, only the map changes."""
    main = tables.part(QosMain)
    if is_on:
        if number not in main.maps:
            raise RefusedError(Retval.NO_SUCH_TABLE)
        if place not in main.marked:
            arcs.enable(tables, place[0], *_of_mark(place[1]))
        main.marked[place] = number
    else:
        if main.marked.pop(place, None) is None:
            raise RefusedError(Retval.VALUE_EXIST)
        arcs.disable(tables, place[0], *_of_mark(place[1]))


def _answer_record(call: Call, values: Values) -> None:
    place = interfaces.require(call.tables, values["record.sw_if_index"]).index, values["record.input_source"]
    set_record(call.tables, place, is_on=bool(values["enable"]))


def _answer_store(call: Call, values: Values) -> None:
    place = interfaces.require(call.tables, values["store.sw_if_index"]).index, values["store.input_source"]
    set_store(call.tables, place, values["store.value"], is_on=bool(values["enable"]))


def _answer_mark(call: Call, values: Values) -> None:
    place = interfaces.require(call.tables, values["mark.sw_if_index"]).index, values["mark.output_source"]
    set_mark(call.tables, place, values["mark.map_id"], is_on=bool(values["enable"]))


def _answer_map(call: Call, values: Values) -> None:
    rows = tuple(values[f"map.rows[{number}].outputs"] for number in range(4))
    call.tables.part(QosMain).maps[values["map.id"]] = rows


def _answer_delete_map(call: Call, values: Values) -> None:
    """Delete a map, whoever marks with it, or none."""
    call.tables.part(QosMain).maps.pop(values["id"], None)


def _dump_recorded(call: Call, _values: Values) -> Iterator[Outgoing]:
    for (sw_if_index, source), count in call.tables.part(QosMain).recorded.items():
        if count:
            yield call.details({"record.sw_if_index": sw_if_index, "record.input_source": source})


def _dump_stored(call: Call, _values: Values) -> Iterator[Outgoing]:
    main = call.tables.part(QosMain)
    for place, count in main.stored.items():
        if count:
            shown = {"store.sw_if_index": place[0], "store.input_source": place[1]}
            yield call.details({**shown, "store.value": main.values[place]})


def _dump_marked(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the marks, on interfaces that are gone too; the map of one that is deleted is ~0."""
    main = call.tables.part(QosMain)
    for (sw_if_index, source), number in main.marked.items():
        if values["sw_if_index"] in (NONE, sw_if_index):
            shown = {"mark.sw_if_index": sw_if_index, "mark.output_source": source}
            yield call.details({**shown, "mark.map_id": number if number in main.maps else NONE})


def _dump_maps(call: Call, _values: Values) -> Iterator[Outgoing]:
    for number, rows in call.tables.part(QosMain).maps.items():
        yield call.details({"map.id": number, **{f"map.rows[{row}].outputs": raw for row, raw in enumerate(rows)}})


def _interface_gone(tables: Tables, sw_if_index: int) -> None:
    main = tables.part(QosMain)
    for counts in (main.recorded, main.stored):
        for place in [place for place in counts if place[0] == sw_if_index]:
            del counts[place]


_SOURCES = {"ip": _IP, "mpls": _MPLS, "ext": 0, "vlan": _VLAN}
"""In the order in which the prompt tries them."""


@dataclass(slots=True)
class _Typed:
    """The meaning of a command's words."""

    place: Place
    is_on: bool
    numbers: dict[str, int]


def _typed(tables: Tables, line: Input, word: str, needed: str = "") -> _Typed:
    """Read `qos record|store|mark <source> <interface> [value|id <number>] [disable]`, in any order."""
    row, source, is_on = None, None, True
    numbers: dict[str, int] = {}
    while not line.is_at_end:
        if (found := line.interface(tables)) is not None:
            row = found
        elif (name := next((name for name in _SOURCES if line.take(name)), None)) is not None:
            source = _SOURCES[name]
        elif line.take("enable"):
            is_on = True
        elif line.take("disable"):
            is_on = False
        elif not (word and line.take_setting(word, numbers)):
            break
    row = required(row, "interface must be specified")
    if needed and word not in numbers:
        raise RefusedError(Retval.UNSPECIFIED, needed)
    source = required(source, "input location must be specified")
    return _Typed((row.index, source), is_on, numbers)


def _command_record(tables: Tables, line: Input) -> None:
    typed = _typed(tables, line, "")
    with suppress(RefusedError):
        set_record(tables, typed.place, is_on=typed.is_on)


def _command_store(tables: Tables, line: Input) -> None:
    word = "value &d" if tables.release.has(_MISREADS_VALUE) else "value"
    typed = _typed(tables, line, word, "value to be stored must be specified")
    with suppress(RefusedError):
        set_store(tables, typed.place, typed.numbers[word] & 0xFF, is_on=typed.is_on)


def _command_mark(tables: Tables, line: Input) -> None:
    typed = _typed(tables, line, "id")
    with refused_as("Failed to map interface"):
        set_mark(tables, typed.place, typed.numbers.get("id", NONE), is_on=typed.is_on)


_CELL = re.compile(r"\[(ip|mpls|ext|vlan)\]\[(\d+)\]=(\d+)")


def _command_map(tables: Tables, line: Input) -> None:
    """`qos egress map id <number> [delete] {[source][value]=value}`: what a map has stays beside what is added."""
    number, is_add, maps = None, True, tables.part(QosMain).maps
    while not line.is_at_end:
        if line.take("delete") or line.take("del"):
            is_add = False
        elif (found := line.number_after("id")) is not None:
            number = found
            maps.setdefault(number, (bytes(256),) * 4)
        elif number is None:
            raise RefusedError(Retval.UNSPECIFIED, "map-id must be specified")
        else:
            rows = [bytearray(row) for row in maps[number]]
            while (cell := _CELL.fullmatch(line.next_word)) is not None:
                line.string()
                rows[_SOURCES[cell[1]]][int(cell[2])] = int(cell[3]) & 0xFF
            maps[number] = tuple(map(bytes, rows))
            break
    if not is_add and number is not None:
        del maps[number]


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for each in state.of(QosMap).values():
        pairs = (getattr(each, source.value) for source in SOURCES)
        tables.part(QosMain).maps[each.map_id] = tuple(map(_outputs, pairs))
    for recorded in state.of(QosRecord).values():
        set_record(tables, (rows[recorded.interface].index, _SOURCES[recorded.source.value]), is_on=True)
    for stored in state.of(QosStore).values():
        set_store(tables, (rows[stored.interface].index, _IP), stored.value, is_on=True)
    for mark in state.of(QosMark).values():
        if mark.map_id is not None:
            place = rows[mark.interface].index, _SOURCES[mark.target.value]
            set_mark(tables, place, mark.map_id, is_on=True)


def _outputs(pairs: Sequence[int]) -> bytes:
    raw = bytearray(256)
    for value, becomes in zip(pairs[::2], pairs[1::2], strict=True):
        raw[value] = becomes
    return bytes(raw)


KIND = Kind(
    changes={
        "qos_record_enable_disable": _answer_record,
        "qos_store_enable_disable": _answer_store,
        "qos_mark_enable_disable": _answer_mark,
        "qos_egress_map_update": _answer_map,
        "qos_egress_map_delete": _answer_delete_map,
    },
    queries={
        "qos_record_dump": _dump_recorded,
        "qos_store_dump": _dump_stored,
        "qos_mark_dump": _dump_marked,
        "qos_egress_map_dump": _dump_maps,
    },
    commands={
        "qos record": _command_record,
        "qos store": _command_store,
        "qos mark": _command_mark,
        "qos egress map": _command_map,
    },
    load=_load,
    deleted=_interface_gone,
)
