"""Static neighbours: the MAC addresses of hosts on the link, which VPP then does not ask for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from vppcfg.common.addresses import address_key
from vppcfg.record import record


@record
class Neighbor:
    """One static entry of an interface."""

    address: str
    """Canonical, without a length."""
    mac: str
    """Colon-separated lower case."""
    has_route: bool = True
    """Whether VPP has a route to the host for it; the configuration always sets one."""
    is_of_linux: bool = field(default=False, compare=False)
    """Whether Linux has it on the device of the LCP pair, from where linux-nl brings it (linux-cp/lcp_router.c)."""


def in_order(neighbors: Iterable[Neighbor]) -> tuple[Neighbor, ...]:
    """Return neighbours in the order of their addresses, IPv4 first."""
    return tuple(
        sorted(neighbors, key=lambda each: address_key(f"{each.address}/{128 if ':' in each.address else 32}"))
    )


@record
class OrphanedNeighbor:
    """One static entry that VPP, up to 25.10, has kept of an interface that is gone."""

    sw_if_index: int
    """The index that the interface had, and that one which is made later gets with the entry."""
    address: str
    mac: str
