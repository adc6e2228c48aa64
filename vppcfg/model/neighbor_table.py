"""The limits of neighbour tables: how many VPP keeps of a family, and how long (vnet/ip-neighbor/ip_neighbor.c)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from vppcfg.model.vpp_object import VppObject
from vppcfg.record import record


@record
class NeighborTable(VppObject):
    """The limits of the neighbours of one family; VPP's defaults are no object."""

    noun = "neighbour table"
    table = "neighbor_tables"
    impact_verbs: ClassVar[Mapping[str, tuple[str, str]]] = {
        "fewer": ("holds fewer neighbours", "hold fewer neighbours"),
        "sooner": ("forgets silent neighbours sooner", "forget silent neighbours sooner"),
        "replaces": ("replaces its oldest neighbours when it is full", "replace their oldest neighbours when full"),
        "refuses": ("refuses new neighbours when it is full", "refuse new neighbours when full"),
    }

    is_ipv6: bool
    limit: int = 50_000
    """Of neighbours, static ones among them; 0 for none."""
    max_age_s: int = 0
    """Seconds from its last ARP or ND packet until VPP probes a neighbour, and removes a silent one; 0 for never."""
    is_recycling: bool = False
    """Whether a new neighbour of a full table replaces the oldest one that is not static; else VPP refuses it."""

    @property
    def family(self) -> str:
        """Return the key of the file."""
        return "ipv6" if self.is_ipv6 else "ipv4"

    @property
    def name(self) -> str:
        return f"IPv{6 if self.is_ipv6 else 4} {self.noun}"

    @property
    def label(self) -> str:
        return self.name

    @property
    def is_default(self) -> bool:
        """Return whether this is what VPP starts with."""
        return self == NeighborTable(is_ipv6=self.is_ipv6)
