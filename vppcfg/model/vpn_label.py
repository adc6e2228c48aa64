"""MPLS labels of VRFs: by the last label of a packet, VPP finds the FIB table to look it up in (vnet/mpls)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.model.vrf import table_key
from vppcfg.record import record

LABELS: Final = range(16, 1 << 20)
"""Those that have no meaning of their own (RFC 3032, section 2.1); VPP takes all numbers."""


def name_of(number: int) -> str:
    """Return the name of the object for a label."""
    return f"MPLS label {number}"


@record
class VpnLabel(VppObject):
    """One label, and the FIB table that packets with it are looked up in."""

    noun = "VPN label"
    table = "vpn_labels"
    goes_with_table = True

    number: int
    table_id: int
    is_ipv6: bool = False

    @property
    def name(self) -> str:
        return name_of(self.number)

    @property
    def label(self) -> str:
        return f"{self.noun} {self.number}"

    @property
    def scope(self) -> str:
        """Return the number of the table: a file owns the labels of both families together."""
        return str(self.table_id)

    def references(self) -> Iterator[Reference]:
        """Yield the FIB table."""
        yield Reference(Referent.TABLE, table_key(self.table_id, is_ipv6=self.is_ipv6))
