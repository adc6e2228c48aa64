"""What the operations on tunnels to one other router have alike; the kinds stand in modules of their own."""

from __future__ import annotations

from vppcfg.model.kinds import as_created
from vppcfg.model.tunnel import Tunnel
from vppcfg.plan.draft import Draft
from vppcfg.plan.operations.operation import CreateInterface, DeleteInterface
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
