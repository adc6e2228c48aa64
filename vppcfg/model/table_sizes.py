"""How large the tables of a VPP are: what tells how long some steps take, and whether a table may be walked."""

from __future__ import annotations

from vppcfg.record import record


@record
class TableSizes:
    """Upper bounds of what a VPP has: a counter keeps the places of what is gone, and gives them to what comes."""

    routes: int = 0
    """Of IPv4, IPv6 and MPLS in all tables, whoever set them; a connected prefix of IPv4 is four."""
    adjacencies: int = 0
    """Neighbours, and what each interface has for packets that find none."""
    multicast_routes: int = 0
    interfaces: int = 0
    """Sub-interfaces and local0 among them."""
    nat44_sessions: int = 0
    """Exact, unlike the others."""
