"""Makes plans for a running VPP, and adds to them what only VPP can report.

That is: what other programs configured on the interfaces and tables that a plan touches (unmanaged attachments),
objects that another source shadows, and how many NAT44 sessions end; and after the change, what was not restored.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from vppcfg.common.release import is_older
from vppcfg.dataplane import Dataplane
from vppcfg.errors import PlanRefusedError
from vppcfg.model.attachment import Attachment
from vppcfg.model.features import DELETED
from vppcfg.model.nat44 import Nat44
from vppcfg.model.route import shadow_text
from vppcfg.model.state import State
from vppcfg.model.virtual_router import VirtualRouter
from vppcfg.model.vpp_object import OF_DELETED, OF_OTHERS, VppObject
from vppcfg.operations.attachment import RestoreAttachment
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.unmanaged import holders_of, in_question, missing, touched, touched_in_linux, with_unmanaged
from vppcfg.record import evolve

_DETAILS = ("link_local", "ra", "ra_mtu", "neighbors", "static_macs")
"""Attributes of interfaces that a VPP with many is asked for only where that is needed."""
_log = logging.getLogger(__name__)


def plan_on(dataplane: Dataplane, observed: State, desired: State) -> Plan:
    """Return the plan from `observed`, read from `dataplane`, to `desired`.

    `desired` may have unmanaged attachments, when it is a state to roll back to. VPP is read again only for a plan that
    deletes, recreates or moves something. Raise PlanProofError, DataplaneError.
    """
    for text in _left_behind(observed):
        _log.warning("%s", text)
    plan = _with_touched_details(make_plan(observed, desired), dataplane)
    plan = _with_sessions(_with_hidden(plan, dataplane), dataplane)
    holders = touched(plan) | holders_of(desired, in_linux=False)
    in_linux = touched_in_linux(plan) | holders_of(desired, in_linux=True)
    if not holders and not in_linux:
        return plan
    there, in_linux = (frozenset(filter(observed.has_holder, each)) for each in (holders, in_linux))
    found = dataplane.unmanaged(there, plan.observed, in_linux)
    plan = with_unmanaged(plan, in_question(plan, found))
    facts = replace(plan.observed.facts, left_out=dataplane.left_out)
    return replace(plan, observed=replace(plan.observed, facts=facts))


def seen_closely(dataplane: Dataplane, observed: State, desired: State, interfaces: Collection[str]) -> State:
    """Return an observed state with every detail of some interfaces, if it was not read whole. Raise DataplaneError.

    It must be what was observed last, but for what resolving a file has changed.
    """
    if not observed.facts.left_out:
        return observed
    return _with_details(observed, dataplane.look_closer(interfaces, desired))


def _with_touched_details(plan: Plan, dataplane: Dataplane) -> Plan:
    """Return the plan again with every detail of the interfaces that it touches, on a VPP that was not read whole.

    What is found there may touch further interfaces.
    """
    desired, seen = plan.desired, frozenset[str]()
    while plan.steps and plan.observed.facts.left_out and not plan.touched_interfaces <= seen:
        seen |= plan.touched_interfaces
        observed = seen_closely(dataplane, plan.observed, desired, seen)
        plan = make_plan(observed, desired) if observed != plan.observed else replace(plan, observed=observed)
    return plan


def _with_details(observed: State, closer: State) -> State:
    """Return a state with what another reading of it has found of interfaces and bridge domains."""
    interfaces = {
        name: evolve(each, **{detail: getattr(closer.interfaces[name], detail) for detail in _DETAILS})
        for name, each in observed.interfaces.items()
        if name in closer.interfaces
    }
    bridges = {
        name: replace(each, filtered_macs=found.filtered_macs, stray_macs=found.stray_macs)
        for name, each in observed.bridges.items()
        if (found := closer.bridges.get(name)) is not None
    }
    facts = replace(observed.facts, left_out=closer.facts.left_out, left_neighbors=closer.facts.left_neighbors)
    return replace(
        observed,
        interfaces={**observed.interfaces, **interfaces},
        bridges={**observed.bridges, **bridges},
        facts=facts,
    )


def _left_behind(observed: State) -> Iterator[str]:
    """Yield what VPP does because somebody has deleted an interface that something still led to."""
    for number, index in observed.facts.left_policies:
        yield f"Policy {number} has a next hop on a deleted interface, index {index}: it forwards nothing there"
    if observed.facts.has_left_cross_connects:
        yield "VPP has the cross-connect of a deleted interface: whatever gets its index next has it at first"
    for interface in observed.interfaces.values():
        if interface.l2xc == DELETED:
            yield f"{interface.name} leads to a deleted interface: whatever gets its index next gets its frames"
    for router in observed.of(VirtualRouter).values():
        if router.tracks_deleted:
            yield f"Virtual router {router.name} tracks a deleted interface, which lowers its priority for good"


def refuse_too_new(plan: Plan) -> None:
    """Raise PlanRefusedError when a plan to a saved state sets what only a newer VPP can have, as after a downgrade.

    VPP may crash at it. Of a file, its own check finds that.
    """
    version = plan.observed.facts.version
    for item in (each.item for each in plan.of(SetObject)):
        if item.since is not None and is_older(version, item.since):
            raise PlanRefusedError(
                f"{item.label} is for VPP {item.since} or later, and this one is {version}; nothing was changed",
                "apply a file without it, or install that VPP again",
            )


def _with_sessions(plan: Plan, dataplane: Dataplane) -> Plan:
    """Return a plan with the number of NAT44 sessions, where it ends all of them."""
    if not any(isinstance(each.item, Nat44) for each in plan.of(RemoveObject)):
        return plan
    sizes = plan.observed.facts.sizes
    sessions = dataplane.nat44_sessions() if sizes is None else sizes.nat44_sessions
    facts = replace(plan.observed.facts, nat44_sessions=sessions)
    return replace(plan, observed=replace(plan.observed, facts=facts))


def _with_hidden(plan: Plan, dataplane: Dataplane) -> Plan:
    """Return a plan with those objects that it sets and another source shadows, or VPP already has.

    Those that would replace one of another program are shadowed by `OF_OTHERS`.
    """
    found = dataplane.hidden([each.item for each in plan.of(SetObject)])
    there = [
        each
        for each in found
        if each.found is not None and plan.observed.of(type(each.found)).get(each.found.name) != each.found
    ]
    for each in there:
        if each.by:
            _log.warning("%s", shadow_text(each.item.name, each.by))
    if there:
        plan = make_plan(plan.observed.with_hidden(there), plan.desired)
    if left := tuple(each.item.name for each in found if each.by == OF_DELETED):
        facts = replace(plan.observed.facts, left_proxies=left)
        plan = replace(plan, observed=replace(plan.observed, facts=facts))
    names = {name for items in plan.desired.objects.values() for name in items}
    hidden_by = {name: by for name, by in plan.observed.hidden_by.items() if name in names}
    shadowed = (each for each in found if each.by != OF_OTHERS or not _is_read(each.item, plan.observed))
    hidden_by |= {each.item.name: each.by for each in shadowed if each.by not in {"", OF_DELETED}}
    return replace(plan, desired=replace(plan.desired, hidden_by=hidden_by)) if hidden_by else plan


def _is_read(item: VppObject, observed: State) -> bool:
    """Return whether a state has an object of that name, so that what a plan does to it is shown."""
    return item.name in observed.of(type(item))


def not_restored(before: State, dataplane: Dataplane, now: State) -> tuple[Attachment, ...]:
    """Return the unmanaged attachments of a former state that VPP lacks now. Raise DataplaneError."""
    if not before.unmanaged:
        return ()
    there, in_linux = (
        frozenset(filter(now.has_holder, holders_of(before, in_linux=in_linux))) for in_linux in (False, True)
    )
    return missing(before, dataplane.unmanaged(there, replace(now, owned=before.owned), in_linux))


def not_carried_over(plan: Plan, dataplane: Dataplane, now: State) -> tuple[Attachment, ...]:
    """Return the attachments that a plan was to carry over and VPP lacks after it. Raise DataplaneError."""
    back = tuple(each.attachment for each in plan.of(RestoreAttachment))
    return not_restored(replace(plan.desired, unmanaged=back), dataplane, now) if back else ()


def restore_commands(attachments: Iterable[Attachment]) -> list[str]:
    """Return the commands that restore attachments; a comment names one that no command can restore."""
    lines: list[str] = []
    for each in attachments:
        lines += each.commands or (f"comment {{ {each.holder}: {each.label} }}",)
    return lines
