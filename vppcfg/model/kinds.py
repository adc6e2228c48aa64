"""What an interface is in the moment in which VPP makes it, by its kind."""

from __future__ import annotations

from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch
from vppcfg.model.virtual_interface import VIRTUAL_INTERFACE_OF, VirtualInterface


def is_marked(kind: InterfaceKind) -> bool:
    """Return whether an interface of a kind is distinguished from a port of another program by its mark alone."""
    return VIRTUAL_INTERFACE_OF.get(kind, VirtualInterface).is_owned_by_mark


def is_same_port(before: Interface, after: Interface, virtual: VirtualInterface | None) -> bool:
    """Return whether two interfaces are of one kind, or are both the port `virtual`, with or without a mark."""
    if before.kind is after.kind:
        return True
    if virtual is None or not virtual.is_owned_by_mark:
        return False
    return {before.kind, after.kind} <= {InterfaceKind.PHYSICAL, virtual.kind}


def as_created(name: str, kind: InterfaceKind, virtual: VirtualInterface | None = None) -> Interface:
    """Return a loopback, bond, tunnel, TAP or port as VPP makes it, before anything is set on it.

    `virtual` is what it is created with; in some kinds its MTUs depend on that.
    """
    virtual_class = VIRTUAL_INTERFACE_OF.get(kind, VirtualInterface)
    return Interface(
        name=name,
        kind=kind,
        link_mtu=virtual_class.link_mtu_as_created if virtual is None else virtual.link_mtu_when_created,
        packet_mtu=virtual_class.packet_mtu_as_created if virtual is None else virtual.packet_mtu_when_created,
        is_up=virtual_class.is_up_as_created,
    )


def sub_interface_as_created(
    name: str, parent: str, sub_id: int, encapsulation: Encapsulation | OtherMatch | None
) -> Interface:
    """Return a sub-interface as VPP makes it: down, with its parent's MTU (vnet/interface.c)."""
    return Interface(
        name=name, kind=InterfaceKind.SUB_INTERFACE, parent=parent, sub_id=sub_id, encapsulation=encapsulation
    )
