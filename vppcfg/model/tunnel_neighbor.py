"""Which router a multipoint tunnel leads to for each neighbour (vnet/teib/teib.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.model.vrf import table_key
from vppcfg.record import record


@record
class TunnelNeighbor(VppObject):
    """An entry of the tunnel endpoint information base: a neighbour in the tunnel, and the router that it is behind.

    VPP keeps one whose interface is deleted, cannot delete it any more, and gives it to the next interface with that
    index.
    """

    noun = "TEIB neighbour"
    table = "tunnel_neighbors"
    is_replaceable = False
    attachment_kinds = ("TEIB neighbour",)

    interface: str
    peer: str
    """Canonical address of the neighbour, inside of the tunnel."""
    next_hop: str
    """Canonical address of the router, outside of the tunnel."""
    next_hop_table: int = 0
    """Id of the FIB table that the router is looked up in."""
    peer_table: int = 0
    """Id of the FIB table of the interface, for the family of the neighbour."""

    @property
    def name(self) -> str:
        return f"{self.peer} behind {self.interface}"

    @property
    def scope(self) -> str:
        """Return the interface: a file owns both families together."""
        return self.interface

    @property
    def is_ipv6(self) -> bool:
        """Return the family of the neighbour."""
        return ":" in self.peer

    def references(self) -> Iterator[Reference]:
        """Yield the interface, and both tables."""
        yield Reference(Referent.INTERFACE, self.interface)
        if self.next_hop_table:
            yield Reference(Referent.TABLE, table_key(self.next_hop_table, is_ipv6=":" in self.next_hop))
        if self.peer_table:
            yield Reference(Referent.TABLE, table_key(self.peer_table, is_ipv6=self.is_ipv6))
