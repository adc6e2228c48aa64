"""VXLAN tunnels (plugins/vxlan/vxlan.c)."""

from __future__ import annotations

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.kinds import as_created
from vppcfg.model.vxlan import Vxlan
from vppcfg.plan.draft import Draft
from vppcfg.plan.operations.operation import CreateInterface, DeleteInterface
from vppcfg.plan.operations.vrf import missing_table
from vppcfg.record import record


@record
class CreateVxlan(CreateInterface):
    """vxlan_add_del_tunnel: make `vxlan_tunnelN`, born up, its payload going to L2."""

    instance: int
    local: str
    remote: str
    vni: int
    encap_vrf: int = 0

    @property
    def tunnel(self) -> Vxlan:
        """Return what the tunnel is made with."""
        return Vxlan(local=self.local, remote=self.remote, vni=self.vni, encap_vrf=self.encap_vrf)

    def _refusal(self, draft: Draft) -> str | None:
        table = self.tunnel.needed_table
        if table is not None and (missing := missing_table(table, draft)):
            return missing
        other = draft.made_alike(self.tunnel)
        return f"{other} has the same endpoints and VNI" if other else None

    def carry_out(self, draft: Draft) -> None:
        """Enter the tunnel."""
        draft.add_interface(as_created(self.interface, InterfaceKind.VXLAN))
        draft.made[self.interface] = self.tunnel


@record
class DeleteVxlan(DeleteInterface):
    """vxlan_add_del_tunnel: remove the tunnel between these endpoints."""

    making = Vxlan

    instance: int
    local: str
    remote: str
    vni: int
    encap_vrf: int = 0
