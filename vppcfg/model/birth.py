"""What an interface is in the moment VPP makes it, before anything is set on it."""

from __future__ import annotations

from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch

BORN_MTU = 9000
"""Bytes; packet MTU of every Ethernet-like interface that VPP makes (vnet/ethernet/interface.c)."""

_LINK_MTU = frozenset({InterfaceKind.VXLAN, InterfaceKind.TAP})
"""Kinds that have a link MTU of their own; loopbacks and bonds refuse one."""


def born(name: str, kind: InterfaceKind) -> Interface:
    """Return a loopback, bond, tunnel or TAP as VPP makes it; only a VXLAN tunnel is born up."""
    return Interface(
        name=name,
        kind=kind,
        link_mtu=BORN_MTU if kind in _LINK_MTU else None,
        packet_mtu=BORN_MTU,
        is_up=kind is InterfaceKind.VXLAN,
    )


def born_sub_interface(
    name: str, parent: str, sub_id: int, encapsulation: Encapsulation | OtherMatch | None
) -> Interface:
    """Return a sub-interface as VPP makes it: down, with its parent's MTU (vnet/interface.c)."""
    return Interface(
        name=name, kind=InterfaceKind.SUB_INTERFACE, parent=parent, sub_id=sub_id, encapsulation=encapsulation
    )
