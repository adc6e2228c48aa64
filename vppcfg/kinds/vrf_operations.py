"""Operations on FIB tables, and on which of them an interface is in (vnet/ip/ip_api.c, table_api.c, vnet/fib).

A table stays as long as a source locks it: the API and VPP's prompt, once each, whoever made it with one of them, the
interfaces in it, routes that lead into it, linux-nl. What is left in one that goes lands in the next one that comes.
"""

from __future__ import annotations

from vppcfg.model.state import State
from vppcfg.model.vpp_object import Reference, Referent
from vppcfg.model.vrf import LAST_TYPED, FibTable, table_key
from vppcfg.operations.operation import InterfaceOperation, Operation, Predicate, missing_table
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record

_ADD_DEL = ("ip_table_add_del_v2", "ip_table_add_del")
"""Newest first; v2 came in 24.10, and may leave out the table for multicast, which its predecessor always makes."""


@record
class VrfOperation(Operation):
    """An operation on one FIB table."""

    table_id: int
    is_ipv6: bool

    @property
    def subject(self) -> str:
        return table_key(self.table_id, is_ipv6=self.is_ipv6)

    def _refusal(self, working: WorkingState) -> str | None:
        return missing_table(self.subject, working)

    def apply_to(self, working: WorkingState) -> None:
        """Change nothing that a state has."""


@record
class CreateVrf(VrfOperation):
    """ip_table_add_del_v2: make a table, which has its name from then on."""

    name: str

    def _refusal(self, working: WorkingState) -> str | None:
        return f"{self.subject} exists, and its name cannot be changed" if self.subject in working.vrfs else None

    def apply_to(self, working: WorkingState) -> None:
        working.vrfs[self.subject] = FibTable(table_id=self.table_id, is_ipv6=self.is_ipv6, name=self.name)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        message = vpp.newest(_ADD_DEL)
        multicast = {"create_mfib": 1} if vpp.has_field(message, "create_mfib") else {}
        return Request(message, {**_table(self), "table.name": self.name, "is_add": 1, **multicast})

    def cli(self) -> str | None:
        if self.table_id > LAST_TYPED:
            return None
        return f"{_table_words(is_ipv6=self.is_ipv6)} add {self.table_id} name {self.name}"


@record
class MarkVrfRoutes(VrfOperation):
    """ip_table_replace_begin: mark the routes of the API, to remove those that are not written again."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("ip_table_replace_begin", _table(self))

    def cli(self) -> None:
        """Return None: no command does it."""
        return None


@record
class SweepVrfRoutes(VrfOperation):
    """ip_table_replace_end: remove the marked routes. ip_table_flush would shut every interface in the table too."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("ip_table_replace_end", _table(self))

    def cli(self) -> None:
        """Return None: no command does it."""
        return None


@record
class ReleaseTypedVrf(VrfOperation):
    """cli_inband: let go what `ip table add` at VPP's prompt, or a file that VPP runs, holds of a table.

    It comes after `DeleteVrf`: unless the table was created at the prompt, the command would remove its last lock
    for multicast (mfib_table_unlock in vnet/mfib/mfib_table.c counts down without asking), and a rollback that starts
    between the two would find the table there, and its multicast entries gone. For the same reason it waits until VPP
    has answered `DeleteVrf`, which has a stage of its own.
    """

    def _refusal(self, working: WorkingState) -> None:
        """Return None: VPP takes the command for a table that is not there too."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Write the command, which succeeds without the other one (vnet/ip/lookup.c)."""
        family = "ip6" if self.is_ipv6 else "ip"
        return Request("cli_inband", {}, text=f"{family} table del {self.table_id}")

    def cli(self) -> str:
        return f"{_table_words(is_ipv6=self.is_ipv6)} del {self.table_id}"


@record
class DeleteVrf(VrfOperation):
    """ip_table_add_del_v2: let go what the API holds of a table, which ends it when nothing else does."""

    def _refusal(self, working: WorkingState) -> str | None:
        if user := next(iter(sorted(working.in_table.to(self.subject))), None):
            return f"{user} is in {self.subject}"
        tunnel = next((name for name, virtual in working.virtual.items() if virtual.needed_table == self.subject), None)
        if tunnel is not None:
            return f"the ends of {tunnel} are in {self.subject}"
        if not self.is_ipv6 and any(each.table_id == self.table_id for each in working.proxy_arps):
            return f"VPP answers ARP for others in {self.subject}"
        if not self.is_ipv6 and working.ipfix.exporter.table_id == self.table_id:
            return f"the collector of IPFIX is looked up in {self.subject}"
        if others := working.referring.get(Reference(Referent.TABLE, self.subject)):
            return f"{min(others)} is in {self.subject}, or leads there"
        return missing_table(self.subject, working)

    def apply_to(self, working: WorkingState) -> None:
        del working.vrfs[self.subject]
        working.unmanaged.pop(self.subject, None)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(vpp.newest(_ADD_DEL), {**_table(self), "is_add": 0})

    def cli(self) -> None:
        """Return None: no command does it."""
        return None


@record
class SetTable(InterfaceOperation):
    """sw_interface_set_table: put an interface, for one family, into a FIB table; 0 is the default one."""

    is_ipv6: bool
    table_id: int

    def _refusal(self, working: WorkingState) -> str | None:
        interface = working.interfaces[self.interface]
        if self.table_id and (missing := missing_table(table_key(self.table_id, is_ipv6=self.is_ipv6), working)):
            return missing
        if interface.unnumbered is not None:
            return f"{interface.name} borrows addresses"
        if interface.dhcp_client is not None and not self.is_ipv6:
            return f"{interface.name} has a DHCP client, and may have an address from it"
        if any((":" in address) == self.is_ipv6 for address in interface.addresses):
            return f"{interface.name} has addresses of that family"
        return None

    def apply_to(self, working: WorkingState) -> None:
        working.move(self.interface, self.table_id, is_ipv6=self.is_ipv6)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {
            "sw_if_index": indexes.interface(self.interface),
            "is_ipv6": int(self.is_ipv6),
            "vrf_id": self.table_id,
        }
        return Request("sw_interface_set_table", values)

    def cli(self) -> str | None:
        if self.table_id > LAST_TYPED:
            return None
        return f"set interface {_table_words(is_ipv6=self.is_ipv6)} {self.interface} {self.table_id}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("moves to another VRF", "move to another VRF")


def _table_words(*, is_ipv6: bool) -> str:
    return "ip6 table" if is_ipv6 else "ip table"


def _table(operation: CreateVrf | DeleteVrf | MarkVrfRoutes | SweepVrfRoutes) -> dict[str, Value]:
    return {"table.table_id": operation.table_id, "table.is_ip6": int(operation.is_ipv6)}
