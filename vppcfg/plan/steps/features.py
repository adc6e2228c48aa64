"""What is turned on and off on interfaces: MPLS, access lists, sFlow and GSO, with what each needs beside them."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.acl import Acl, AclBinding
from vppcfg.model.state import SflowSettings
from vppcfg.plan.diff import Change
from vppcfg.plan.operations import (
    BindAcls,
    CreateAcl,
    CreateMplsTable,
    DeleteAcl,
    Operation,
    ReplaceAcl,
    SetGso,
    SetMpls,
    SetSflow,
    SetSflowHeaderBytes,
    SetSflowPollingInterval,
    SetSflowSamplingRate,
)
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.steps.l2 import is_put_into_l2
from vppcfg.plan.transition import Transition

_NO_ACLS = AclBinding()


def acl_steps(change: Change[Acl]) -> Iterator[Step]:
    """Yield the step that makes, rewrites or deletes an access list."""
    name, before, after = change.name, change.before, change.after
    index = before.index if before else None
    if after is None:
        yield Step(stage=Stage.DELETE_ACL, operation=DeleteAcl(acl=name, index=index))
    elif before is None:
        yield Step(stage=Stage.WRITE_ACL, operation=CreateAcl(acl=name, rules=after.rules, tag=after.tag))
    else:
        rewrite = ReplaceAcl(acl=name, rules=after.rules, tag=after.tag, index=index)
        yield Step(stage=Stage.WRITE_ACL, operation=rewrite)


def acl_binding_steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that set which access lists an interface applies.

    They are taken off before the interface is put into L2 mode: the first frame that a cross-connect sends to one with
    lists that still routes ends VPP 26.10. Bound again, they look at frames too.
    """
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    if before is not None and before.acls and name in transition.doomed:
        yield Step(stage=Stage.TURN_OFF, operation=BindAcls(interface=name, binding=_NO_ACLS))
    kept = transition.kept(name)
    is_changed = after is not None and kept is not None and after.acls != kept.acls
    gets_frames = is_put_into_l2(transition, name) or (is_changed and name in transition.targets)
    if kept is not None and kept.acls and gets_frames:
        yield Step(stage=Stage.TURN_OFF_FOR_L2, operation=BindAcls(interface=name, binding=_NO_ACLS))
        if after is not None and after.acls:
            yield Step(stage=Stage.TURN_ON_IN_L2, operation=BindAcls(interface=name, binding=after.acls))
    elif after is not None and after.acls != (kept.acls if kept else _NO_ACLS):
        yield Step(stage=Stage.BIND_ACLS, operation=BindAcls(interface=name, binding=after.acls))


def mpls_steps(transition: Transition, name: str) -> Iterator[Step]:
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


def mpls_table_steps(change: Change[bool] | None) -> Iterator[Step]:
    """Yield the step that makes the default MPLS table."""
    if change is not None:
        yield Step(stage=Stage.CREATE_MPLS_TABLE, operation=CreateMplsTable())


def sflow_steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that turn sFlow off and on."""
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    was_on = before is not None and before.has_sflow
    is_on = after is not None and after.has_sflow
    if was_on and (name in transition.doomed or not is_on):
        yield Step(stage=Stage.TURN_OFF, operation=SetSflow(interface=name, is_on=False))
    if is_on and (name in transition.created or not was_on):
        yield Step(stage=Stage.TURN_SFLOW_ON, operation=SetSflow(interface=name, is_on=True))


def gso_steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that turn GSO off and on, around L2 mode as access lists."""
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    was_on = before is not None and before.has_gso
    is_on = after is not None and after.has_gso
    if was_on and (name in transition.doomed or not is_on):
        yield Step(stage=Stage.TURN_OFF, operation=SetGso(interface=name, is_on=False))
    if is_on and (name in transition.created or not was_on):
        yield Step(stage=Stage.TURN_FEATURE_ON, operation=SetGso(interface=name, is_on=True))
    elif is_on and is_put_into_l2(transition, name):
        yield Step(stage=Stage.TURN_OFF_FOR_L2, operation=SetGso(interface=name, is_on=False))
        yield Step(stage=Stage.TURN_ON_IN_L2, operation=SetGso(interface=name, is_on=True))


def sflow_setting_steps(change: Change[SflowSettings] | None) -> Iterator[Step]:
    """Yield a step for each setting that differs."""
    if change is None or change.after is None:
        return
    setters: dict[str, Operation] = {
        "sampling_rate": SetSflowSamplingRate(sampling_rate=change.after.sampling_rate),
        "polling_interval_s": SetSflowPollingInterval(polling_interval_s=change.after.polling_interval_s),
        "header_bytes": SetSflowHeaderBytes(header_bytes=change.after.header_bytes),
    }
    for attribute in change.attributes:
        yield Step(stage=Stage.SET_SFLOW, operation=setters[attribute.name])
