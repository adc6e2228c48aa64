"""The kinds of interfaces that VPP makes on demand, and what an interface is in the moment in which VPP makes it."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.model.bond import Bond
from vppcfg.model.gre import Gre
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch
from vppcfg.model.ipip import Ipip
from vppcfg.model.making import Making
from vppcfg.model.tap import Tap
from vppcfg.model.vxlan import Vxlan
from vppcfg.model.wireguard import Wireguard

MAKINGS: tuple[type[Making], ...] = (Bond, Vxlan, Gre, Ipip, Wireguard, Tap)
"""Every kind with something of its own that it is made with. What is generic goes through this list."""
MAKING_OF: Mapping[InterfaceKind, type[Making]] = {making.kind: making for making in MAKINGS}


def as_created(name: str, kind: InterfaceKind) -> Interface:
    """Return a loopback, bond, tunnel or TAP as VPP makes it, before anything is set on it."""
    making = MAKING_OF.get(kind, Making)
    return Interface(
        name=name,
        kind=kind,
        link_mtu=making.link_mtu_as_created,
        packet_mtu=making.packet_mtu_as_created,
        is_up=making.is_up_as_created,
    )


def sub_interface_as_created(
    name: str, parent: str, sub_id: int, encapsulation: Encapsulation | OtherMatch | None
) -> Interface:
    """Return a sub-interface as VPP makes it: down, with its parent's MTU (vnet/interface.c)."""
    return Interface(
        name=name, kind=InterfaceKind.SUB_INTERFACE, parent=parent, sub_id=sub_id, encapsulation=encapsulation
    )
