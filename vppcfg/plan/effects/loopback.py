"""Creation and deletion of loopbacks."""

from __future__ import annotations

from vppcfg.model.birth import born
from vppcfg.model.interface import InterfaceKind, evolve
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.effects.removal import dangling
from vppcfg.plan.operations import CreateLoopback, DeleteLoopback


@refusal_of.register
def _(operation: CreateLoopback, draft: Draft) -> str | None:
    return None


@effect_of.register
def _(operation: CreateLoopback, draft: Draft) -> None:
    draft.add_interface(evolve(born(operation.interface, InterfaceKind.LOOPBACK), mac=operation.mac))


@refusal_of.register
def _(operation: DeleteLoopback, draft: Draft) -> str | None:
    return dangling(operation.interface, draft)


@effect_of.register
def _(operation: DeleteLoopback, draft: Draft) -> None:
    draft.remove_interface(operation.interface)
