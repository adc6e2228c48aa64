"""OSI protocols that linux-cp passes on between the two sides of LCP pairs (plugins/linux-cp/lcp.c)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vppcfg.model.vpp_object import VppObject
from vppcfg.record import record

KEY = "lcp-osi"
"""The key of the file."""
PROTOCOLS: Final[Mapping[str, int]] = {
    "x_29": 0x01,
    "x_633": 0x03,
    "q_933": 0x08,
    "q_2931": 0x09,
    "q_2119": 0x0C,
    "snap": 0x80,
    "clnp": 0x81,
    "esis": 0x82,
    "isis": 0x83,
    "idrp": 0x85,
    "x25_esis": 0x8A,
    "iso10030": 0x8C,
    "iso11577": 0x8D,
    "ip6": 0x8E,
    "compressed": 0xB0,
    "sndcf": 0xC1,
    "ip4": 0xCC,
    "ppp": 0xCF,
}
"""Numbers by name (foreach_osi_protocol of plugins/osi/osi.h), one for each."""
NAMES: Final = {number: name for name, number in PROTOCOLS.items()}


@record
class OsiProtocol(VppObject):
    """A protocol whose frames reach Linux, and leave it, by every LCP pair."""

    noun = "OSI protocol"
    table = "osi_protocols"
    is_permanent = True
    carries_traffic = False
    needs_linux = True

    number: int

    @property
    def name(self) -> str:
        """Return the name in the file, or the number of a protocol that has none."""
        return NAMES.get(self.number, str(self.number))
