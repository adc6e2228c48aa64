"""GRE tunnels (greN)."""

from __future__ import annotations

from enum import Enum

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.making import Making
from vppcfg.record import record


class GreMode(Enum):
    """What a GRE tunnel carries; the values are those of the configuration."""

    L3 = "l3"
    """IP and MPLS packets."""
    TEB = "teb"
    """Ethernet frames."""
    ERSPAN = "erspan"
    """Copies of Ethernet frames, for somebody who looks at traffic."""


@record
class Gre(Making):
    """What a tunnel to one other router is made with."""

    kind = InterfaceKind.GRE
    noun = "GRE tunnel"
    table = "gres"
    fixed = ("local", "remote", "mode", "session", "key", "encap_vrf")

    local: str
    """Canonical address."""
    remote: str
    """Canonical address of the same family."""
    mode: GreMode = GreMode.L3
    session: int = 0
    """Of an ERSPAN tunnel."""
    key: int = 0
    """The key of every packet (RFC 2890); 0 for none."""
    encap_vrf: int = 0
    """Id of the FIB table that the ends are in."""
    is_plain: bool = True
    """False for what the configuration cannot say: more than one other end, flags."""

    @property
    def outer_table(self) -> int:
        """Return the id of the FIB table that the ends are in."""
        return self.encap_vrf

    @property
    def identity(self) -> tuple[object, ...]:
        """Return everything (plugins/gre/gre.h, gre_mk_key4)."""
        return self.local, self.remote, self.encap_vrf, self.mode, self.session, self.key

    @property
    def has_ethernet(self) -> bool:
        """Return whether it carries frames; VPP then gives it a MAC address."""
        return self.mode is not GreMode.L3

    @property
    def other_end(self) -> str | None:
        """Return the address of the other router."""
        return self.remote if self.is_plain else None

    @property
    def own_end(self) -> str:
        """Return the local end."""
        return self.local
