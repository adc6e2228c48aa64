"""FIB tables of VRFs: reads them and the tables of interfaces, and plans when both are set.

VPP moves no interface that has addresses, gives an interface that borrows the table of its donor only, and ends a table
when the last one has left it: those leave a table that is to go, it is emptied and goes, and new ones are entered
before any address comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from vppcfg.engine.kind import Kind, Questions
from vppcfg.entries.section import Section
from vppcfg.kinds.vrf_operations import (
    CreateVrf,
    DeleteVrf,
    MarkVrfRoutes,
    ReleaseTypedVrf,
    SetTable,
    SweepVrfRoutes,
)
from vppcfg.kinds.vrf_reading import ShownTables, TableQuestions
from vppcfg.kinds.vrf_rules import (
    vrf_borrowed,
    vrf_family,
    vrf_switched,
    vrf_tables,
    vrf_without_linux,
)
from vppcfg.kinds.vrf_section import SECTION
from vppcfg.model.state import State
from vppcfg.model.vrf import LAST_TYPED, MAX_TABLE, FibTable, table_key
from vppcfg.operations.change import Action, Change, ObjectKind, appearance, attribute_changes, differing_names
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.wire.reading import Replies, VppReader, text_of

_DUMP = "ip_table_dump"


class VrfKind(Kind):
    """VRFs."""

    key = SECTION.key
    operations = (CreateVrf, MarkVrfRoutes, SweepVrfRoutes, ReleaseTypedVrf, DeleteVrf, SetTable)
    rules = (vrf_tables, vrf_family, vrf_switched, vrf_borrowed, vrf_without_linux)
    api_module = "ip"
    on_interfaces = ("tables",)

    def sections(self) -> tuple[Section, ...]:
        """Return the section of VRFs."""
        return (SECTION,)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all FIB tables, where VPP takes it."""
        return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []

    def interface_questions(
        self, connection: VppReader, replies: Replies, indexes: Sequence[int]
    ) -> Mapping[str, Questions[tuple[int, int]]]:
        """Return the questions for the tables of interfaces, where there are others than the default ones."""
        tables = [each for each in self.listed(connection, replies) if each.table_id]
        if tables and not connection.survey.examines_all(len(indexes)):
            return {"tables": ShownTables(connection, indexes, tables)}
        families = {each.is_ipv6 for each in tables} if connection.offers(_DUMP) else {False, True}
        return {"tables": TableQuestions(connection, indexes, sorted(families))}

    def listed(self, connection: VppReader, replies: Replies) -> list[FibTable]:
        """Return all FIB tables, without their names; the default ones may be missing."""
        if not connection.offers(_DUMP):
            return []
        rows = connection.rows(replies, "ip_table_details", "table.table_id", "table.is_ip6")
        return [FibTable(table_id=table_id, is_ipv6=bool(is_ipv6)) for table_id, is_ipv6 in rows]

    def changes(self, observed: State, desired: State) -> Iterator[Change[FibTable]]:
        """Yield the FIB tables that appear and disappear; one with another name does both."""
        for key in differing_names(observed.vrfs, desired.vrfs):
            before, after = observed.vrfs.get(key), desired.vrfs.get(key)
            if before is None or after is None:
                yield appearance(ObjectKind.VRF, key, before, after)
            elif attributes := attribute_changes(before, after):
                yield Change(
                    action=Action.REPLACE,
                    kind=ObjectKind.VRF,
                    name=key,
                    before=before,
                    after=after,
                    attributes=attributes,
                    forced_by="name",
                )

    def interface_steps(self, transition: Transition, name: str) -> Iterator[Step]:
        """Yield the steps that take an interface out of a table that goes, and put it where it is to be."""
        after = transition.desired.interfaces.get(name)
        if after is None:
            return
        kept = transition.kept(name)
        for is_ipv6, wanted in enumerate(after.tables):
            current = kept.tables[is_ipv6] if kept is not None else 0
            if current and table_key(current, is_ipv6=bool(is_ipv6)) in transition.deleted_tables:
                leave = SetTable(interface=name, is_ipv6=bool(is_ipv6), table_id=0)
                yield Step(stage=Stage.LEAVE_VRF, operation=leave)
                current = 0
            if wanted != current:
                enter = SetTable(interface=name, is_ipv6=bool(is_ipv6), table_id=wanted)
                yield Step(stage=Stage.ENTER_VRF, operation=enter)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that make, delete or make anew FIB tables."""
        for change in transition.difference.of(ObjectKind.VRF):
            yield from _table_steps(change)


KIND = VrfKind()


def _table_steps(change: Change[FibTable]) -> Iterator[Step]:
    """Yield the steps that make, delete or make anew one table."""
    if (before := change.before) is not None:
        table_id, is_ipv6 = before.table_id, before.is_ipv6
        yield Step(stage=Stage.EMPTY_VRF, operation=MarkVrfRoutes(table_id=table_id, is_ipv6=is_ipv6))
        yield Step(stage=Stage.EMPTY_VRF, operation=SweepVrfRoutes(table_id=table_id, is_ipv6=is_ipv6))
        yield Step(stage=Stage.DELETE_VRF, operation=DeleteVrf(table_id=table_id, is_ipv6=is_ipv6))
        if table_id <= LAST_TYPED:
            yield Step(stage=Stage.RELEASE_VRF, operation=ReleaseTypedVrf(table_id=table_id, is_ipv6=is_ipv6))
    if (after := change.after) is not None:
        create = CreateVrf(table_id=after.table_id, is_ipv6=after.is_ipv6, name=after.name)
        yield Step(stage=Stage.CREATE_VRF, operation=create)


def read(connection: VppReader, replies: Replies, used: Iterable[tuple[int, int]]) -> dict[str, FibTable]:
    """Return the FIB tables but the default ones, by their keys.

    `used` are those that interfaces are in: of a VPP that has no list of tables, nothing else is known.
    """
    if not connection.offers(_DUMP):
        return {table.key: table for table in _unnamed(used)}
    rows = connection.rows(replies, "ip_table_details", "table.table_id", "table.is_ip6", "table.name")
    tables = [
        FibTable(table_id=table_id, is_ipv6=bool(is_ipv6), name=text_of(name))
        for table_id, is_ipv6, name in rows
        if 0 < table_id <= MAX_TABLE  # those that VPP makes for itself, as for the steering of SRv6, have no number
    ]
    return {table.key: table for table in tables}


def _unnamed(used: Iterable[tuple[int, int]]) -> Iterator[FibTable]:
    for ids in used:
        for is_ipv6, table_id in enumerate(ids):
            if table_id:
                name = table_key(table_id, is_ipv6=bool(is_ipv6))
                yield FibTable(table_id=table_id, is_ipv6=bool(is_ipv6), name=name)
