"""Access lists: changed in place, and taken away only when no interface applies them any more."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.acl import Acl, AclBinding
from vppcfg.plan.diff import Change
from vppcfg.plan.operations import BindAcls, CreateAcl, DeleteAcl, ReplaceAcl
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition

_NONE = AclBinding()


def expand(change: Change[Acl]) -> Iterator[Step]:
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


def expand_binding(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that set which access lists an interface applies."""
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    if before is not None and before.acls and name in transition.doomed:
        yield Step(stage=Stage.TURN_OFF, operation=BindAcls(interface=name, binding=_NONE))
    kept = transition.kept(name)
    if after is not None and after.acls != (kept.acls if kept else _NONE):
        yield Step(stage=Stage.BIND_ACLS, operation=BindAcls(interface=name, binding=after.acls))
