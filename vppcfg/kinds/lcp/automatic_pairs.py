"""Fits a plan to a VPP that mirrors new sub-interfaces by itself (lcp-auto-subint)."""

from __future__ import annotations

from vppcfg.kinds.lcp.operations import CreateLcpPair, DeleteLcpPair
from vppcfg.model.lcp import LcpPair
from vppcfg.model.state import State
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.working_state import WorkingState


def with_automatic_pairs(steps: tuple[Step, ...], observed: State, desired: State) -> list[Step]:
    """Return the steps, fit for a VPP that mirrors new sub-interfaces by itself; the order is not made here."""
    appearing, working = _appearing(steps, observed)
    unwanted = _unwanted(appearing, working, desired)
    accepted = appearing.keys() - unwanted
    kept = [
        step
        for step in steps
        if not (isinstance(step.operation, CreateLcpPair) and step.operation.interface in accepted)
    ]
    for name in unwanted:
        depth = working.interfaces[name].depth
        kept.append(Step(stage=Stage.DELETE_AUTO_LCP, operation=DeleteLcpPair(interface=name), depth=depth))
    return kept


def _appearing(steps: tuple[Step, ...], observed: State) -> tuple[dict[str, LcpPair], WorkingState]:
    """Return the pairs that are there right after all sub-interfaces are made, and were not or were deleted before."""
    working = WorkingState(observed)
    before = set(working.lcps)
    for step in steps:
        if step.stage > Stage.CREATE_SUB_INTERFACE or step.operation.precondition_error(working) is not None:
            break
        step.operation.apply_to(working)
        if isinstance(step.operation, DeleteLcpPair):
            before.discard(step.operation.interface)
    return {name: pair for name, pair in working.lcps.items() if name not in before}, working


def _unwanted(appearing: dict[str, LcpPair], working: WorkingState, desired: State) -> set[str]:
    """Return the pairs that must go, with those that depend on them."""
    unwanted: set[str] = set()
    pending = [name for name, pair in appearing.items() if desired.lcps.get(name) != pair]
    while pending:
        name = pending.pop()
        if name in unwanted:
            continue
        unwanted.add(name)
        pending += (other for other in working.stacking.dependents_of(working.interfaces[name]) if other in appearing)
    return unwanted
