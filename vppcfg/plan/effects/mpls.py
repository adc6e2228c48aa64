"""MPLS on interfaces (vnet/mpls/interface.c)."""

from __future__ import annotations

from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.operations import CreateMplsTable, SetMpls


@refusal_of.register
def _(operation: CreateMplsTable, draft: Draft) -> str | None:
    return None


@effect_of.register
def _(operation: CreateMplsTable, draft: Draft) -> None:
    draft.has_mpls_table = True


@refusal_of.register
def _(operation: SetMpls, draft: Draft) -> str | None:
    if draft.interfaces[operation.interface].has_mpls == operation.is_on:
        return f"MPLS on {operation.interface} is so already"
    return "there is no MPLS table" if not draft.has_mpls_table else None


@effect_of.register
def _(operation: SetMpls, draft: Draft) -> None:
    draft.change(operation.interface, has_mpls=operation.is_on)
