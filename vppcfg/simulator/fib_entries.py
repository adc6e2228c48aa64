"""Routes as the FIB of the simulated VPP has them, and those that linux-nl put there (plugins/linux-cp/lcp_router.c).

The paths of a route are kept in the order in which VPP sorts them (vnet/fib/fib_path.c).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from vppcfg.simulator.wire import NONE

NORMAL, LOCAL, DROP, UNREACHABLE, PROHIBIT = 0, 1, 2, 5, 6
"""What happens to a packet (fib_path_type in vnet/fib/fib_types.api)."""
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
    table_id: int = 0
    """Where the next hop, or without one the packet, is looked up when no interface is named."""
    has_rpf_id: bool = False
    """Whether the number of its source check is 0, as of each path that is typed, and not none, as of the API's."""

    @property
    def shape(self) -> tuple[int, bool, bytes, int, int]:
        """Return what VPP compares of two paths: not their weights, preferences or labels (fib_path_cmp_i)."""
        if self.kind == LOCAL:
            return _RECEIVE, False, b"", 0, 0
        if self.kind != NORMAL:
            return _SPECIAL, self.is_ipv6, b"", 0, 0
        hop = self.next_hop.ljust(16, b"\0")
        if self.sw_if_index == NONE:
            if any(hop):
                return _RECURSIVE, self.is_ipv6, hop, NONE, self.table_id
            return _DEAG, self.is_ipv6, hop, int(not self.has_rpf_id), self.table_id
        return _ATTACHED_NEXT_HOP if any(hop) else _ATTACHED, self.is_ipv6, hop, self.sw_if_index, 0


_ATTACHED_NEXT_HOP, _ATTACHED, _RECURSIVE, _SPECIAL, _DEAG, _RECEIVE = 0, 1, 2, 3, 5, 8
"""fib_path_type_t."""


def ordered(paths: Iterable[FibPath]) -> tuple[FibPath, ...]:
    """Return the paths of a route as VPP sorts them (fib_path_cmp_for_sort)."""
    return tuple(sorted(paths, key=lambda path: (path.preference, path.shape)))


def with_paths(paths: tuple[FibPath, ...], more: Iterable[FibPath]) -> tuple[FibPath, ...]:
    """Return the paths of a route to which others are added; one that it has stays as it is."""
    known = {path.shape for path in paths}
    return ordered((*paths, *(path for path in more if path.shape not in known)))


def without_paths(paths: tuple[FibPath, ...], gone: Iterable[FibPath]) -> tuple[FibPath, ...]:
    """Return the paths that are left of a route."""
    shapes = {path.shape for path in gone}
    return tuple(path for path in paths if path.shape not in shapes)


Entry = tuple[str, tuple[FibPath, ...]]
"""The source, and the paths."""
COPIED = ("lcp-rt", "lcp-rt-dynamic")
"""The sources of linux-nl's routes: static and system routes, and those of a routing daemon."""


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
