"""Messages about cross-connects and tag rewrites (vnet/l2/l2_api.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator import l2
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing
from vppcfg.simulator.retval import RefusedError, Retval


def set_xconnect(call: Call, source: int, target: int, is_enable: bool) -> list[Outgoing]:
    """Cross-connect an interface to another, or return it to L3."""
    tables = call.tables
    row = interface.require(tables, source)
    if is_enable:
        l2.set_xconnect(tables, row, interface.require(tables, target))
    else:
        l2.set_l3(tables, source)
    return [("sw_interface_set_l2_xconnect_reply", (0,))]


def dump(call: Call) -> Iterator[Outgoing]:
    """Show all cross-connects, also those whose target is gone."""
    for index, config in sorted(call.tables.l2.items()):
        if config.xconnect_to is not None:
            yield "l2_xconnect_details", (index, config.xconnect_to)


def set_rewrite(call: Call, sw_if_index: int, operation: int, dot1q: int, tag1: int, tag2: int) -> list[Outgoing]:
    """Set how VLAN tags change between an interface and the switch."""
    tables = call.tables
    row = interface.require(tables, sw_if_index)
    if operation > max(l2.Rewrite):
        raise RefusedError(Retval.INVALID_VALUE)
    l2.set_rewrite(tables, row, l2.Rewrite(operation), bool(dot1q), tag1, tag2)
    return [("l2_interface_vlan_tag_rewrite_reply", (0,))]


HANDLERS: Handlers = {
    "sw_interface_set_l2_xconnect": Handler(answer=set_xconnect, is_change=True),
    "l2_xconnect_dump": Handler(answer=dump),
    "l2_interface_vlan_tag_rewrite": Handler(answer=set_rewrite, is_change=True),
}
