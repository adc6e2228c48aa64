"""GRE tunnels (greN)."""

from __future__ import annotations

from enum import Enum

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.tunnel import Tunnel
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
class Gre(Tunnel):
    """What a tunnel to one other router is made with."""

    kind = InterfaceKind.GRE
    noun = "GRE tunnel"
    table = "gres"
    fixed = ("local", "remote", "mode", "session", "key", "encap_vrf")

    mode: GreMode = GreMode.L3
    session: int = 0
    """Of an ERSPAN tunnel."""
    key: int = 0
    """The key of every packet (RFC 2890); 0 for none."""
    is_plain: bool = True
    """False for what the configuration cannot say: more than one other end, flags."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Return everything (plugins/gre/gre.h, gre_mk_key4)."""
        return self.local, self.remote, self.encap_vrf, self.mode, self.session, self.key

    @property
    def has_ethernet(self) -> bool:
        """Return whether it carries frames; VPP then gives it a MAC address."""
        return self.mode is not GreMode.L3
