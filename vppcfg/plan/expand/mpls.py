"""MPLS: the default table, and the interfaces that take labelled packets."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.plan.diff import Change
from vppcfg.plan.operations import CreateMplsTable, SetMpls
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that turn MPLS off and on.

    The next interface with a doomed one's index would inherit it, also from the VPP side of an LCP pair, on which
    linux-cp turns it on too (linux-cp/lcp_mpls_sync.c).
    """
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    was_on = before is not None and before.has_mpls
    is_on = after is not None and after.has_mpls
    is_broken = name in transition.doomed or name in transition.doomed_pairs
    if was_on and (is_broken or not is_on):
        yield Step(stage=Stage.TURN_OFF, operation=SetMpls(interface=name, is_on=False))
    if is_on and (is_broken or not was_on):
        yield Step(stage=Stage.TURN_MPLS_ON, operation=SetMpls(interface=name, is_on=True))


def expand_table(change: Change[bool] | None) -> Iterator[Step]:
    """Yield the step that makes the default MPLS table."""
    if change is not None:
        yield Step(stage=Stage.CREATE_MPLS_TABLE, operation=CreateMplsTable())
