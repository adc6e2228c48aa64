"""TAPs (plugins/tap)."""

from __future__ import annotations

from vppcfg.model.birth import born
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.tap import born_device
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.effects.removal import dangling
from vppcfg.plan.operations import CreateTap, DeleteTap


@refusal_of.register
def _(operation: CreateTap, draft: Draft) -> str | None:
    bridge = (operation.tap.host_netns, operation.tap.host_bridge)
    if draft.has_linux and operation.tap.host_bridge and bridge not in draft.linux_bridges:
        return f"there is no Linux bridge {operation.tap.host_bridge}, and VPP would say nothing of it"
    holder = draft.linux_names.get((operation.tap.host_netns, operation.tap.host_name))
    return f"the Linux name {operation.tap.host_name} is held by {holder}" if holder else None


@effect_of.register
def _(operation: CreateTap, draft: Draft) -> None:
    draft.add_interface(born(operation.interface, InterfaceKind.TAP))
    draft.taps[operation.interface] = operation.tap
    draft.linux_names[operation.tap.host_netns, operation.tap.host_name] = operation.interface
    if draft.has_linux:
        draft.linux[operation.interface] = born_device(operation.tap)


@refusal_of.register
def _(operation: DeleteTap, draft: Draft) -> str | None:
    if operation.interface not in draft.taps:
        return f"{operation.interface} is no TAP"
    return dangling(operation.interface, draft)


@effect_of.register
def _(operation: DeleteTap, draft: Draft) -> None:
    draft.remove_interface(operation.interface)
    tap = draft.taps.pop(operation.interface)
    draft.linux.pop(operation.interface, None)
    del draft.linux_names[tap.host_netns, tap.host_name]
