"""L2 mode: cross-connects, bridges and tag rewrites (vnet/l2/l2_input.c, set_int_l2_mode)."""

from __future__ import annotations

from vppcfg.model.bridge import bridge_name
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.operations import JoinBridge, LeaveL2, SetCrossConnect, SetTagRewrite


@refusal_of.register
def _(operation: SetCrossConnect, draft: Draft) -> str | None:
    return None if operation.target in draft.interfaces else f"{operation.target} does not exist"


@effect_of.register
def _(operation: SetCrossConnect, draft: Draft) -> None:
    draft.switch(operation.interface, l2xc=operation.target)


@refusal_of.register
def _(operation: JoinBridge, draft: Draft) -> str | None:
    if bridge_name(operation.bd_id) not in draft.bridges:
        return f"bridge domain {operation.bd_id} does not exist"
    if not operation.is_bvi:
        return None
    others = draft.bridge_members.get(operation.bd_id, set()) - {operation.interface}
    bvi = next((name for name in sorted(others) if draft.interfaces[name].is_bvi), None)
    return f"bridge domain {operation.bd_id} has the BVI {bvi}" if bvi is not None else None


@effect_of.register
def _(operation: JoinBridge, draft: Draft) -> None:
    draft.switch(
        operation.interface,
        bridge=operation.bd_id,
        is_bvi=operation.is_bvi,
        split_horizon_group=operation.split_horizon_group,
    )


@refusal_of.register
def _(operation: LeaveL2, draft: Draft) -> str | None:
    return None if draft.interfaces[operation.interface].is_l2 else f"{operation.interface} is not in L2 mode"


@effect_of.register
def _(operation: LeaveL2, draft: Draft) -> None:
    draft.switch(operation.interface, tag_rewrite=None)


@refusal_of.register
def _(operation: SetTagRewrite, draft: Draft) -> str | None:
    return None


@effect_of.register
def _(operation: SetTagRewrite, draft: Draft) -> None:
    draft.change(operation.interface, tag_rewrite=operation.tag_rewrite)
