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
    fixed = ("local", "remote", "vni", "encap_vrf")
    is_up_as_created = True
    link_mtu_as_created = 9000

    local: str
    """Canonical address."""
    remote: str
    """Canonical address of the same family."""
    vni: int
    encap_vrf: int = 0
    """Id of the FIB table that the ends are in."""
    is_plain: bool = True
    """False for what the configuration cannot say: multicast, other ports, another next node."""

    @property
    def outer_table(self) -> int:
        """Return the id of the FIB table that the ends are in."""
        return self.encap_vrf

    @property
    def identity(self) -> tuple[object, ...]:
        """Return the ends, their table and the VNI; of IPv6, VPP does not look at the local end (plugins/vxlan)."""
        return "" if ":" in self.remote else self.local, self.remote, self.encap_vrf, self.vni

    @property
    def other_end(self) -> str | None:
        """Return the address of the other router."""
        return self.remote if self.is_plain else None

    @property
    def own_end(self) -> str:
        """Return the local end."""
        return self.local
