"""MPLS: the default table, and the interfaces that take labelled packets (vnet/mpls/interface.c)."""

from __future__ import annotations

from vppcfg.plan.draft import Draft
from vppcfg.plan.operations.operation import InterfaceOperation, Operation
from vppcfg.record import record


@record
class CreateMplsTable(Operation):
    """mpls_table_add_del: make the default MPLS table, without which no interface can have MPLS."""

    @property
    def subject(self) -> str:
        """Return `mpls`."""
        return "mpls"

    def carry_out(self, draft: Draft) -> None:
        """Enter the table."""
        draft.has_mpls_table = True


@record
class SetMpls(InterfaceOperation):
    """sw_interface_set_mpls_enable: let an interface take labelled packets, or no longer."""

    is_on: bool

    def _refusal(self, draft: Draft) -> str | None:
        if draft.interfaces[self.interface].has_mpls == self.is_on:
            return f"MPLS on {self.interface} is {'on' if self.is_on else 'off'} already"
        return "there is no MPLS table" if not draft.has_mpls_table else None

    def carry_out(self, draft: Draft) -> None:
        """Turn it on or off."""
        draft.change(self.interface, has_mpls=self.is_on)
