"""ARP entries of a bridge domain, which it answers by itself: the MAC address of an IP address (vnet/l2/l2_bd.c)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from vppcfg.model.bridge import bridge_name
from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.record import record


@record
class BridgeArp(VppObject):
    """One address and its MAC address, which VPP reports to whoever asks in the bridge domain."""

    noun = "ARP entry"
    table = "bridge_arps"
    impact_verbs: ClassVar[Mapping[str, tuple[str, str]]] = {
        "answered": ("is answered in place of its host", "are answered in place of their hosts"),
    }

    bd_id: int
    address: str
    """Canonical, of IPv4 or IPv6."""
    mac: str
    """Canonical."""

    @property
    def name(self) -> str:
        """Return the address, with the bridge domain."""
        return f"{self.address} in {bridge_name(self.bd_id)}"

    @property
    def scope(self) -> str:
        return bridge_name(self.bd_id)

    def references(self) -> Iterator[Reference]:
        yield Reference(Referent.BRIDGE, bridge_name(self.bd_id))
