"""Routes as VPP's FIB has them, and those that linux-nl has put there (plugins/linux-cp/lcp_router.c)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from vppcfg.simulator.wire import NONE

NORMAL, LOCAL, DROP, UNREACHABLE, PROHIBIT = 0, 1, 2, 5, 6
"""What becomes of a packet (fib_path_type in vnet/fib/fib_types.api)."""
Prefix = tuple[int, int]
"""The value of an address and a length."""


class FibPath(NamedTuple):
    """Where the packets of a route go."""

    sw_if_index: int = NONE
    next_hop: bytes = b""
    kind: int = NORMAL
    weight: int = 1
    preference: int = 0
    is_ipv6: bool = False
    labels: tuple[int, ...] = ()


Entry = tuple[str, tuple[FibPath, ...]]
"""Who says so, and the paths."""
COPIED = ("lcp-rt", "lcp-rt-dynamic")
"""The sources of linux-nl's routes: what somebody typed or the system made, and what a routing daemon did."""


def prefix_of(text: str) -> Prefix:
    """Return the value and the length of a prefix in a text."""
    network = ipaddress.ip_network(text)
    return int(network.network_address), network.prefixlen


@dataclass(slots=True, kw_only=True)
class NetlinkMain:
    """What linux-nl has put into VPP's tables."""

    is_running: bool = False
    routes: dict[tuple[bool, int], dict[Prefix, dict[str, tuple[FibPath, ...]]]] = field(default_factory=dict)
    """By family and table; by prefix; by source."""

    def entries(self, is_ipv6: bool, table_id: int) -> Iterator[tuple[Prefix, Entry]]:
        """Yield the routes of a table, and the one that each of its tables has."""
        found = self.routes.get((is_ipv6, table_id))
        if found is None:
            return
        if not is_ipv6:
            yield prefix_of("255.255.255.255/32"), (COPIED[0], (FibPath(0, kind=LOCAL),))
        for prefix, sources in found.items():
            for source, paths in sources.items():
                yield prefix, (source, paths)
