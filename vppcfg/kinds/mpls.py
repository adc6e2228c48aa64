"""MPLS: the default table, and the interfaces that take labelled packets (vnet/mpls)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

from vppcfg.engine.feature_kind import SwitchKind
from vppcfg.model.state import State
from vppcfg.operations.change import Change, ObjectKind, appearance
from vppcfg.operations.feature import Switch
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import ALL_INDEXES, Indexes, Known, Request, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.row import unsigned

_TABLES = "mpls_table_dump"
_INTERFACES = "mpls_interface_dump"
"""From 23.10."""
_SHOW = "show mpls interface"
_ENABLED = "  MPLS enabled"


@record
class CreateMplsTable(Operation):
    """mpls_table_add_del: make the default MPLS table, without which no interface can have MPLS."""

    @property
    def subject(self) -> str:
        return "mpls"

    def apply_to(self, working: WorkingState) -> None:
        working.has_mpls_table = True

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("mpls_table_add_del", {"mt_is_add": 1, "mt_table.mt_table_id": 0})

    def cli(self) -> str:
        return "mpls table add 0"


@record
class SetMpls(Switch):
    """sw_interface_set_mpls_enable: let an interface take labelled packets, or no longer."""

    attribute = "has_mpls"

    def _refusal(self, working: WorkingState) -> str | None:
        return Switch._refusal(self, working) or ("there is no MPLS table" if not working.has_mpls_table else None)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.interface), "enable": int(self.is_on)}
        return Request("sw_interface_set_mpls_enable", values)

    def cli(self) -> str:
        return f"set interface mpls {self.interface} {'enable' if self.is_on else 'disable'}"


class MplsKind(SwitchKind):
    """The key `mpls` of interfaces, and the default table in VPP."""

    nodes = "mpls-"
    key = "mpls"
    command = "set interface mpls"
    attribute = "has_mpls"
    is_of_bond = True
    turn_on = Stage.TURN_MPLS_ON
    switch = SetMpls
    operations = (CreateMplsTable, SetMpls)
    api_module = "mpls"

    def is_interrupted(self, transition: Transition, name: str) -> bool:
        """Return whether the LCP pair of the interface goes.

        linux-cp has MPLS on the VPP side of the pair too, which would leave it to the next interface with its index
        (linux-cp/lcp_mpls_sync.c).
        """
        return name in transition.deleted_pairs

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for the tables and, where VPP takes it, for the interfaces."""
        asked = [connection.request(_TABLES)[1]] if connection.offers(_TABLES) else []
        if connection.offers(_INTERFACES):
            asked.append(connection.request(_INTERFACES, {"sw_if_index": ALL_INDEXES})[1])
        return asked

    def commands(self, connection: VppReader) -> list[str]:
        """Return the command that shows the interfaces where no message does."""
        return [_SHOW] if connection.offers(_TABLES) and not connection.offers(_INTERFACES) else []

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, bool]:
        if connection.offers(_INTERFACES):
            rows = connection.rows(replies, "mpls_interface_details", "sw_if_index")
            return {index: True for (index,) in rows if index in known.names}
        lines = known.shown[_SHOW][1].splitlines() if _SHOW in known.shown else []
        names = {name for name, line in pairwise(lines) if line == _ENABLED}
        names |= {unsigned(name) for name in names}
        return {index: True for index, name in known.names.items() if name in names} if names else {}

    def read_settings(
        self, connection: VppReader, replies: Replies, tables: Collection[str], version: str
    ) -> dict[str, Any]:
        """Return whether the default table exists."""
        if not connection.offers(_TABLES):
            return {}
        return {"has_mpls_table": (0,) in connection.rows(replies, "mpls_table_details", "mt_table.mt_table_id")}

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield the creation of the default table; it is never removed."""
        if desired.has_mpls_table and not observed.has_mpls_table:
            yield appearance(ObjectKind.MPLS, "mpls", None, True)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the step that makes the default table."""
        for _ in transition.difference.of(ObjectKind.MPLS):
            yield Step(stage=Stage.CREATE_MPLS_TABLE, operation=CreateMplsTable())


KIND = MplsKind()
