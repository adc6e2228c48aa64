"""The kinds of interfaces that VPP creates on demand, in the order in which a file has their sections.

They stand apart from `kind_list` because other kinds look at them: a bridge domain at those that may be its members.
A tunnel is a model for others: `kinds/gre.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.engine.virtual_interface_kind import AnyVirtualInterface
from vppcfg.entries.configuration import VirtualInterfaceConfig
from vppcfg.kinds import gre, host_interface, ipip, memif, vhost_user, vxlan
from vppcfg.kinds.bond import kind as bond
from vppcfg.kinds.tap import kind as tap
from vppcfg.kinds.wireguard import kind as wireguard
from vppcfg.model.virtual_interface import VirtualInterface

VIRTUAL_INTERFACES: tuple[AnyVirtualInterface, ...] = (
    bond.KIND,
    vxlan.KIND,
    gre.KIND,
    ipip.KIND,
    wireguard.KIND,
    tap.KIND,
    host_interface.KIND,
    memif.KIND,
    vhost_user.KIND,
)
"""Interfaces that VPP creates on demand."""
VIRTUAL_INTERFACE_CLASSES: tuple[type[VirtualInterface], ...] = tuple(kind.virtual for kind in VIRTUAL_INTERFACES)
"""The classes of what these are made with."""
KIND_OF_VIRTUAL: Mapping[type[VirtualInterface], AnyVirtualInterface] = {
    kind.virtual: kind for kind in VIRTUAL_INTERFACES
}


def section_of(entry: VirtualInterfaceConfig) -> AnyVirtualInterface:
    """Return the kind that makes an interface, by its entry."""
    return next(kind for kind in VIRTUAL_INTERFACES if kind.is_entry(entry))
