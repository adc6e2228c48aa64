"""VXLAN tunnels (plugins/vxlan/vxlan.c)."""

from __future__ import annotations

from vppcfg.model.birth import born
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.vxlan import Vxlan
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.effects.removal import dangling
from vppcfg.plan.operations import CreateVxlan, DeleteVxlan


@refusal_of.register
def _(operation: CreateVxlan, draft: Draft) -> str | None:
    same = _key(Vxlan(local=operation.local, remote=operation.remote, vni=operation.vni))
    other = next((name for name, vxlan in draft.vxlans.items() if _key(vxlan) == same), None)
    return f"{other} has the same endpoints and VNI" if other else None


def _key(vxlan: Vxlan) -> tuple[str, str, int]:
    """Return what must be unique: over IPv6, VPP does not look at the local end (plugins/vxlan/vxlan.h, key6)."""
    return "" if ":" in vxlan.remote else vxlan.local, vxlan.remote, vxlan.vni


@effect_of.register
def _(operation: CreateVxlan, draft: Draft) -> None:
    draft.add_interface(born(operation.interface, InterfaceKind.VXLAN))
    draft.vxlans[operation.interface] = Vxlan(local=operation.local, remote=operation.remote, vni=operation.vni)


@refusal_of.register
def _(operation: DeleteVxlan, draft: Draft) -> str | None:
    if operation.interface not in draft.vxlans:
        return f"{operation.interface} is no VXLAN tunnel"
    return dangling(operation.interface, draft)


@effect_of.register
def _(operation: DeleteVxlan, draft: Draft) -> None:
    draft.remove_interface(operation.interface)
    del draft.vxlans[operation.interface]
