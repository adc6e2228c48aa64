"""What tunnels to one other router have alike."""

from __future__ import annotations

from vppcfg.model.making import Making
from vppcfg.record import record


@record
class Tunnel(Making):
    """The two ends of a tunnel, and the FIB table that both are in. A kind of tunnel is a subclass."""

    local: str
    """Canonical address."""
    remote: str
    """Canonical address of the same family."""
    encap_vrf: int = 0
    """Id of the FIB table that the ends are in."""

    @property
    def is_plain(self) -> bool:
        """Return whether the configuration can say it; a kind of which VPP knows more has a field of that name."""
        return True

    @property
    def outer_table(self) -> int:
        """Return the id of the FIB table that the ends are in."""
        return self.encap_vrf

    @property
    def other_end(self) -> str | None:
        """Return the address of the other router."""
        return self.remote if self.is_plain else None

    @property
    def own_end(self) -> str:
        """Return the local end."""
        return self.local
