"""VXLAN tunnels."""

from __future__ import annotations

from vppcfg.record import record


@record
class CreateVxlan:
    """vxlan_add_del_tunnel: make `vxlan_tunnelN`, born up, its payload going to L2."""

    interface: str
    instance: int
    local: str
    remote: str
    vni: int


@record
class DeleteVxlan:
    """vxlan_add_del_tunnel: remove the tunnel between these endpoints."""

    interface: str
    instance: int
    local: str
    remote: str
    vni: int
