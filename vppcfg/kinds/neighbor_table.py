"""Limits of the neighbour tables: the key `neighbor-table` of the file (vnet/ip-neighbor/ip_neighbor.c).

neighbor-table: { ipv4: { limit: 20000, max-age: 3600, recycle: true } }

VPP always has both tables; one with its defaults is no object. A lower limit evicts no neighbour.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from vppcfg.common.release import Release
from vppcfg.engine.object_kind import TrafficImpact, VppObjectKind
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.index import Index
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.neighbor_table import NeighborTable
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable
from vppcfg.operations.change import Impact
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import Predicate
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.stages import Stage
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

KEY = "neighbor-table"
_SET, _GET = "ip_neighbor_config", "ip_neighbor_config_get"
_FAMILIES = ("ipv4", "ipv6")
NeighborTables = tuple[NeighborTable, ...]


@record
class SetNeighborTable(SetObject):
    """ip_neighbor_config: limit the neighbours of a family."""

    item: NeighborTable

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item)

    def cli(self) -> str:
        return _line(self.item)

    def effect(self, observed: State, desired: State) -> Predicate:
        return _effect(self.item.is_ipv6, observed, desired)


@record
class RemoveNeighborTable(RemoveObject):
    """ip_neighbor_config: return to VPP's defaults."""

    item: NeighborTable

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(NeighborTable(is_ipv6=self.item.is_ipv6))

    def cli(self) -> str:
        return _line(NeighborTable(is_ipv6=self.item.is_ipv6))

    def effect(self, observed: State, desired: State) -> Predicate:
        return _effect(self.item.is_ipv6, observed, desired)


def _request(item: NeighborTable) -> Request:
    values = {
        "af": int(item.is_ipv6),
        "max_number": item.limit,
        "max_age": item.max_age_s,
        "recycle": int(item.is_recycling),
    }
    return Request(_SET, values)


def _line(item: NeighborTable) -> str:
    recycle = "recycle" if item.is_recycling else "norecycle"
    return f"set ip neighbor-config ip{6 if item.is_ipv6 else 4} limit {item.limit} age {item.max_age_s} {recycle}"


def neighbor_table_limit(index: Index) -> Iterator[Problem]:
    """Find limits below the number of static neighbours of the file."""
    for entry in index.configuration.owned.get(KEY, {}).values():
        for table in entry.value:
            count = sum(
                each.address is not None and (":" in each.address) == table.is_ipv6
                for interface in index.interfaces
                for each in interface.neighbors
            )
            if 0 < table.limit < count:
                text = f"the file has {count} static {table.family} neighbours; set a limit that is no smaller"
                yield Problem(rule="neighbor-table-limit", path=(*entry.path, table.family, "limit"), text=text)


class NeighborTableKind(VppObjectKind[NeighborTable]):
    """The limits in VPP."""

    key = KEY
    object_class = NeighborTable
    operations = (SetNeighborTable, RemoveNeighborTable)
    rules = (neighbor_table_limit,)
    set_stage = Stage.REPLACE_OBJECT
    """Before neighbours are entered: a full table refuses them."""
    counts_operations = False
    api_module = "ip_neighbor"

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def set(self, item: NeighborTable) -> SetNeighborTable:
        return SetNeighborTable(item=item)

    def remove(self, item: NeighborTable) -> RemoveNeighborTable:
        return RemoveNeighborTable(item=item)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for both families, where VPP answers them."""
        if not connection.offers(_GET):
            return []
        return [connection.request(_GET, {"af": family})[1] for family in range(len(_FAMILIES))]

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[NeighborTable]:
        """Yield the limits that are not VPP's defaults."""
        if not connection.offers(_GET):
            return
        paths = ("af", "max_number", "max_age", "recycle")
        for family, limit, max_age_s, recycle in connection.rows(replies, f"{_GET}_reply", *paths):
            table = NeighborTable(is_ipv6=bool(family), limit=limit, max_age_s=max_age_s, is_recycling=bool(recycle))
            if not table.is_default:
                yield table

    def traffic_impacts(
        self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]
    ) -> Iterator[TrafficImpact]:
        """Yield what hosts lose whose neighbour entry VPP may refuse or forget from now on."""
        for is_ipv6 in (False, True):
            if what := _loss(is_ipv6, before, after):
                yield TrafficImpact(NeighborTable(is_ipv6=is_ipv6).name, Impact.DEGRADE, what, frozenset())


def _effect(is_ipv6: bool, observed: State, desired: State) -> Predicate:
    what = _loss(is_ipv6, observed, desired)
    return Predicate(*(NeighborTable.impact_verbs[what] if what else ("changes", "change")))


def _loss(is_ipv6: bool, before: State, after: State) -> str:
    """Return the key of the worst loss between two states in `impact_verbs`, '' for none."""
    default = NeighborTable(is_ipv6=is_ipv6)
    old, new = (state.of(NeighborTable).get(default.name, default) for state in (before, after))
    if _is_less(new.limit, old.limit):
        return "fewer"
    if _is_less(new.max_age_s, old.max_age_s):
        return "sooner"
    if new.limit and new.is_recycling != old.is_recycling:
        return "replaces" if new.is_recycling else "refuses"
    return ""


def _is_less(new: int, old: int) -> bool:
    """Return whether a number is below another one, where 0 is no bound."""
    return bool(new) and (not old or new < old)


class NeighborTableSection(OwnedSection[NeighborTables]):
    """The key `neighbor-table`; its value is the limits of the families that the file names."""

    key = KEY
    holders = (KeyHolder.FILE,)
    object_classes = (NeighborTable,)
    reason = "limits neighbour tables"
    since = Release(23, 10)

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> NeighborTables:
        return tuple(_table(family, raw[family]) for family in _FAMILIES if raw.get(family) is not None)

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterator[NeighborTable]:
        """Yield the limits that are not VPP's defaults."""
        yield from (table for table in entry.value if not table.is_default)

    def as_yaml(self, value: NeighborTables) -> Value:
        return tuple(KeyValue(table.family, tuple(_keys(table))) for table in value)

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, NeighborTables]]:
        if tables := state.of(NeighborTable):
            yield KeyHolder.FILE, "", tuple(sorted(tables.values(), key=lambda table: table.is_ipv6))


def _table(family: str, raw: Mapping[str, Any]) -> NeighborTable:
    default = NeighborTable(is_ipv6=family == "ipv6")
    given = {key: value for key, value in raw.items() if value is not None}
    return NeighborTable(
        is_ipv6=default.is_ipv6,
        limit=given.get("limit", default.limit),
        max_age_s=given.get("max-age", default.max_age_s),
        is_recycling=given.get("recycle", default.is_recycling),
    )


def _keys(table: NeighborTable) -> Iterator[KeyValue]:
    default = NeighborTable(is_ipv6=table.is_ipv6)
    yield KeyValue("limit", table.limit, is_default=table.limit == default.limit)
    yield KeyValue("max-age", table.max_age_s, is_default=table.max_age_s == default.max_age_s)
    yield KeyValue("recycle", table.is_recycling, is_default=table.is_recycling == default.is_recycling)


SECTION = NeighborTableSection()
KIND = NeighborTableKind()
