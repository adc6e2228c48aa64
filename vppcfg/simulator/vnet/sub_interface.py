"""Sub-interfaces: made, deleted, and the VLAN tables that hold each encapsulation once (vnet/ethernet)."""

from __future__ import annotations

from enum import IntEnum

from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import InterfaceEvent, SwInterface, Tables
from vppcfg.simulator.vnet import interface

Slot = tuple[str | int, ...]


class Flag(IntEnum):
    """Raw flags of a sub-interface (vnet/interface.h)."""

    NO_TAGS = 1
    ONE_TAG = 2
    TWO_TAGS = 4
    DOT1AD = 8
    EXACT_MATCH = 16
    DEFAULT = 32
    OUTER_ANY = 64
    INNER_ANY = 128


def slot_of(sub: SwInterface) -> Slot | None:
    """Return the place in the VLAN tables that a sub-interface takes (ethernet_sw_interface_get_config).

    None means that VPP has not implemented such a match.
    """
    flags = sub.flags
    if flags & Flag.DEFAULT:
        return ("default",)
    if flags & Flag.NO_TAGS or not flags:
        return interface.UNTAGGED
    protocol = "dot1ad" if flags & Flag.DOT1AD else "dot1q"
    if flags & Flag.ONE_TAG:
        return None if flags & Flag.OUTER_ANY else (protocol, sub.outer_vlan)
    if flags & Flag.INNER_ANY:
        return None if flags & Flag.OUTER_ANY else (protocol, sub.outer_vlan, "any")
    return (protocol, sub.outer_vlan, sub.inner_vlan)


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
    slot = slot_of(sub)
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
    sub = interface.require(tables, sw_if_index)
    if not sub.is_sub:
        raise RefusedError(Retval.INVALID_SUB_SW_IF_INDEX)
    tables.children.pop((sub.sup_index, sub.sub_id), None)
    tables.hw_of(sub).sub_interfaces.pop(sub.sub_id, None)
    delete_interface(tables, sub)


def delete_interface(tables: Tables, doomed: SwInterface) -> None:
    """Take an interface out of all tables, with what hangs on it (vnet_delete_sw_interface)."""
    doomed.tag = b""
    if doomed.is_up:
        interface.set_admin_state(tables, doomed, False)
    for hook in tables.deleted_hooks:
        hook(tables, doomed.index)
    port = tables.hw_of(doomed)
    slot = slot_of(doomed)
    if port.is_ethernet and slot is not None:
        port.encapsulations.discard(slot)
    tables.events.append(InterfaceEvent(sw_if_index=doomed.index, is_deleted=True))
    tables.sw.remove(doomed.index)


def delete_port(tables: Tables, hw_index: int) -> None:
    """Delete a port, its sub-interfaces and its interface (vnet_delete_hw_interface).

    VPP walks the sub-interfaces in the order of a hash table, which decides the order in which their indexes are
    used again; here it is that of their ids.
    """
    port = tables.hw[hw_index]
    for _, index in sorted(port.sub_interfaces.items()):
        sub = tables.sw.get(index)
        if sub is not None:
            tables.children.pop((sub.sup_index, sub.sub_id), None)
            delete_interface(tables, sub)
    port.sub_interfaces.clear()
    delete_interface(tables, tables.sw[port.sw_if_index])
    del tables.hw_by_name[port.name]
    tables.hw.remove(hw_index)
