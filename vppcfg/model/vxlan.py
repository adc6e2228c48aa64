"""VXLAN tunnels (vxlan_tunnelN)."""

from __future__ import annotations

from vppcfg.record import record


@record
class Vxlan:
    """The endpoints of a unicast tunnel whose payload goes to L2."""

    local: str
    """Canonical address."""
    remote: str
    """Canonical address of the same family."""
    vni: int
    is_plain: bool = True
    """False for what the configuration cannot say: multicast, other ports, another FIB table, another next node."""
