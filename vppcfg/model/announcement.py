"""An announcement: gratuitous ARP, an unsolicited neighbour advertisement, or a router advertisement out of turn."""

from __future__ import annotations

from vppcfg.record import record


@record
class Announcement:
    """One frame by which hosts that know an address learn at once at which MAC address it is now."""

    interface: str
    address: str
    """Without a length; '' for the link-local address, which a router advertisement tells of."""
    ports: tuple[str, ...]
    """Which interfaces send it: itself, its port, or the members of its bridge domain."""

    def cli(self) -> str | None:
        """Return the command of VPP's prompt, None for a router advertisement."""
        return f"arping gratuitous {self.address} {self.interface}" if self.address else None
