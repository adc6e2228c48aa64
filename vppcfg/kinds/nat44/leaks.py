"""Leaks of NAT44 between VRFs: into which tables the hosts of one table are translated (plugins/nat/nat44-ed)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from vppcfg.engine.object_kind import TrafficImpact, VppObjectKind
from vppcfg.kinds.nat44.settings import is_enabled, missing_nat44
from vppcfg.model.nat44 import Nat44, NatLeaks, NatSide
from vppcfg.model.state import State
from vppcfg.model.vrf import LAST_TYPED, FibTable, table_key
from vppcfg.operations.change import Impact
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import Operation, missing_table
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_TABLE, _ROUTE = "nat44_ed_add_del_vrf_table", "nat44_ed_add_del_vrf_route"
_DUMP = "nat44_ed_vrf_tables_v2_dump"
_ANSWERS = ("nat44_ed_vrf_tables_details", "nat44_ed_vrf_tables_v2_details")
"""To the dump of version 2 VPP answers with the first version, filled in as the second (nat44_ed_api.c)."""


@record
class AddNatLeaks(SetObject):
    """nat44_ed_add_del_vrf_table: begin the list of the tables that hosts of one table are translated into."""

    item: NatLeaks

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.name in working.objects.get(NatLeaks, {}):
            return f"table {self.item.table_id} has leaks already"
        return missing_nat44(working) or SetObject._refusal(self, working)

    def apply_to(self, working: WorkingState) -> None:
        """Enter the list without any table in it."""
        working.set_object(replace(self.item, targets=()))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_TABLE, {"table_vrf_id": self.item.table_id, "is_add": 1})

    def cli(self) -> str | None:
        return None if self.item.table_id > LAST_TYPED else f"nat44 vrf table add {self.item.table_id}"


@record
class RemoveNatLeaks(RemoveObject):
    """nat44_ed_add_del_vrf_table: remove the whole list of a table."""

    item: NatLeaks

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_TABLE, {"table_vrf_id": self.item.table_id, "is_add": 0})

    def cli(self) -> str | None:
        return None if self.item.table_id > LAST_TYPED else f"nat44 vrf table del {self.item.table_id}"


@record
class AddNatLeak(Operation):
    """nat44_ed_add_del_vrf_route: add a table to the list of another one."""

    table_id: int
    target: int

    @property
    def subject(self) -> str:
        return NatLeaks(table_id=self.table_id).name

    def _refusal(self, working: WorkingState) -> str | None:
        if self.subject not in working.objects.get(NatLeaks, {}):
            return f"table {self.table_id} has no leaks"
        return missing_table(table_key(self.target, is_ipv6=False), working) if self.target else None

    def apply_to(self, working: WorkingState) -> None:
        item = working.objects[NatLeaks][self.subject]
        assert isinstance(item, NatLeaks)
        working.set_object(replace(item, targets=tuple(sorted({*item.targets, self.target}))))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_ROUTE, {"table_vrf_id": self.table_id, "vrf_id": self.target, "is_add": 1})

    def cli(self) -> str | None:
        if max(self.table_id, self.target) > LAST_TYPED:
            return None
        return f"nat44 vrf route add table {self.table_id} {self.target}"


def _reached(leaks: NatLeaks | None, state: State) -> set[int]:
    """Return the tables that VPP looks in for hosts of one table (get_tx_fib_index in nat44_ed_in2out.c)."""
    if leaks is not None:
        return {leaks.table_id, *leaks.targets}
    sides = (each for each in state.interfaces.values() if each.nat44 is not None)
    outside = {each.tables[0] for each in sides if each.nat44 is not NatSide.INSIDE}
    return outside.union(each.outside_table for each in state.of(Nat44).values())


def _translated_from(table_id: int, state: State) -> set[str]:
    """Return the interfaces of a table whose hosts are translated: with an `output`, those without a side too."""
    there = {each.nat44 for each in state.interfaces.values()}
    untranslated = {NatSide.OUTSIDE} if NatSide.OUTPUT in there else {NatSide.OUTSIDE, None}
    return {
        name for name, each in state.interfaces.items() if each.tables[0] == table_id and each.nat44 not in untranslated
    }


class NatLeaksKind(VppObjectKind[NatLeaks]):
    """The leaks between VRFs."""

    key = "nat44"
    object_class = NatLeaks
    has_own_steps = True
    operations = (AddNatLeaks, RemoveNatLeaks, AddNatLeak)

    def set(self, item: NatLeaks) -> AddNatLeaks:
        """Return the operation that begins a list."""
        return AddNatLeaks(item=item)

    def remove(self, item: NatLeaks) -> RemoveNatLeaks:
        return RemoveNatLeaks(item=item)

    def traffic_impacts(
        self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]
    ) -> Iterator[TrafficImpact]:
        """Yield lists, new or other ones, that lack a table into which hosts were translated."""
        old = before.of(NatLeaks)
        for name, leaks in after.of(NatLeaks).items():
            if old.get(name) == leaks or _reached(old.get(name), before) <= _reached(leaks, after):
                continue
            if inside := frozenset(_translated_from(leaks.table_id, before).intersection(linked[0])):
                yield TrafficImpact(name, Impact.REMOVE, "fewer-tables", frozenset(), inside)

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[NatLeaks]:
        """Yield the lists, an empty one too.

        After an entry was removed, VPP sends more than there is: numbers of no table are left out.
        """
        if not connection.offers(_DUMP) or not is_enabled(connection, replies):
            return
        known = {table.table_id for table in tables if not table.is_ipv6}
        for name in _ANSWERS:
            for (table_id,), targets in connection.lists(replies, name, ("table_vrf_id",), ""):
                found = {target for (target,) in targets} & known
                yield NatLeaks(table_id=table_id, targets=tuple(sorted(found)))


KIND = NatLeaksKind()
