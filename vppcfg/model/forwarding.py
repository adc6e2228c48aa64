"""What Linux and VPP forward by, in a form that both can be brought to: links, addresses, neighbours, routes.

Routes come by the million. A prefix is therefore 18 bytes, and where its packets go is a number: few ways serve many
prefixes.
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
    """Where packets are sent: out of an interface, to a gateway or to whoever the packet is for; or their end."""

    interface: str
    """VPP's name of it; '' when they go nowhere, or VPP looks the gateway up."""
    gateway: bytes = b""
    """4 or 16 bytes; none when the destination itself is on the link."""
    weight: int = 1
    labels: tuple[int, ...] = ()
    """Of MPLS, the outermost first."""
    end: str = ""
    """`blackhole`, `unreachable`, `prohibit`, `local` or another end of their way; '' when they are sent."""

    def __str__(self) -> str:
        """Return it as `ip route` shows it."""
        if self.end:
            return self.end
        via = [f"via {address_text(self.gateway)}"] if self.gateway else []
        dev = [f"dev {self.interface}"] if self.interface else []
        encap = [f"encap mpls {'/'.join(map(str, self.labels))}"] if self.labels else []
        return " ".join([*encap, *via, *dev])


class Way(NamedTuple):
    """Where the packets of a prefix go."""

    hops: tuple[Hop, ...]
    """In order; none when the route is of a kind that has no like on the other side."""
    source: str = ""
    """Its source, as VPP calls it; of Linux, '' ."""
    metric: int = 0
    limit: str = ""
    """Why linux-nl does not copy it; '' when it does."""
    remark: str = ""
    """What linux-nl copies of it in another way than Linux has it."""


class TableId(NamedTuple):
    """A table of routes, by VPP's number."""

    is_ipv6: bool
    number: int

    def __str__(self) -> str:
        """Return how an operator calls it."""
        return f"{'IPv6' if self.is_ipv6 else 'IPv4'} table {self.number}"


@record
class Routes:
    """The routes of a table."""

    ways: list[Way]
    by_prefix: dict[bytes, int]
    """The position of its way in `ways`, by a prefix as `prefix_key` makes it."""


@record
class NeighborSeen:
    """A neighbour on a link."""

    mac: str
    is_static: bool = False
    age_s: float = field(default=0.0, compare=False)
    """How long VPP has heard nothing of it; of Linux, nothing."""


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
    """Addresses that Linux asked for in vain, and how many seconds ago it gave up."""


@record
class LinuxForwarding:
    """What one namespace of Linux has on the devices of LCP pairs, all by the name of VPP's interface."""

    sides: Mapping[str, PairSide] = field(default_factory=dict)
    """Those whose device is there."""
    indexes: Mapping[str, int] = field(default_factory=dict)
    """The index of each device, by which linux-nl knows it."""
    tables: Mapping[TableId, Routes] = field(default_factory=dict)
    """What linux-nl is to copy; of several routes with one prefix, the one that Linux uses."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """How many routes it does not copy, or in another way, by the reason."""


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
    sources: Mapping[int, str] = field(default_factory=dict)
    """Who can put routes into a table, by VPP's number."""
    default_netns: str = ""
    """The namespace in which linux-nl listens; '' is VPP's own."""
    has_linux_cp: bool = False
    has_linux_nl: bool = False
    is_sync: bool = False
    """lcp-sync: addresses, MTU and state of a VPP interface follow into Linux."""


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


def ordered(hops: list[Hop]) -> tuple[Hop, ...]:
    """Return next hops in an order of their own, without the share of one that has no other beside it."""
    if len(hops) == 1:
        return (hops[0]._replace(weight=1),)
    return tuple(sorted(hops))
