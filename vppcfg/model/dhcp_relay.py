"""DHCP relays: to which servers VPP hands on what clients in a FIB table ask for (plugins/dhcp/dhcp_proxy.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.model.vrf import table_key
from vppcfg.record import record


@record
class DhcpRelay(VppObject):
    """One server that the requests of one family in one FIB table go to."""

    noun = "DHCP relay"
    table = "dhcp_relays"
    attachment_kinds = ("DHCP relay",)
    fib_sources = frozenset({"DHCP"})

    server: str
    """Canonical; its family is that of the clients."""
    source: str
    """The address that VPP sends from; all servers of a table and family have one."""
    table_id: int = 0
    """That of the clients."""
    server_table_id: int = 0

    @property
    def is_ipv6(self) -> bool:
        """Return the family."""
        return ":" in self.server

    @property
    def name(self) -> str:
        """Return both addresses, with the tables that are not the default one."""
        server = f"{self.server} in table {self.server_table_id}" if self.server_table_id else self.server
        clients = f" for table {self.table_id}" if self.table_id else ""
        return f"{server} from {self.source}{clients}"

    @property
    def scope(self) -> str:
        """Return the number of the clients' table: a file owns both families together."""
        return str(self.table_id)

    def references(self) -> Iterator[Reference]:
        for table_id in dict.fromkeys((self.table_id, self.server_table_id)):
            if table_id:
                yield Reference(Referent.TABLE, table_key(table_id, is_ipv6=self.is_ipv6))
