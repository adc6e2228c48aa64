"""Loopbacks (vnet/ethernet/interface.c)."""

from __future__ import annotations

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.kinds import as_created
from vppcfg.plan.draft import Draft
from vppcfg.plan.operation import CreateInterface, DeleteInterface
from vppcfg.record import evolve, record


@record
class CreateLoopback(CreateInterface):
    """create_loopback_instance: make `loopN`, born down."""

    instance: int
    mac: str
    """'' for one that VPP makes from the instance."""

    def carry_out(self, draft: Draft) -> None:
        """Enter the loopback."""
        draft.add_interface(evolve(as_created(self.interface, InterfaceKind.LOOPBACK), mac=self.mac))


@record
class DeleteLoopback(DeleteInterface):
    """delete_loopback: remove a loopback."""
