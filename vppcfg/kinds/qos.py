"""Quality of service: the section `qos_maps`, and the key `qos` of interfaces (vnet/qos/qos_api.c).

interfaces: { eth0: { qos: { record: [ vlan ] } }, eth1: { qos: { mark: { ip: 1 } } } }
qos_maps: { 1: { vlan: { 5: 184 } } }

VPP counts how often a class is recorded or stored on an interface, and shows only that it is. A map that is deleted
while packets are marked by it leaves marks that use the next map in its place: it is removed after them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vppcfg.common.release import Release
from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.index import Index
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.qos import SOURCES, QosMap, QosMark, QosRecord, QosSource, QosStore
from vppcfg.model.state import State
from vppcfg.model.vpp_object import VppObject, is_owned, without_empty
from vppcfg.model.vrf import FibTable
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.request import ALL_INDEXES, NO_INDEX, Indexes, Request, Vocabulary
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

MAPS, QOS = "qos_maps", "qos"
LAST_MAP = 0xFFFFFFFE
"""VPP shows ~0 for a map that is gone."""
_VALUES = 256
_NUMBERS = {source: number for number, source in enumerate(SOURCES)}
_STORE_TYPED_SINCE = Release(25, 6)
"""Before, the prompt reads no value (8a5b23ee83a)."""
_ROWS = tuple(f"map.rows.{number}.outputs" for number in range(len(SOURCES)))


@record
class SetQosMap(SetObject):
    """qos_egress_map_update: create a map, or write it anew in place."""

    item: QosMap

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        rows = {path: _outputs(self.item, source) for path, source in zip(_ROWS, SOURCES, strict=True)}
        return Request("qos_egress_map_update", {"map.id": self.item.map_id, **rows})

    def cli(self) -> None:
        """Return None: the prompt adds to a map, and takes nothing out."""


@record
class RemoveQosMap(RemoveObject):
    """qos_egress_map_delete: delete a map that nothing is marked by."""

    item: QosMap

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("qos_egress_map_delete", {"id": self.item.map_id})

    def cli(self) -> str:
        return f"qos egress map delete id {self.item.map_id}"


@record
class SetQosRecord(SetObject):
    """qos_record_enable_disable: note the class of packets that come in."""

    item: QosRecord

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _switch("record", self.item.interface, self.item.source, indexes, enable=1)

    def cli(self) -> str:
        return f"qos record {self.item.source.value} {self.item.interface}"


@record
class RemoveQosRecord(RemoveObject):
    """qos_record_enable_disable: note the class no more."""

    item: QosRecord

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _switch("record", self.item.interface, self.item.source, indexes, enable=0)

    def cli(self) -> str:
        return f"qos record {self.item.source.value} {self.item.interface} disable"


@record
class SetQosStore(SetObject):
    """qos_store_enable_disable: give packets that come in one class."""

    item: QosStore
    cli_since = _STORE_TYPED_SINCE

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _switch("store", self.item.interface, QosSource.IP, indexes, enable=1, value=self.item.value)

    def cli(self) -> str:
        return f"qos store ip {self.item.interface} value {self.item.value}"


@record
class RemoveQosStore(RemoveObject):
    """qos_store_enable_disable: give packets no class any more."""

    item: QosStore
    cli_since = _STORE_TYPED_SINCE

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _switch("store", self.item.interface, QosSource.IP, indexes, enable=0, value=self.item.value)

    def cli(self) -> str:
        """Return the command, for which the prompt needs the value."""
        return f"qos store ip {self.item.interface} value {self.item.value} disable"


@record
class SetQosMark(SetObject):
    """qos_mark_enable_disable: write the class into packets that go out; of a marked interface the map changes."""

    item: QosMark

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _mark(self.item, indexes, enable=1)

    def cli(self) -> str:
        return f"qos mark {self.item.target.value} {self.item.interface} id {self.item.map_id}"


@record
class RemoveQosMark(RemoveObject):
    """qos_mark_enable_disable: leave the class of packets as it is."""

    item: QosMark

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _mark(self.item, indexes, enable=0)

    def cli(self) -> str:
        return f"qos mark {self.item.target.value} {self.item.interface} disable"


def _outputs(item: QosMap, source: QosSource) -> bytes:
    pairs = getattr(item, source.value)
    raw = bytearray(_VALUES)
    for value, becomes in zip(pairs[::2], pairs[1::2], strict=True):
        raw[value] = becomes
    return bytes(raw)


def _switch(what: str, name: str, source: QosSource, indexes: Indexes, **values: int) -> Request:
    enable = values.pop("enable")
    fields = {"sw_if_index": indexes.interface(name), "input_source": _NUMBERS[source], **values}
    return Request(f"qos_{what}_enable_disable", {"enable": enable, **{f"{what}.{key}": fields[key] for key in fields}})


def _mark(mark: QosMark, indexes: Indexes, *, enable: int) -> Request:
    values = {
        "enable": enable,
        "mark.sw_if_index": indexes.interface(mark.interface),
        "mark.map_id": NO_INDEX if mark.map_id is None else mark.map_id,
        "mark.output_source": _NUMBERS[mark.target],
    }
    return Request("qos_mark_enable_disable", values)


def qos_map(index: Index) -> Iterator[Problem]:
    """Find maps that interfaces name and the file lacks."""
    maps = index.configuration.owned.get(MAPS, {})
    known = {each.map_id for entry in maps.values() for each in entry.value}
    if MAPS in index.lost_sections or MAPS in index.broken_entries:
        return
    for entry in index.configuration.owned.get(QOS, {}).values():
        for mark in entry.value:
            if isinstance(mark, QosMark) and mark.map_id not in known:
                text = f"there is no map {mark.map_id} in `{MAPS}`; add it there"
                yield Problem(rule="qos-map", path=(*entry.path, "mark", mark.target.value), text=text)


class QosMapKind(VppObjectKind[QosMap]):
    """The maps, with the sections of all QoS."""

    key = MAPS
    object_class = QosMap
    operations = (SetQosMap, RemoveQosMap)
    rules = (qos_map,)
    api_module = "qos"

    def sections(self) -> tuple[Section, ...]:
        """Return the section of the maps, and the key of interfaces."""
        return MAPS_SECTION, SECTION

    def set(self, item: QosMap) -> SetQosMap:
        """Return the operation that writes a map."""
        return SetQosMap(item=item)

    def remove(self, item: QosMap) -> RemoveQosMap:
        return RemoveQosMap(item=item)

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request("qos_egress_map_dump")[1]]

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[QosMap]:
        for number, *rows in connection.rows(replies, "qos_egress_map_details", "map.id", *_ROWS):
            pairs = {source.value: _pairs(raw) for source, raw in zip(SOURCES, rows, strict=True)}
            yield QosMap(map_id=number, **pairs)


def _pairs(raw: bytes) -> tuple[int, ...]:
    return tuple(number for value, becomes in enumerate(raw) if becomes for number in (value, becomes))


class QosRecordKind(VppObjectKind[QosRecord]):
    """Where classes are noted."""

    key = QOS
    object_class = QosRecord
    nodes = "qos"
    operations = (SetQosRecord, RemoveQosRecord)

    def set(self, item: QosRecord) -> SetQosRecord:
        """Return the operation that notes a class."""
        return SetQosRecord(item=item)

    def remove(self, item: QosRecord) -> RemoveQosRecord:
        """Return the operation that notes it no more."""
        return RemoveQosRecord(item=item)

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request("qos_record_dump")[1]]

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[QosRecord]:
        paths = ("record.sw_if_index", "record.input_source")
        for index, source in connection.rows(replies, "qos_record_details", *paths):
            if index in names:
                yield QosRecord(interface=names[index], source=SOURCES[source])


class QosStoreKind(VppObjectKind[QosStore]):
    """Where packets get a class."""

    key = QOS
    object_class = QosStore
    nodes = "qos"
    operations = (SetQosStore, RemoveQosStore)

    def set(self, item: QosStore) -> SetQosStore:
        """Return the operation that gives a class."""
        return SetQosStore(item=item)

    def remove(self, item: QosStore) -> RemoveQosStore:
        """Return the operation that gives none any more."""
        return RemoveQosStore(item=item)

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request("qos_store_dump")[1]]

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[QosStore]:
        for index, value in connection.rows(replies, "qos_store_details", "store.sw_if_index", "store.value"):
            if index in names:
                yield QosStore(interface=names[index], value=value)


class QosMarkKind(VppObjectKind[QosMark]):
    """Where classes are written."""

    key = QOS
    object_class = QosMark
    nodes = "qos"
    operations = (SetQosMark, RemoveQosMark)

    def set(self, item: QosMark) -> SetQosMark:
        """Return the operation that marks."""
        return SetQosMark(item=item)

    def remove(self, item: QosMark) -> RemoveQosMark:
        """Return the operation that marks no more."""
        return RemoveQosMark(item=item)

    def restorable(self, state: State) -> State:
        """Return a state without own marks by maps that are deleted, which VPP does not set (vnet/qos/qos_mark.c)."""
        marks = state.of(QosMark)
        gone = {each.name for each in marks.values() if each.map_id is None and is_owned(each, state.owned)}
        kept = {name: each for name, each in marks.items() if name not in gone}
        return replace(state, objects=without_empty({**state.objects, QosMark: kept})) if gone else state

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request("qos_mark_dump", {"sw_if_index": ALL_INDEXES})[1]]

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[QosMark]:
        """Yield the marks, those by a map that is deleted too."""
        paths = ("mark.sw_if_index", "mark.map_id", "mark.output_source")
        for index, number, target in connection.rows(replies, "qos_mark_details", *paths):
            if index in names:
                map_id = None if number == NO_INDEX else number
                yield QosMark(interface=names[index], target=SOURCES[target], map_id=map_id)


class QosMaps(OwnedSection[tuple[QosMap, ...]]):
    """The section `qos_maps`."""

    key = MAPS
    holders = (KeyHolder.FILE,)
    object_classes = (QosMap,)
    is_block = True

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> tuple[QosMap, ...]:
        """Return the maps in the order of the file; note numbers that are none."""
        wrong = {number: list(_wrong_numbers({number: entry}, path)) for number, entry in raw.items()}
        problems += [problem for each in wrong.values() for problem in each]
        sound = {number: entry for number, entry in raw.items() if not wrong[number]}
        return tuple(QosMap(map_id=number, **_rows(entry or {})) for number, entry in sound.items())

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterable[QosMap]:
        maps: tuple[QosMap, ...] = entry.value
        return maps

    def as_yaml(self, value: tuple[QosMap, ...]) -> Value:
        return tuple(KeyValue(each.map_id, tuple(_row_keys(each)), is_block=True) for each in value)

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, tuple[QosMap, ...]]]:
        if maps := state.of(QosMap):
            yield KeyHolder.FILE, "", tuple(sorted(maps.values(), key=lambda each: each.map_id))


def _wrong_numbers(raw: Mapping[Any, Any], path: KeyPath) -> Iterator[Problem]:
    for number, entry in raw.items():
        if not _is_within(number, LAST_MAP):
            text = f"{shown(number)} is no number of a map; write 0 to {LAST_MAP} without quotes"
            yield Problem(rule="qos-map-id", path=(*path, number), text=text)
        for source, row in (entry or {}).items():
            for value in row or {}:
                if not _is_within(value, _VALUES - 1):
                    text = f"{shown(value)} is no class; write 0 to {_VALUES - 1} without quotes"
                    yield Problem(rule="qos-class", path=(*path, number, source, value), text=text)


def _is_within(number: Any, last: int) -> bool:
    return type(number) is int and 0 <= number <= last


def _rows(entry: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the pairs of each source, in order."""
    return {
        source.value: tuple(number for value in sorted(row) if row[value] for number in (value, row[value]))
        for source in SOURCES
        if (row := entry.get(source.value))
    }


