"""Access lists, and which of them interfaces apply (plugins/acl/acl.c)."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.acl import Acl
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.operations import BindAcls, CreateAcl, DeleteAcl, ReplaceAcl


@refusal_of.register
def _(operation: CreateAcl, draft: Draft) -> str | None:
    return f"the access list {operation.acl} exists" if operation.acl in draft.acls else None


@effect_of.register
def _(operation: CreateAcl, draft: Draft) -> None:
    draft.acls[operation.acl] = Acl(rules=operation.rules, tag=operation.tag)


@refusal_of.register
def _(operation: ReplaceAcl, draft: Draft) -> str | None:
    return None if operation.acl in draft.acls else f"there is no access list {operation.acl}"


@effect_of.register
def _(operation: ReplaceAcl, draft: Draft) -> None:
    draft.acls[operation.acl] = replace(draft.acls[operation.acl], rules=operation.rules, tag=operation.tag)


@refusal_of.register
def _(operation: DeleteAcl, draft: Draft) -> str | None:
    users = sorted(draft.bound.to(operation.acl))
    if users:
        return f"the access list {operation.acl} is in use on {users[0]}"
    return None if operation.acl in draft.acls else f"there is no access list {operation.acl}"


@effect_of.register
def _(operation: DeleteAcl, draft: Draft) -> None:
    del draft.acls[operation.acl]


@refusal_of.register
def _(operation: BindAcls, draft: Draft) -> str | None:
    for name in (*operation.binding.input, *operation.binding.output):
        if name not in draft.acls:
            return f"there is no access list {name}"
    return None


@effect_of.register
def _(operation: BindAcls, draft: Draft) -> None:
    before = draft.interfaces[operation.interface].acls
    draft.bound.drop(operation.interface, {*before.input, *before.output})
    draft.bound.add(operation.interface, {*operation.binding.input, *operation.binding.output})
    draft.change(operation.interface, acls=operation.binding)
