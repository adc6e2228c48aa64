"""IPIP tunnels (ipipN): IP packets inside of IP packets."""

from __future__ import annotations

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.tunnel import Tunnel
from vppcfg.record import record

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
    """What a tunnel to one other router is made with."""

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
