"""VXLAN tunnels (vxlan_tunnelN)."""

from __future__ import annotations

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.tunnel import Tunnel
from vppcfg.record import record


@record
class Vxlan(Tunnel):
    """A unicast tunnel whose payload goes to L2."""

    kind = InterfaceKind.VXLAN
    noun = "VXLAN tunnel"
    table = "vxlans"
    fixed = ("local", "remote", "vni", "encap_vrf")
    is_up_as_created = True
    link_mtu_as_created = 9000

    vni: int
    is_plain: bool = True
    """False for what the configuration cannot say: multicast, other ports, another next node."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Return the ends, their table and the VNI; of IPv6, VPP does not look at the local end (plugins/vxlan)."""
        return "" if ":" in self.remote else self.local, self.remote, self.encap_vrf, self.vni
