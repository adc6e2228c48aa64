"""Bridge domains and their settings (vnet/l2/l2_bd.c)."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.bridge import Bridge, bridge_name
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.operations import CreateBridge, DeleteBridge, SetBridgeFlag, SetBridgeMacAge


def _missing(bd_id: int, draft: Draft) -> str | None:
    return None if bridge_name(bd_id) in draft.bridges else f"bridge domain {bd_id} does not exist"


@refusal_of.register
def _(operation: CreateBridge, draft: Draft) -> str | None:
    return f"bridge domain {operation.bd_id} exists" if bridge_name(operation.bd_id) in draft.bridges else None


@effect_of.register
def _(operation: CreateBridge, draft: Draft) -> None:
    bridge = Bridge(bd_id=operation.bd_id, settings=operation.settings, tag=operation.tag)
    draft.bridges[bridge_name(operation.bd_id)] = bridge


@refusal_of.register
def _(operation: DeleteBridge, draft: Draft) -> str | None:
    if draft.bridge_members.get(operation.bd_id):
        return f"bridge domain {operation.bd_id} has members"
    return _missing(operation.bd_id, draft)


@effect_of.register
def _(operation: DeleteBridge, draft: Draft) -> None:
    del draft.bridges[bridge_name(operation.bd_id)]


@refusal_of.register
def _(operation: SetBridgeFlag, draft: Draft) -> str | None:
    return _missing(operation.bd_id, draft)


@effect_of.register
def _(operation: SetBridgeFlag, draft: Draft) -> None:
    _set(operation.bd_id, draft, **{operation.flag.value: operation.is_on})


@refusal_of.register
def _(operation: SetBridgeMacAge, draft: Draft) -> str | None:
    return _missing(operation.bd_id, draft)


@effect_of.register
def _(operation: SetBridgeMacAge, draft: Draft) -> None:
    _set(operation.bd_id, draft, mac_age_minutes=operation.minutes)


def _set(bd_id: int, draft: Draft, **settings: int | bool) -> None:
    bridge = draft.bridges[bridge_name(bd_id)]
    changed = replace(bridge.settings, **settings)  # type: ignore[arg-type]
    draft.bridges[bridge_name(bd_id)] = replace(bridge, settings=changed)
