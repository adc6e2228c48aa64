"""MPLS: the default table, and the interfaces that take labelled packets (vnet/mpls/interface.c)."""

from __future__ import annotations

from vppcfg.plan.draft import Draft
from vppcfg.plan.feature import Switch
from vppcfg.plan.operation import Operation
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
class SetMpls(Switch):
    """sw_interface_set_mpls_enable: let an interface take labelled packets, or no longer."""

    attribute = "has_mpls"

    def _refusal(self, draft: Draft) -> str | None:
        return Switch._refusal(self, draft) or ("there is no MPLS table" if not draft.has_mpls_table else None)
