"""Live addresses: those that DHCP, VRRP and the like put on an interface while VPP runs, and not a file."""

from __future__ import annotations

from enum import Enum

from vppcfg.record import record


class LiveSource(Enum):
    """Who puts addresses on interfaces, and takes them off again, while VPP runs."""

    DHCP = "DHCP"
    """The DHCPv4 client of the interface; its addresses are not among those of the interface."""
    DHCPV6 = "DHCPv6"
    """A DHCPv6 client: an address of its own, or one in a prefix that was delegated."""
    SLAAC = "SLAAC"
    """Stateless autoconfiguration, by the look of the address: VPP does not report it (vnet/ip6-nd/rd_cp.c)."""
    VRRP = "VRRP"
    """The virtual router that the interface is the master of."""
    FILE = "unmanaged-addresses"
    """A program that only the file names, by `unmanaged-addresses`."""


@record
class LiveAddress:
    """An address, and who put it there."""

    address: str
    """Canonical, with its length."""
    source: LiveSource

    def whose(self, interface: str) -> str:
        """Return the beginning of a sentence about the address: on which interface it is, and whose."""
        return f"{self.address} on {interface} {_WHOSE[self.source]}"


_WHOSE = {
    LiveSource.DHCP: "is DHCP's",
    LiveSource.DHCPV6: "is DHCPv6's",
    LiveSource.SLAAC: "is SLAAC's by its form",
    LiveSource.VRRP: "is VRRP's",
    LiveSource.FILE: "is in unmanaged-addresses",
}
