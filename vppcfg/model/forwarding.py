"""Links, addresses, neighbours and routes of Linux and of VPP, in one form, so that `verify` can compare them.

There may be millions of routes. A prefix is therefore a key of 18 bytes, and many prefixes share one RouteEntry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple

from vppcfg.common.addresses import address_text
from vppcfg.record import record

MAX_METRIC = 0xFF
"""VPP has a byte for what Linux calls a metric (frp_preference in vnet/fib/fib_types.h)."""


class Hop(NamedTuple):
    """A next hop: an interface and a gateway, or the destination itself on the link; or a type such as `blackhole`."""

    interface: str
    """By VPP's name; '' for a type such as `blackhole`, and for a gateway that VPP resolves in the FIB."""
    gateway: bytes = b""
    """4 or 16 bytes; none when the destination itself is on the link."""
    weight: int = 1
    labels: tuple[int, ...] = ()
    """Of MPLS, the outermost first."""
    end: str = ""
    """`blackhole`, `unreachable`, `prohibit`, `local` or another type that forwards nothing; '' for one that does."""

    def __str__(self) -> str:
        """Return it as `ip route` shows it."""
        if self.end:
            return self.end
        via = [f"via {address_text(self.gateway)}"] if self.gateway else []
        dev = [f"dev {self.interface}"] if self.interface else []
        encap = [f"encap mpls {'/'.join(map(str, self.labels))}"] if self.labels else []
        return " ".join([*encap, *via, *dev])


class RouteEntry(NamedTuple):
    """A route without its prefix."""

    hops: tuple[Hop, ...]
    """In order; none for a route that the other side cannot have."""
    source: str = ""
    """The FIB source, as VPP names it; '' for a route of Linux."""
    metric: int = 0
    uncopied_reason: str = ""
    """Why linux-nl does not copy it; '' when it does."""
    remark: str = ""
    """What linux-nl copies otherwise than Linux has it."""


class TableId(NamedTuple):
    """A table of routes, by VPP's number."""

    is_ipv6: bool
    number: int

    def __str__(self) -> str:
        """Return how an operator calls it."""
        return f"{'IPv6' if self.is_ipv6 else 'IPv4'} table {self.number}"


RoutePlace = tuple[TableId, bytes]
"""A prefix of a table."""


@record
class Routes:
    """The routes of a table."""

    entries: list[RouteEntry]
    by_prefix: dict[bytes, int]
    """The index in `entries` of each prefix, by its `prefix_key`."""


@record
class NeighborSeen:
    """A neighbour on a link."""

    mac: str
    is_static: bool = False
    age_s: float = field(default=0.0, compare=False)
    """Seconds since VPP last heard of it; 0 for one of Linux."""


@record
class PairSide:
    """One interface as one side has it."""

    mtu: int
    """Bytes; 0 when none is set."""
    is_up: bool
    addresses: frozenset[str] = frozenset()
    """With their prefix lengths, without link-local ones."""
    neighbors: Mapping[str, NeighborSeen] = field(default_factory=dict)
    """By address."""
    failed: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Addresses that Linux could not resolve, and seconds since it gave up."""


@record
class LinuxForwarding:
    """What one namespace of Linux has on the devices of LCP pairs, all by the name of VPP's interface."""

    sides: Mapping[str, PairSide] = field(default_factory=dict)
    """Of the devices that exist."""
    indexes: Mapping[str, int] = field(default_factory=dict)
    """The index of each device, by which linux-nl knows it."""
    tables: Mapping[TableId, Routes] = field(default_factory=dict)
    """What linux-nl should copy; of several routes to one prefix, the one that Linux uses."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """How many routes it does not copy, or copies otherwise, by the reason."""
    rules: tuple[str, ...] = ()
    """The rules (`ip rule`) for what comes in by these devices, but for those that every Linux has."""


@record
class VppPair:
    """An LCP pair and VPP's interface in it."""

    interface: str
    host_name: str
    netns: str
    device_index: int
    """Of the Linux device when the pair was made: linux-nl knows no other."""
    side: PairSide | None
    """None when VPP has no such interface any more."""
    is_unnumbered: bool = False
    """Whether its addresses are borrowed; then those of its side are its donor's."""
    virtual: frozenset[str] = frozenset()
    """Those of its addresses that VRRP has put there, which Linux need not have."""
    has_host: bool = True
    """Whether VPP still has its end of the Linux device."""


@record
class VppForwarding:
    """What VPP forwards by, but for the routes: those are read table by table."""

    pairs: tuple[VppPair, ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    """The names of all interfaces by their index."""
    tables: tuple[TableId, ...] = ()
    """None where they were not asked for."""
    sources: Mapping[int, str] = field(default_factory=dict)
    """Who can put routes into a table, by VPP's number."""
    default_netns: str = ""
    """The namespace in which linux-nl listens; '' is VPP's own."""
    has_linux_cp: bool = False
    has_linux_nl: bool = False
    is_sync: bool = False
    """lcp-sync: addresses, MTU and state of a VPP interface follow into Linux."""
    has_neighbors: bool = True
    """Whether the pairs have their neighbours; else each is to be looked up."""


def prefix_key(is_ipv6: bool, raw: bytes, length: int) -> bytes:
    """Return a prefix as VPP's messages have it: the family, 16 bytes, the length."""
    return bytes((is_ipv6,)) + raw.ljust(16, b"\0") + bytes((length,))


def prefix_text(key: bytes) -> str:
    """Return a prefix as people write it."""
    return f"{address_text(key[1:17] if key[0] else key[1:5])}/{key[17]}"


def hops_text(hops: tuple[Hop, ...]) -> str:
    """Return next hops as people write them, each with its share of the packets when shares differ."""
    has_shares = len({hop.weight for hop in hops}) > 1
    return ", ".join(f"{hop} weight {hop.weight}" if has_shares else str(hop) for hop in hops)


def canonical_hops(hops: list[Hop]) -> tuple[Hop, ...]:
    """Return next hops sorted; the weight of a single one is 1, since it means nothing."""
    if len(hops) == 1:
        return (hops[0]._replace(weight=1),)
    return tuple(sorted(hops))
