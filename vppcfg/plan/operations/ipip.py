"""IPIP tunnels (plugins/ipip/ipip_api.c)."""

from __future__ import annotations

from vppcfg.model.ipip import Ipip
from vppcfg.plan.operations.tunnel import CreateTunnel, DeleteTunnel
from vppcfg.record import record


@record
class CreateIpip(CreateTunnel):
    """ipip_add_tunnel: make `ipipN`, born down."""

    tunnel: Ipip


@record
class DeleteIpip(DeleteTunnel):
    """ipip_del_tunnel: remove a tunnel, which VPP finds by the index of its interface."""

    making = Ipip

    tunnel: Ipip
