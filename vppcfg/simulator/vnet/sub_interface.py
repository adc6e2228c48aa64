"""Sub-interfaces: made, deleted, and the VLAN tables that hold each encapsulation once (vnet/ethernet)."""

from __future__ import annotations

from vppcfg.simulator import interfaces
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Flag, InterfaceEvent, SwInterface, Tables


def create(tables: Tables, template: SwInterface) -> SwInterface:
    """Make the sub-interface that `template` describes; raise RefusedError for one that VPP cannot match.

    A refusal leaves the index that was tried in `template`.
    """
    any_tag = Flag.OUTER_ANY | Flag.INNER_ANY
    if template.flags & Flag.TWO_TAGS and template.flags & Flag.EXACT_MATCH and template.flags & any_tag:
        raise RefusedError(Retval.UNSPECIFIED, "inner-dot1q any exact-match is unsupported")
    sub = tables.sw.add(lambda index: _numbered(template, index))
    _take_slot(tables, sub)
    tables.events.append(InterfaceEvent(sw_if_index=sub.index))
    for hook in tables.created_hooks:
        hook(tables, sub.index)
    tables.hw_of(tables.sw[sub.sup_index]).sub_interfaces[sub.sub_id] = sub.index
    tables.children[sub.sup_index, sub.sub_id] = sub.index
    return sub


def _numbered(template: SwInterface, index: int) -> SwInterface:
    template.index = index
    return template


def _take_slot(tables: Tables, sub: SwInterface) -> None:
    """Take a sub-interface's place in the VLAN tables.

    When it is taken, VPP's undo frees it, whoever had it: a second try succeeds.
    """
    port = tables.hw_of(sub)
    if not port.is_ethernet:
        return
    slot = interfaces.slot_of(sub)
    if slot is None or slot in port.encapsulations:
        tables.sw.remove(sub.index)
        if slot is None:
            raise RefusedError(Retval.UNSPECIFIED, "not implemented yet")
        port.encapsulations.discard(slot)
        raise RefusedError(Retval.UNSPECIFIED, "vlan is already in use")
    port.encapsulations.add(slot)


def template_for(parent_index: int, sub_id: int, flags: int, outer_vlan: int, inner_vlan: int) -> SwInterface:
    """Return a sub-interface that is not in the tables yet."""
    return SwInterface(
        index=0,
        sup_index=parent_index,
        is_sub=True,
        sub_id=sub_id,
        flags=flags & 0xFFFF,
        outer_vlan=outer_vlan,
        inner_vlan=inner_vlan,
    )


def delete(tables: Tables, sw_if_index: int) -> None:
    """Delete a sub-interface; raise RefusedError for anything else (vnet_delete_sub_interface)."""
    sub = interfaces.require(tables, sw_if_index)
    if not sub.is_sub:
        raise RefusedError(Retval.INVALID_SUB_SW_IF_INDEX)
    tables.children.pop((sub.sup_index, sub.sub_id), None)
    tables.hw_of(sub).sub_interfaces.pop(sub.sub_id, None)
    interfaces.delete_interface(tables, sub)
