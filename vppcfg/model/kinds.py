"""What follows from the kind of an interface: how VPP makes it, and whether only its tag shows that a file made it.

Other programs make memifs and ports like them too. One is of that kind only while its tag begins with the mark of what
a file makes (`CREATED_MARK` in `model/ownership.py`); without the mark it is a physical port, which no plan removes.
"""

from __future__ import annotations

from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch
from vppcfg.model.virtual_interface import VIRTUAL_INTERFACE_OF, VirtualInterface

BVI = "bvi"
"""How VPP begins the names of its own BVIs."""


def is_marked(kind: InterfaceKind) -> bool:
    """Return whether the mark in its tag alone distinguishes an interface of a kind from a port of another program."""
    return VIRTUAL_INTERFACE_OF.get(kind, VirtualInterface).is_owned_by_mark


def is_bvi(name: str) -> bool:
    """Return whether a loopback is one of VPP's own BVIs, `bviN` (vnet/l2/l2_bvi.c)."""
    return name.startswith(BVI)


def is_bvi_of_others(interface: Interface) -> bool:
    """Return whether an interface is a `bviN` that no file has made: netlab and SONiC make all their SVIs so."""
    return interface.kind is InterfaceKind.LOOPBACK and is_bvi(interface.name) and not interface.tag


def is_same_port(before: Interface, after: Interface, virtual: VirtualInterface | None) -> bool:
    """Return whether one interface can become the other without being recreated, as far as their kinds decide that.

    Their kinds are the same, or they differ only because one of both has the mark in its tag and the other has not;
    `virtual` is what the interface is made with.
    """
    if before.kind is after.kind:
        return True
    if virtual is None or not virtual.is_owned_by_mark:
        return False
    return {before.kind, after.kind} <= {InterfaceKind.PHYSICAL, virtual.kind}


def values_with_kind(kind: InterfaceKind) -> dict[str, object]:
    """Return what an interface has once its mark has come or gone: only the queues of physical ports are looked at."""
    return {"kind": kind, **({} if kind is InterfaceKind.PHYSICAL else {"rx_mode": None})}


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
