"""GRE tunnels (plugins/gre/interface.c)."""

from __future__ import annotations

from vppcfg.model.gre import Gre
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.kinds import as_created
from vppcfg.plan.draft import Draft
from vppcfg.plan.operations.operation import CreateInterface, DeleteInterface
from vppcfg.plan.operations.vrf import missing_table
from vppcfg.record import record


@record
class CreateGre(CreateInterface):
    """gre_tunnel_add_del_v2: make `greN`, born down."""

    instance: int
    tunnel: Gre

    def _refusal(self, draft: Draft) -> str | None:
        table = self.tunnel.needed_table
        if table is not None and (missing := missing_table(table, draft)):
            return missing
        other = draft.made_alike(self.tunnel)
        return f"{other} is the same tunnel" if other else None

    def carry_out(self, draft: Draft) -> None:
        """Enter the tunnel."""
        draft.add_interface(as_created(self.interface, InterfaceKind.GRE))
        draft.made[self.interface] = self.tunnel


@record
class DeleteGre(DeleteInterface):
    """gre_tunnel_add_del_v2: remove a tunnel, which VPP finds by all that it was made with."""

    making = Gre

    tunnel: Gre
