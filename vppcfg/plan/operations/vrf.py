"""FIB tables, and which of them an interface is in (vnet/ip/ip_api.c, vnet/fib/fib_table.c, vnet/ip/table_api.c).

A table stays as long as anybody holds it: the API and VPP's prompt, once each, whoever made it with one of them, the
interfaces in it, routes that lead into it, linux-nl. What is left in one that goes lands in the next one that comes.
"""

from __future__ import annotations

from vppcfg.model.vpp_object import Reference, Referent
from vppcfg.model.vrf import FibTable, table_key
from vppcfg.plan.operation import InterfaceOperation, Operation, missing_table
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record


@record
class VrfOperation(Operation):
    """An operation on one FIB table."""

    table_id: int
    is_ipv6: bool

    @property
    def subject(self) -> str:
        """Return what the table goes by."""
        return table_key(self.table_id, is_ipv6=self.is_ipv6)

    def _refusal(self, draft: WorkingState) -> str | None:
        return missing_table(self.subject, draft)

    def apply_to(self, draft: WorkingState) -> None:
        """Change nothing that a state tells."""


@record
class CreateVrf(VrfOperation):
    """ip_table_add_del_v2: make a table, which has its name from then on."""

    name: str

    def _refusal(self, draft: WorkingState) -> str | None:
        return f"{self.subject} exists, and its name cannot be changed" if self.subject in draft.vrfs else None

    def apply_to(self, draft: WorkingState) -> None:
        """Enter the table."""
        draft.vrfs[self.subject] = FibTable(table_id=self.table_id, is_ipv6=self.is_ipv6, name=self.name)


@record
class MarkVrfRoutes(VrfOperation):
    """ip_table_replace_begin: mark the routes that came through the API, for those to go that nobody writes again."""


@record
class SweepVrfRoutes(VrfOperation):
    """ip_table_replace_end: remove the marked routes. ip_table_flush would shut every interface in the table too."""


@record
class ReleaseTypedVrf(VrfOperation):
    """cli_inband: let go what `ip table add` at VPP's prompt, or a file that VPP runs, holds of a table."""


@record
class DeleteVrf(VrfOperation):
    """ip_table_add_del_v2: let go what the API holds of a table, which ends it when nothing else does."""

    def _refusal(self, draft: WorkingState) -> str | None:
        if user := next(iter(sorted(draft.in_table.to(self.subject))), None):
            return f"{user} is in {self.subject}"
        tunnel = next((name for name, made in draft.virtual.items() if made.needed_table == self.subject), None)
        if tunnel is not None:
            return f"the ends of {tunnel} are in {self.subject}"
        if not self.is_ipv6 and any(each.table_id == self.table_id for each in draft.proxy_arps):
            return f"VPP answers ARP for others in {self.subject}"
        if not self.is_ipv6 and draft.ipfix.exporter.table_id == self.table_id:
            return f"the collector of IPFIX is looked up in {self.subject}"
        if others := draft.referring.get(Reference(Referent.TABLE, self.subject)):
            return f"{min(others)} is in {self.subject}, or leads there"
        return missing_table(self.subject, draft)

    def apply_to(self, draft: WorkingState) -> None:
        """Take the table out."""
        del draft.vrfs[self.subject]
        draft.unmanaged.pop(self.subject, None)


@record
class SetTable(InterfaceOperation):
    """sw_interface_set_table: put an interface, for one family, into a FIB table; 0 is the default one."""

    is_ipv6: bool
    table_id: int

    def _refusal(self, draft: WorkingState) -> str | None:
        interface = draft.interfaces[self.interface]
        if self.table_id and (missing := missing_table(table_key(self.table_id, is_ipv6=self.is_ipv6), draft)):
            return missing
        if interface.unnumbered is not None:
            return f"{interface.name} borrows addresses"
        if interface.dhcp_client is not None and not self.is_ipv6:
            return f"{interface.name} has a DHCP client, and may have an address from it"
        if any((":" in address) == self.is_ipv6 for address in interface.addresses):
            return f"{interface.name} has addresses of that family"
        return None

    def apply_to(self, draft: WorkingState) -> None:
        """Put the interface into the table."""
        draft.move(self.interface, self.table_id, is_ipv6=self.is_ipv6)
