"""Tunnels to one other router: GRE, IPIP and VXLAN (plugins/gre/interface.c, ipip/ipip_api.c, vxlan/vxlan.c)."""

from __future__ import annotations

from vppcfg.model.kinds import as_created
from vppcfg.model.tunnel import Gre, Ipip, Tunnel, Vxlan
from vppcfg.plan.draft import Draft
from vppcfg.plan.operation import CreateInterface, DeleteInterface
from vppcfg.plan.operations.vrf import missing_table
from vppcfg.record import record


@record
class CreateTunnel(CreateInterface):
    """Make a tunnel in a FIB table that exists, like no other tunnel of its kind."""

    instance: int
    tunnel: Tunnel

    def _refusal(self, draft: Draft) -> str | None:
        table = self.tunnel.needed_table
        if table is not None and (missing := missing_table(table, draft)):
            return missing
        other = draft.made_alike(self.tunnel)
        return f"{other} is the same tunnel" if other else None

    def carry_out(self, draft: Draft) -> None:
        """Enter the tunnel."""
        draft.add_interface(as_created(self.interface, self.tunnel.kind))
        draft.enter_made(self.interface, self.tunnel)


@record
class DeleteTunnel(DeleteInterface):
    """Remove a tunnel, which VPP finds by what it was made with."""

    tunnel: Tunnel


@record
class CreateGre(CreateTunnel):
    """gre_tunnel_add_del_v2: make `greN`, born down."""

    tunnel: Gre


@record
class DeleteGre(DeleteTunnel):
    """gre_tunnel_add_del_v2: remove a tunnel, which VPP finds by all that it was made with."""

    making = Gre

    tunnel: Gre


@record
class CreateIpip(CreateTunnel):
    """ipip_add_tunnel: make `ipipN`, born down."""

    tunnel: Ipip


@record
class DeleteIpip(DeleteTunnel):
    """ipip_del_tunnel: remove a tunnel, which VPP finds by the index of its interface."""

    making = Ipip

    tunnel: Ipip


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
