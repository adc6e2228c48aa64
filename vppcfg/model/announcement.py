"""An announcement: a gratuitous ARP request, or an unsolicited neighbour advertisement (RFC 5227, RFC 4861)."""

from __future__ import annotations

from vppcfg.record import record


@record
class Announcement:
    """One frame by which hosts that know an address learn at once at which MAC address it is now."""

    interface: str
    address: str
    """Without a length."""
    ports: tuple[str, ...]
    """Which interfaces send it: itself, its port, or the members of its bridge domain."""

    def cli(self) -> str:
        """Return the command of VPP's prompt."""
        return f"arping gratuitous {self.address} {self.interface}"
