"""VXLAN tunnels (plugins/vxlan/vxlan.c)."""

from __future__ import annotations

from vppcfg.model.birth import born
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.vxlan import Vxlan
from vppcfg.plan.draft import Draft
from vppcfg.plan.operations.operation import CreateInterface, DeleteInterface, dangling
from vppcfg.record import record


@record
class CreateVxlan(CreateInterface):
    """vxlan_add_del_tunnel: make `vxlan_tunnelN`, born up, its payload going to L2."""

    instance: int
    local: str
    remote: str
    vni: int

    def _refusal(self, draft: Draft) -> str | None:
        same = _key(Vxlan(local=self.local, remote=self.remote, vni=self.vni))
        other = next((name for name, vxlan in draft.vxlans.items() if _key(vxlan) == same), None)
        return f"{other} has the same endpoints and VNI" if other else None

    def carry_out(self, draft: Draft) -> None:
        """Enter the tunnel."""
        draft.add_interface(born(self.interface, InterfaceKind.VXLAN))
        draft.vxlans[self.interface] = Vxlan(local=self.local, remote=self.remote, vni=self.vni)


@record
class DeleteVxlan(DeleteInterface):
    """vxlan_add_del_tunnel: remove the tunnel between these endpoints."""

    instance: int
    local: str
    remote: str
    vni: int

    def _refusal(self, draft: Draft) -> str | None:
        if self.interface not in draft.vxlans:
            return f"{self.interface} is no VXLAN tunnel"
        return dangling(self.interface, draft)

    def carry_out(self, draft: Draft) -> None:
        """Take the tunnel out."""
        draft.remove_interface(self.interface)
        del draft.vxlans[self.interface]


def _key(vxlan: Vxlan) -> tuple[str, str, int]:
    """Return what must be unique: over IPv6, VPP does not look at the local end (plugins/vxlan/vxlan.h, key6)."""
    return "" if ":" in vxlan.remote else vxlan.local, vxlan.remote, vxlan.vni