def _row_keys(each: QosMap) -> Iterator[KeyValue]:
    for source in SOURCES:
        pairs = getattr(each, source.value)
        if pairs:
            values = zip(pairs[::2], pairs[1::2], strict=True)
            yield KeyValue(source.value, tuple(KeyValue(value, becomes) for value, becomes in values))


class Qos(OwnedSection[tuple[VppObject, ...]]):
    """The key `qos` of interfaces; its value is the objects themselves."""

    key = QOS
    holders = (KeyHolder.INTERFACE,)
    object_classes = (QosRecord, QosStore, QosMark)

    def _entry(self, holder: KeyHolder, name: str, path: KeyPath, value: Any) -> OwnedConfig:
        """Return an entry whose objects know their interface."""
        if isinstance(value, Mapping):
            value = tuple(_of_interface(name, value))
        return OwnedSection._entry(self, holder, name, path, value)

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> Any:
        """Return the value as it is."""
        return raw

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterable[VppObject]:
        objects: tuple[VppObject, ...] = entry.value
        return objects

    def as_yaml(self, value: tuple[VppObject, ...]) -> Value:
        """Return what is recorded, stored and marked."""
        recorded: list[Any] = [each.source.value for each in value if isinstance(each, QosRecord)]
        stored = [each.value for each in value if isinstance(each, QosStore)]
        marks = [each for each in value if isinstance(each, QosMark) and each.map_id is not None]
        marked = tuple(KeyValue(each.target.value, each.map_id or 0) for each in marks)
        return (
            *([KeyValue("record", recorded)] if recorded else []),
            *(KeyValue("store", each) for each in stored),
            *([KeyValue("mark", marked)] if marked else []),
        )

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, tuple[VppObject, ...]]]:
        found: dict[str, list[VppObject]] = {}
        for object_class in self.object_classes:
            for each in state.of(object_class).values():
                found.setdefault(each.scope, []).append(each)
        for name, objects in found.items():
            yield KeyHolder.INTERFACE, name, tuple(objects)


def _of_interface(name: str, raw: Mapping[str, Any]) -> Iterator[VppObject]:
    for source in dict.fromkeys(raw.get("record") or ()):
        yield QosRecord(interface=name, source=QosSource(source))
    if raw.get("store") is not None:
        yield QosStore(interface=name, value=raw["store"])
    for target, number in (raw.get("mark") or {}).items():
        if number is not None:
            yield QosMark(interface=name, target=QosSource(target), map_id=number)


MAPS_SECTION, SECTION = QosMaps(), Qos()
KINDS = (QosMapKind(), QosRecordKind(), QosStoreKind(), QosMarkKind())
