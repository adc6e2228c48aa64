"""Messages that make and delete sub-interfaces (vnet/interface_api.c)."""

from __future__ import annotations

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Flag, SwInterface, Tables
from vppcfg.simulator.vnet import sub_interface
from vppcfg.simulator.wire import NONE

_LAST_VLAN = 4095


def create(call: Call, sw_if_index: int, sub_id: int, flags: int, outer_vlan: int, inner_vlan: int) -> list[Outgoing]:
    """Make a sub-interface with any encapsulation; ids are not checked."""
    tables = call.tables
    parent = tables.sw.get(sw_if_index)
    if parent is None:
        return [("create_subif_reply", (Retval.INVALID_SW_IF_INDEX, NONE))]
    if (parent.index, sub_id) in tables.children:
        return [("create_subif_reply", (Retval.VLAN_ALREADY_EXISTS, NONE))]
    template = sub_interface.template_for(parent.index, sub_id, flags, outer_vlan, inner_vlan)
    return [("create_subif_reply", _made(tables, template, Retval.UNSPECIFIED))]


def create_vlan(call: Call, sw_if_index: int, vlan_id: int) -> list[Outgoing]:
    """Make an exact-match 802.1Q sub-interface whose id is its VLAN."""
    tables = call.tables
    parent = tables.sw.get(sw_if_index)
    if parent is None:
        return [("create_vlan_subif_reply", (Retval.INVALID_SW_IF_INDEX, NONE))]
    parent = tables.sw[tables.hw_of(parent).sw_if_index]
    if not 0 < vlan_id <= _LAST_VLAN:
        return [("create_vlan_subif_reply", (Retval.INVALID_VLAN, NONE))]
    if (parent.index, vlan_id) in tables.children:
        return [("create_vlan_subif_reply", (Retval.VLAN_ALREADY_EXISTS, NONE))]
    flags = Flag.ONE_TAG | Flag.EXACT_MATCH
    template = sub_interface.template_for(parent.index, vlan_id, flags, vlan_id, 0)
    return [("create_vlan_subif_reply", _made(tables, template, Retval.INVALID_REGISTRATION))]


def _made(tables: Tables, template: SwInterface, refusal: Retval) -> tuple[int, int]:
    """Return retval and sw_if_index; VPP names the index that it tried even when it refuses."""
    template.index = NONE
    try:
        return 0, sub_interface.create(tables, template).index
    except RefusedError:
        return refusal, template.index


def delete(call: Call, sw_if_index: int) -> list[Outgoing]:
    """Delete a sub-interface."""
    interface.require(call.tables, sw_if_index)
    sub_interface.delete(call.tables, sw_if_index)
    return [("delete_subif_reply", (0,))]


HANDLERS: Handlers = {
    "create_subif": Handler(answer=create, is_change=True),
    "create_vlan_subif": Handler(answer=create_vlan, is_change=True),
    "delete_subif": Handler(answer=delete, is_change=True),
}
