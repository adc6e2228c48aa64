"""VXLAN tunnels (plugins/vxlan/vxlan.c)."""

from __future__ import annotations

from vppcfg.model.vxlan import Vxlan
from vppcfg.plan.operations.tunnel import CreateTunnel, DeleteTunnel
from vppcfg.record import record


@record
class CreateVxlan(CreateTunnel):
    """vxlan_add_del_tunnel: make `vxlan_tunnelN`, born up, its payload going to L2."""

    tunnel: Vxlan


@record
class DeleteVxlan(DeleteTunnel):
    """vxlan_add_del_tunnel: remove the tunnel between these endpoints."""

    making = Vxlan

    instance: int
    tunnel: Vxlan
