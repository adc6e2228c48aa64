"""Static routes: a prefix in a FIB table, and where its packets go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import ClassVar

from vppcfg.common.addresses import address_key
from vppcfg.common.release import Release
from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.model.vrf import table_key
from vppcfg.record import record

SOURCE = "vppcfg"
"""The name of the FIB source that owns the routes of files: those of every other source belong to other programs."""
SOURCE_PRIORITY = 0x60
"""Better than the API (0x80) and the prompt (0x81), worse than linux-cp (0x10): a routing daemon wins."""

ENDS_SINCE = Release(24, 10)
"""Before, VPP reads a drop back as a look-up in the default table (5f694322a92)."""
_ANSWERS_IN_VRFS_SINCE = Release(26, 2)
"""Before, VPP crashes at a route of a VRF that answers with ICMP: it takes local0 for the way (2d25978a8c5)."""


class RouteEnd(Enum):
    """What happens to packets that go nowhere; the values are those of the configuration."""

    BLACKHOLE = "blackhole"
    """Dropped without an answer."""
    UNREACHABLE = "unreachable"
    """Dropped, and the sender gets ICMP host unreachable."""
    PROHIBIT = "prohibit"
    """Dropped, and the sender gets ICMP administratively prohibited."""


@record
class NextHop:
    """One way out of several. One without gateway and interface looks the destination up in another table."""

    gateway: str = ""
    """Canonical address; '' for none."""
    interface: str = ""
    """'' finds the interface by a look-up of the gateway, in the table of the route."""
    table_id: int | None = None
    """The table in which the destination is looked up again; None for the other two."""
    weight: int = 1
    """Its share of the traffic among those of the same preference."""
    preference: int = 0
    """Only those of the lowest preference that can forward are used."""

    @property
    def order(self) -> tuple[object, ...]:
        """Return a key that sorts next hops alike, whoever lists them."""
        gateway = (1, *address_key(f"{self.gateway}/0")) if self.gateway else (0,)
        return self.preference, gateway, self.interface, -1 if self.table_id is None else self.table_id


@record
class Route(VppObject):
    """All next hops that one prefix has, or its end."""

    noun = "route"
    table = "routes"
    is_always_ours = True
    impact_verbs: ClassVar[Mapping[str, tuple[str, str]]] = {
        "way": ("loses its way", "lose their ways"),
        "other-way": ("takes another way", "take other ways"),
        "shares": ("shares its packets otherwise", "share their packets otherwise"),
        "opened": ("forwards what it dropped", "forward what they dropped"),
    }

    prefix: str
    """Canonical, such as 10.0.0.0/8."""
    table_id: int = 0
    hops: tuple[NextHop, ...] = ()
    """In the order of `NextHop.order`; none where there is an end."""
    end: RouteEnd | None = None

    @property
    def is_ipv6(self) -> bool:
        """Return the family of the prefix."""
        return ":" in self.prefix

    @property
    def name(self) -> str:
        """Return the prefix, with its table where that is not the default one."""
        return f"{self.prefix} table {self.table_id}" if self.table_id else self.prefix

    @property
    def since(self) -> Release | None:
        """Return the first release that can have its end, in its table."""
        if self.end is None:
            return None
        return _ANSWERS_IN_VRFS_SINCE if self.end is not RouteEnd.BLACKHOLE and self.table_id else ENDS_SINCE

    def references(self) -> Iterator[Reference]:
        """Yield its table, the tables that it leads to, and the interfaces that it names."""
        for table_id in dict.fromkeys((self.table_id, *(hop.table_id for hop in self.hops))):
            if table_id:
                yield Reference(Referent.TABLE, table_key(table_id, is_ipv6=self.is_ipv6))
        for name in dict.fromkeys(hop.interface for hop in self.hops):
            if name:
                yield Reference(Referent.INTERFACE, name)


def source_words(source: str) -> str:
    """Return who has put a route into VPP, by what VPP calls it."""
    if source.startswith("lcp-rt"):
        return "linux-cp"
    return "the network of an interface" if source == "interface" else f"the source {source}"


def shadow_text(name: str, source: str) -> str:
    """Return a note on a route that another source shadows."""
    return f"{name} is shadowed by {source_words(source)}: VPP forwards by that route, and by this one without it"


def in_order(hops: Iterator[NextHop]) -> tuple[NextHop, ...]:
    """Return next hops in the order in which routes have them."""
    return tuple(sorted(hops, key=lambda hop: hop.order))


_HOLDING = ("240.118.99.", "100::76:63:")
"""How prefixes of routes that hold gateways during a change begin: with addresses that no packet has (RFC 1112, section
4; RFC 6666). 100::1 leads to discards elsewhere."""


def holding_prefix(number: int, *, is_ipv6: bool) -> str:
    """Return the prefix of the route of a number, from 1 to 254, that holds gateways during a change."""
    return f"{_HOLDING[1]}{number:x}/128" if is_ipv6 else f"{_HOLDING[0]}{number}/32"


def is_holding(route: Route) -> bool:
    """Return whether a route holds gateways: one is left where a change was killed."""
    return route.prefix.startswith(_HOLDING) and route.prefix.endswith(("/32", "/128"))
