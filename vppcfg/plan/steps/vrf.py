"""VRFs: their FIB tables, and which of them interfaces are in.

VPP moves no interface that has addresses, gives an interface that borrows the table of its donor only, and ends a table
when the last one has left it: those leave a table that is to go, it is emptied and goes, and new ones are entered
before any address comes.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.vrf import LAST_TYPED, FibTable, table_key
from vppcfg.plan.change import Change
from vppcfg.plan.operations import (
    CreateVrf,
    DeleteVrf,
    MarkVrfRoutes,
    ReleaseTypedVrf,
    SetTable,
    SweepVrfRoutes,
)
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def table_steps(change: Change[FibTable]) -> Iterator[Step]:
    """Yield the steps that make, delete or make anew one table."""
    if (before := change.before) is not None:
        table_id, is_ipv6 = before.table_id, before.is_ipv6
        yield Step(stage=Stage.EMPTY_VRF, operation=MarkVrfRoutes(table_id=table_id, is_ipv6=is_ipv6))
        yield Step(stage=Stage.EMPTY_VRF, operation=SweepVrfRoutes(table_id=table_id, is_ipv6=is_ipv6))
        if table_id <= LAST_TYPED:
            yield Step(stage=Stage.DELETE_VRF, operation=ReleaseTypedVrf(table_id=table_id, is_ipv6=is_ipv6))
        yield Step(stage=Stage.DELETE_VRF, operation=DeleteVrf(table_id=table_id, is_ipv6=is_ipv6))
    if (after := change.after) is not None:
        create = CreateVrf(table_id=after.table_id, is_ipv6=after.is_ipv6, name=after.name)
        yield Step(stage=Stage.CREATE_VRF, operation=create)


def steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that take an interface out of a table that goes, and put it where it is to be."""
    after = transition.desired.interfaces.get(name)
    if after is None:
        return
    kept = transition.kept(name)
    for is_ipv6, desired in enumerate(after.tables):
        current = kept.tables[is_ipv6] if kept is not None else 0
        if current and table_key(current, is_ipv6=bool(is_ipv6)) in transition.deleted_tables:
            leave = SetTable(interface=name, is_ipv6=bool(is_ipv6), table_id=0)
            yield Step(stage=Stage.LEAVE_VRF, operation=leave)
            current = 0
        if desired != current:
            enter = SetTable(interface=name, is_ipv6=bool(is_ipv6), table_id=desired)
            yield Step(stage=Stage.ENTER_VRF, operation=enter)
