"""Creation and deletion of sub-interfaces."""

from __future__ import annotations

from vppcfg.model.birth import born_sub_interface
from vppcfg.model.linux import LONGEST_NAME
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.effects.removal import dangling
from vppcfg.plan.operations import CreateLcpPair, CreateSubInterface, DeleteSubInterface


@refusal_of.register
def _(operation: CreateSubInterface, draft: Draft) -> str | None:
    if operation.parent not in draft.interfaces:
        return f"{operation.parent} does not exist"
    if operation.parent in draft.bond_of:
        return f"{operation.parent} is a member of {draft.bond_of[operation.parent]}"
    other = draft.matches.get((operation.parent, operation.encapsulation.tags))
    return f"{other} matches the same tags" if other else None


@effect_of.register
def _(operation: CreateSubInterface, draft: Draft) -> None:
    born = born_sub_interface(operation.interface, operation.parent, operation.sub_id, operation.encapsulation)
    draft.add_interface(born)
    if draft.is_auto_subint and operation.parent in draft.lcps:
        _mirror(operation, draft)


def _mirror(operation: CreateSubInterface, draft: Draft) -> None:
    """Make the pair that VPP makes by itself, unless it cannot (linux-cp/lcp_interface_sync.c)."""
    parent = draft.lcps[operation.parent]
    host_name = f"{parent.host_name}.{operation.sub_id}"
    pair = CreateLcpPair(interface=operation.interface, host_name=host_name, netns=parent.netns, is_default_netns=False)
    if len(host_name) <= LONGEST_NAME and refusal_of(pair, draft) is None:
        effect_of(pair, draft)


@refusal_of.register
def _(operation: DeleteSubInterface, draft: Draft) -> str | None:
    return dangling(operation.interface, draft)


@effect_of.register
def _(operation: DeleteSubInterface, draft: Draft) -> None:
    draft.remove_interface(operation.interface)
