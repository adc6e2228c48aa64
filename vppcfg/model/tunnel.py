"""Tunnels to one other router: GRE, IPIP and VXLAN, and what they have alike."""

from __future__ import annotations

from enum import Enum

from vppcfg.model.interface import InterfaceKind
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
    """A tunnel that carries packets or frames behind a header of its own (RFC 2784)."""

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


FLAGS = (
    "encap-copy-df",
    "encap-set-df",
    "encap-copy-dscp",
    "encap-copy-ecn",
    "decap-copy-ecn",
    "encap-inner-hash",
    "encap-copy-hop-limit",
    "encap-copy-flow-label",
)
"""What a tunnel does with fields of the two headers, by its bit (vnet/tunnel/tunnel.h)."""


@record
class Ipip(Tunnel):
    """A tunnel that carries packets right behind the outer IP header (RFC 2003)."""

    kind = InterfaceKind.IPIP
    noun = "IPIP tunnel"
    table = "ipips"
    fixed = ("local", "remote", "dscp", "flags", "encap_vrf")

    dscp: int = 0
    """Of every outer header, unless the flag encap-copy-dscp is set."""
    flags: int = 0
    """Bits of FLAGS."""
    is_plain: bool = True
    """False for what the configuration cannot say: more than one other end."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Return the ends and their table (plugins/ipip/ipip.c, ipip_mk_key_i)."""
        return self.local, self.remote, self.encap_vrf

    @property
    def has_ethernet(self) -> bool:
        """Return that it carries packets, without Ethernet."""
        return False


def flag_words(flags: int) -> tuple[str, ...]:
    """Return the words of the flags that are set, in the order of their bits."""
    return tuple(word for bit, word in enumerate(FLAGS) if flags & 1 << bit)


VXLAN_PORT = 4789
"""The port of RFC 7348."""


@record
class Vxlan(Tunnel):
    """A unicast tunnel whose payload goes to L2."""

    kind = InterfaceKind.VXLAN
    noun = "VXLAN tunnel"
    table = "vxlans"
    fixed = ("local", "remote", "vni", "source_port", "destination_port", "encap_vrf")
    is_up_as_created = True
    link_mtu_as_created = 9000

    vni: int
    source_port: int = VXLAN_PORT
    """The UDP port that packets come from, and that they must be sent to by the other router."""
    destination_port: int = VXLAN_PORT
    """The UDP port that packets go to."""
    is_plain: bool = True
    """False for what the configuration cannot say: multicast, another next node."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Return the ends, their table, the VNI and the own port; of IPv6, VPP does not look at the local end.

        The other port is no part of it (plugins/vxlan/vxlan.c, vnet_vxlan_add_del_tunnel).
        """
        local = "" if ":" in self.remote else self.local
        return local, self.remote, self.encap_vrf, self.vni, self.source_port
