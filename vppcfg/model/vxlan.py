"""VXLAN tunnels (vxlan_tunnelN)."""

from __future__ import annotations

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.making import Making
from vppcfg.record import record


@record
class Vxlan(Making):
    """The endpoints of a unicast tunnel whose payload goes to L2."""

    kind = InterfaceKind.VXLAN
    noun = "VXLAN tunnel"
    table = "vxlans"
    fixed = ("local", "remote", "vni")
    is_up_as_created = True
    link_mtu_as_created = 9000

    local: str
    """Canonical address."""
    remote: str
    """Canonical address of the same family."""
    vni: int
    is_plain: bool = True
    """False for what the configuration cannot say: multicast, other ports, another FIB table, another next node."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Return the ends and the VNI; over IPv6, VPP does not look at the local end (plugins/vxlan/vxlan.h, key6)."""
        return "" if ":" in self.remote else self.local, self.remote, self.vni

    @property
    def other_end(self) -> str | None:
        """Return the address of the other router."""
        return self.remote if self.is_plain else None

    @property
    def own_end(self) -> str:
        """Return the local end."""
        return self.local
