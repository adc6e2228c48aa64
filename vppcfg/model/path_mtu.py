"""The MTU on the way to a host, where it is smaller than that of the interface (vnet/ip/ip_path_mtu.c)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Self

from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.model.vrf import table_key
from vppcfg.record import record


@record
class PathMtu(VppObject):
    """The largest packets that VPP sends to one host, or to the neighbour of that address."""

    noun = "path MTU"
    table = "path_mtus"
    is_named_with_noun = True
    fib_sources = frozenset({"path-mtu"})
    impact_verbs: ClassVar[Mapping[str, tuple[str, str]]] = {
        "size": ("lets smaller packets pass alone", "let smaller packets pass alone"),
    }

    address: str
    """Canonical."""
    mtu: int
    """Bytes."""
    table_id: int = 0

    @property
    def name(self) -> str:
        """Return the address, with its table where that is not the default one."""
        return f"to {self.address} in table {self.table_id}" if self.table_id else f"to {self.address}"

    @classmethod
    def named(cls, name: str) -> Self:
        """Return the path MTU with this name; the name does not contain its MTU, which is 0."""
        address, _, table = name.removeprefix("to ").partition(" in table ")
        return cls(address=address, mtu=0, table_id=int(table or 0))

    @property
    def scope(self) -> str:
        """Return the number of the table, by which a file owns path MTUs: IPv4 and IPv6 alike."""
        return str(self.table_id)

    def references(self) -> Iterator[Reference]:
        if self.table_id:
            yield Reference(Referent.TABLE, table_key(self.table_id, is_ipv6=":" in self.address))
