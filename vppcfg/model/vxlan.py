"""VXLAN tunnels (vxlan_tunnelN)."""

from __future__ import annotations

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.tunnel import Tunnel
from vppcfg.record import record

VXLAN_PORT = 4789
"""The port of RFC 7348."""


@record
class Vxlan(Tunnel):
    """A unicast tunnel whose payload goes to L2."""

    kind = InterfaceKind.VXLAN
    noun = "VXLAN tunnel"
    table = "vxlans"
    fixed = ("local", "remote", "vni", "source_port", "destination_port", "encap_vrf")
    is_up_as_created = True
    link_mtu_as_created = 9000

    vni: int
    source_port: int = VXLAN_PORT
    """The UDP port that packets come from, and that they must be sent to by the other router."""
    destination_port: int = VXLAN_PORT
    """The UDP port that packets go to."""
    is_plain: bool = True
    """False for what the configuration cannot say: multicast, another next node."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Return the ends, their table, the VNI and the own port; of IPv6, VPP does not look at the local end.

        The other port is no part of it (plugins/vxlan/vxlan.c, vnet_vxlan_add_del_tunnel).
        """
        local = "" if ":" in self.remote else self.local
        return local, self.remote, self.encap_vrf, self.vni, self.source_port
