"""NAT44, endpoint-dependent: what VPP translates, by which addresses, and for whom (plugins/nat/nat44-ed)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import Enum
from typing import ClassVar

from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.model.vrf import table_key
from vppcfg.record import record

SECTION = "nat44"
USUAL_SESSIONS = 63 * 1024
"""VPP's default (nat44_plugin_enable in nat44_ed.c)."""
_BYTES_PER_SESSION = 265
"""Of each thread: snat_session_t, per_vrf_sessions_t, dlist_elt_t, and three free lists (nat44_ed_worker_db_init)."""
_BYTES_PER_BUCKET = 104
"""Of the hash table of flows, 16_8, with a page of four entries in each bucket (vppinfra/bihash_template.h)."""
_BYTES_AT_LEAST = 7 << 20
"""The table of affinities, whatever the number of sessions (nat_affinity_enable)."""
OF_THE_INSIDE = 0xFFFFFFFF
"""In place of a table: the one that NAT44 was enabled with for hosts inside."""
MARK = "nat44:"
"""Before the names of its objects, which no interface bears."""


def memory_bytes(sessions: int, threads: int) -> int:
    """Return how much of the main heap VPP takes when NAT44 is enabled, whether there are sessions or not.

    `threads` are all of VPP, the main one too, which keeps sessions as well. The number of buckets is the power of two
    nearest to the sessions divided by 2.5 (nat_calc_bihash_buckets), for two flows of each session.
    """
    needed = max(1, sessions * 2 // 5)
    lower = 1 << max(0, (needed - 1).bit_length() - 1)
    buckets = 2 * lower if 2 * lower - needed < needed - lower else lower
    hashed = max(1, threads - 1) * 2 * buckets * _BYTES_PER_BUCKET
    return threads * sessions * _BYTES_PER_SESSION + hashed + _BYTES_AT_LEAST


class NatSide(Enum):
    """Where an interface stands; the values are those of the file."""

    INSIDE = "inside"
    """Its hosts are translated on their way out of an outside interface."""
    OUTSIDE = "outside"
    BOTH = "both"
    OUTPUT = "output"
    """What leaves it is translated, wherever it came in, the router's own packets too."""

    @property
    def is_outside_interface(self) -> bool:
        """Return whether the world is behind it."""
        return self is not NatSide.INSIDE


class NatObject(VppObject):
    """What all objects of NAT44 have alike: the section of a file owns all of them, or none."""

    fib_sources = frozenset({"nat-low"})


@record
class Nat44(NatObject):
    """How NAT44 is enabled, and what all of it has alike."""

    noun = "nat44"
    table = "nat44"
    impact_verbs: ClassVar[Mapping[str, tuple[str, str]]] = {
        "drops": ("drops what has neither session nor mapping", "drop what has neither session nor mapping"),
        "passes": ("passes new connections untranslated", "pass new connections untranslated"),
    }

    sessions: int = USUAL_SESSIONS
    """The most that each worker keeps; another number loses all that there are."""
    inside_table: int = 0
    outside_table: int = 0
    is_forwarding: bool = False
    """Whether packets without a session pass untranslated, instead of being dropped."""
    mss: int = 0
    """Bytes that TCP connections may put into a packet; 0 leaves them alone."""
    udp_s: int = 300
    tcp_established_s: int = 7440
    tcp_transitory_s: int = 240
    icmp_s: int = 60
    unsupported: tuple[str, ...] = field(default=(), compare=False)
    """What VPP has of NAT44 and no file can express, in words."""

    @property
    def name(self) -> str:
        """Return the only name."""
        return f"{MARK}settings"

    @property
    def enable_settings(self) -> tuple[int, int, int]:
        """Return what VPP takes only when NAT44 is enabled: the number of sessions and the two tables."""
        return self.sessions, self.inside_table, self.outside_table

    def references(self) -> Iterator[Reference]:
        yield from _tables(self.inside_table, self.outside_table)


@record
class NatAddress(NatObject):
    """One address of a pool."""

    noun = "nat44-address"
    table = "nat44_addresses"

    address: str
    table_id: int | None = None
    """The FIB table of the hosts that it serves before all others; None serves whoever has no address of his own."""
    is_twice: bool = False
    """Whether it is for twice NAT: hosts outside appear to those inside by it."""

    @property
    def name(self) -> str:
        """Return the address; the same one can be of both kinds."""
        return f"{MARK}{self.address}{'/twice-nat' if self.is_twice else ''}"

    def references(self) -> Iterator[Reference]:
        yield from _tables(self.table_id or 0)


@record
class NatPool(NatObject):
    """An interface that gives its first address to the pool, whatever that is."""

    noun = "nat44-pool"
    table = "nat44_pools"

    interface: str
    is_twice: bool = False
    is_empty: bool = False
    """Whether the interface has one address, and VPP has not taken it (nat44_ed_add_del_interface_address_cb)."""

    @property
    def name(self) -> str:
        """Return the interface; it can give its address to both kinds."""
        return f"{MARK}pool of {self.interface}{' for twice-nat' if self.is_twice else ''}"

    def references(self) -> Iterator[Reference]:
        yield Reference(Referent.INTERFACE, self.interface)


class NatProtocol(Enum):
    """What has ports, or an identifier in their place; the values are those of the file."""

    TCP = "tcp"
    UDP = "udp"
    ICMP = "icmp"


class TwiceNat(Enum):
    """Whether hosts outside appear to those inside by an address of the router; the values are those of messages."""

    NO = "no"
    YES = "yes"
    SELF = "self"
    """Those alone that are the mapped host itself."""


@record
class NatMapping(NatObject):
    """A host inside that is reached by an address outside, on one port or as a whole."""

    noun = "nat44-mapping"
    table = "nat44_mappings"

    local: str
    external: str = ""
    """'' where the address is that of `interface`."""
    interface: str = ""
    protocol: NatProtocol | None = None
    """None maps all of both addresses."""
    local_port: int = 0
    external_port: int = 0
    table_id: int = 0
    """Of the host inside."""
    twice: TwiceNat = TwiceNat.NO
    is_out_to_in_only: bool = False
    """Whether what the host begins by itself is translated like that of every other."""
    is_idle: bool = False
    """Whether `interface` has one address and VPP has not taken it (nat44_ed_add_del_static_mapping_cb)."""
    tag: str = field(default="", compare=False)
    """What the file calls it. A new name alone is no reason to end its sessions: VPP keeps the old one."""

    @property
    def name(self) -> str:
        """Return what VPP takes only once: the outer end."""
        return f"{MARK}{end_text(self.protocol, self.external or self.interface, self.external_port)}"

    @property
    def inner_end(self) -> str:
        """Return the host inside."""
        return end_text(self.protocol, self.local, self.local_port)

    def references(self) -> Iterator[Reference]:
        """Yield its table, and the interface of its outer end."""
        yield from _tables(self.table_id)
        if self.interface:
            yield Reference(Referent.INTERFACE, self.interface)


@record
class NatExemption(NatObject):
    """An address, or a port of it, that is not translated: VPP's identity mapping."""

    noun = "nat44-exemption"
    table = "nat44_exemptions"
    impact_verbs: ClassVar[Mapping[str, tuple[str, str]]] = {
        "untranslated": ("leaves with its own address", "leave with their own addresses"),
    }

    address: str = ""
    """'' where it is that of `interface`."""
    interface: str = ""
    protocol: NatProtocol | None = None
    port: int = 0
    table_id: int = 0
    is_idle: bool = False
    """As of mappings."""
    tag: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """Return what VPP takes only once."""
        table = f" table {self.table_id}" if self.table_id else ""
        return f"{MARK}exempt {end_text(self.protocol, self.address or self.interface, self.port)}{table}"

    def references(self) -> Iterator[Reference]:
        """Yield its table, and the interface whose address it is about."""
        yield from _tables(self.table_id)
        if self.interface:
            yield Reference(Referent.INTERFACE, self.interface)


@record
class NatLeaks(NatObject):
    """The FIB tables that hosts of one table may be translated into; without such a list, all with outside interfaces.

    VPP reads the list back wrong once a single entry was taken out of it: it is always set as a whole.
    """

    noun = "nat44-leaks"
    table = "nat44_leaks"
    impact_verbs: ClassVar[Mapping[str, tuple[str, str]]] = {
        "fewer-tables": ("translates into fewer VRFs", "translate into fewer VRFs"),
    }

    table_id: int
    targets: tuple[int, ...] = ()
    """In ascending order."""

    @property
    def name(self) -> str:
        return f"{MARK}leaks of {self.table_id}"

    def references(self) -> Iterator[Reference]:
        yield from _tables(self.table_id, *self.targets)


NAT_OBJECTS: tuple[type[VppObject], ...] = (Nat44, NatAddress, NatPool, NatMapping, NatExemption, NatLeaks)


def end_text(protocol: NatProtocol | None, holder: str, port: int) -> str:
    """Return one end of a mapping: `tcp 192.0.2.1:80`, or the address alone."""
    return holder if protocol is None else f"{protocol.value} {holder}:{port}"


def _tables(*table_ids: int) -> Iterator[Reference]:
    for table_id in dict.fromkeys(table_ids):
        if table_id not in (0, OF_THE_INSIDE):
            yield Reference(Referent.TABLE, table_key(table_id, is_ipv6=False))
