"""Cross-connects of L3: all packets of a family that an interface takes in go one way (plugins/l3xc/l3xc.c)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from vppcfg.model.route import NextHop
from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.record import record


@record
class L3CrossConnect(VppObject):
    """The next hops of one interface and family; the FIB is not asked."""

    noun = "L3 cross-connect"
    table = "l3_cross_connects"
    is_named_with_noun = True
    impact_verbs: ClassVar[Mapping[str, tuple[str, str]]] = {
        "takes": ("takes all packets, those to the router too", "take all packets, those to the router too"),
    }
    attachment_kinds = ("L3 cross-connect",)

    interface: str
    hops: tuple[NextHop, ...]
    """In the order of `NextHop.order`."""
    is_ipv6: bool = False

    @property
    def name(self) -> str:
        return f"of IPv{6 if self.is_ipv6 else 4} on {self.interface}"

    @property
    def scope(self) -> str:
        """Return the interface: a file owns both families together."""
        return self.interface

    def references(self) -> Iterator[Reference]:
        """Yield the interface, and those that packets leave by."""
        for name in dict.fromkeys((self.interface, *(hop.interface for hop in self.hops))):
            if name:
                yield Reference(Referent.INTERFACE, name)
