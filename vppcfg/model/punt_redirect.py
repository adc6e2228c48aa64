"""Punt redirects: where VPP sends packets to its own addresses that nothing in it takes (vnet/ip/ip_punt_drop.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.route import NextHop
from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.record import record


@record
class PuntRedirect(VppObject):
    """The way of such packets of one family, of those that come in by one interface, or by any that has none."""

    noun = "punt redirect"
    table = "punt_redirects"
    is_named_with_noun = True
    attachment_kinds = ("punt redirect", "punt redirect of all")
    kinds_of_all = ("punt redirect of all",)

    interface: str
    """'' for all that have none of their own."""
    hop: NextHop
    is_ipv6: bool = False

    @property
    def name(self) -> str:
        return f"of IPv{6 if self.is_ipv6 else 4} from {self.interface or 'all interfaces'}"

    @property
    def scope(self) -> str:
        """Return the interface: a file owns both families together."""
        return self.interface

    def references(self) -> Iterator[Reference]:
        """Yield the interface, and that which packets leave by."""
        for name in dict.fromkeys((self.interface, self.hop.interface)):
            if name:
                yield Reference(Referent.INTERFACE, name)
