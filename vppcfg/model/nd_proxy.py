"""Hosts for which VPP answers neighbour solicitations (vnet/ip6-nd/ip6_nd_proxy.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.model.vrf import table_key
from vppcfg.record import record


@record
class NdProxy(VppObject):
    """One host: VPP answers for it on all interfaces of the FIB table, and reaches it by one."""

    noun = "ND proxy"
    table = "nd_proxies"
    is_named_with_noun = True
    is_always_ours = True
    """VPP lists them nowhere: those that are seen are those that were set by vppcfg, or that a file has."""
    is_replaceable = False

    address: str
    """Canonical IPv6."""
    interface: str
    """Where the host is."""
    table_id: int = 0
    """The IPv6 table of the interface: VPP looks it up when one is set, and when it is removed."""

    @property
    def name(self) -> str:
        return f"for {self.address} on {self.interface}"

    @property
    def scope(self) -> str:
        return self.interface

    def references(self) -> Iterator[Reference]:
        yield Reference(Referent.INTERFACE, self.interface)
        if self.table_id:
            yield Reference(Referent.TABLE, table_key(self.table_id, is_ipv6=True))
