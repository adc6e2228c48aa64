"""The tables of a simulated VPP that several kinds of objects share; they hold data and decide nothing.

The tables of a single kind are a class in its module, and `Tables.part` returns them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any, TypeVar

from vppcfg.record import record
from vppcfg.simulator.addresses import AddressBook
from vppcfg.simulator.fib_entries import FibPath, Prefix
from vppcfg.simulator.linux_side import LinuxSide
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.port import MAX_MTU
from vppcfg.simulator.releases import Release, ReleaseQuirk
from vppcfg.simulator.retval import DiedError
from vppcfg.simulator.wire import NONE

IDS_HAVE_NO_SIGN = ReleaseQuirk(
    span="26.06-", text="a sub-interface id of 2147483648 and more stands in a name without a sign (ca681ca829d)"
)
_INDEX_OF_DELETED = ReleaseQuirk(span="24.02-", text="the name of a deleted interface has its index (535364e9045)")
_SUB_ID = re.compile(r"-?\d+", re.ASCII)


def signed(number: int) -> int:
    """Return the number that VPP writes when it takes 32 bits for a signed integer."""
    return number - (1 << 32) if number > 0x7FFFFFFF else number


class FloodClass(Enum):
    """Where an interface stands among the members of a bridge domain (vnet_flood_class_t)."""

    NORMAL = "normal"
    BVI = "BVI"
    TUNNEL = "tunnel"
    TUNNEL_MASTER = "tunnel master"
    NO_FLOOD = "no flood"


@dataclass(slots=True, kw_only=True)
class HwInterface:
    """A port as its driver has it (vnet_hw_interface_t)."""

    index: int = NONE
    """NONE until it is registered."""
    name: str
    device_class: str
    device_instance: int = 0
    """The N that a loopback was made with, whatever its name is."""
    sw_if_index: int = NONE
    is_ethernet: bool = True
    mac: bytes = bytes(6)
    link_mtu: int = 0
    """Largest frame less VPP's overhead, in bytes."""
    max_link_mtu: int = MAX_MTU
    is_mtu_fixed_while_up: bool = False
    rx_queues: int = 1
    tx_queues: int = 1
    is_link_up: bool = False
    has_link_of_its_own: bool = False
    """Whether another program decides when there is a link, and not the admin state."""
    is_ip_tunnel: bool = False
    """Whether it has ends that IPsec can ask for (ip_tun_desc)."""
    is_multipoint: bool = False
    has_gso: bool = True
    """Whether a bond with GSO takes it as a member."""
    sub_interfaces: dict[int, int] = field(default_factory=dict)
    """sw_if_index by sub-interface id."""
    encapsulations: set[tuple[str | int, ...]] = field(default_factory=set)
    """Slots of the VLAN tables of vnet/ethernet/node.c that are taken."""


class Flag(IntEnum):
    """What tags a sub-interface matches (sub_if_flags in vnet/interface_types.api)."""

    NO_TAGS = 1
    ONE_TAG = 2
    TWO_TAGS = 4
    DOT1AD = 8
    EXACT_MATCH = 16
    DEFAULT = 32
    OUTER_ANY = 64
    INNER_ANY = 128


@dataclass(slots=True, kw_only=True)
class SwInterface:
    """An interface or sub-interface (vnet_sw_interface_t)."""

    index: int
    sup_index: int
    """Its parent; itself on an interface."""
    hw_index: int = 0
    """Its port; 0, which is local0's, on a sub-interface: VPP leaves it unset."""
    is_sub: bool = False
    sub_id: int = 0
    flags: int = 0
    """Of a sub-interface, as in `Flag`."""
    outer_vlan: int = 0
    inner_vlan: int = 0
    mtus: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    """L3, IPv4, IPv6, MPLS, in bytes."""
    is_up: bool = False
    punts: bool = False
    """Whether packets are punted while it is down; VPP's API does not report it."""
    tag: bytes = b""
    flood_class: FloodClass = FloodClass.NORMAL
    unnumbered: int | None = None
    """sw_if_index of the interface whose addresses are borrowed; it may be gone."""


@dataclass(slots=True, kw_only=True)
class TagRewriteBytes:
    """The input half of a tag rewrite, as vnet/l2/l2_vtr.h keeps it: no operation, only what is popped and pushed."""

    pop: int = 0
    """Bytes, 4 per tag."""
    push: int = 0
    tags: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0), (0, 0)])
    """Ethertype and VLAN id; the last one is the inner one."""


@dataclass(slots=True, kw_only=True)
class L2Config:
    """L2 settings of one sw_if_index; they outlive the interface that stood there."""

    xconnect_to: int | None = None
    bridge: int | None = None
    """Index of a bridge domain; it may be one that is gone."""
    is_bvi: bool = False
    group: int = 0
    """Split horizon group."""
    rewrite: TagRewriteBytes = field(default_factory=TagRewriteBytes)
    input_bits: int = 0
    """What is done with a frame that comes in, as bits of `l2.L2_INPUT`; some are set before there is any L2."""
    output_bits: int = 0


class BridgeFeature:
    """Bits of what a bridge domain or an interface in L2 does with a frame (vnet/l2/l2_input.h)."""

    DROP = 1 << 0
    XCONNECT = 1 << 1
    FLOOD = 1 << 2
    ARP_UFWD = 1 << 3
    ARP_TERM = 1 << 4
    UU_FLOOD = 1 << 5
    UU_FWD = 1 << 6
    FWD = 1 << 7
    LEARN = 1 << 9


DEFAULT_FEATURES = 0xFFFFFFFF & ~(BridgeFeature.ARP_TERM | BridgeFeature.ARP_UFWD | BridgeFeature.UU_FWD)
"""The defaults of a bridge domain."""


@dataclass(slots=True, kw_only=True)
class BridgeDomain:
    """One bridge domain, or the free place of a deleted one (l2_bridge_domain_t)."""

    bd_id: int | None = None
    """None while the slot is free."""
    features: int = 0
    mac_age: int = 0
    """Minutes; it outlives the domain."""
    tag: bytes = b""
    bvi: int | None = None
    uu_fwd: int | None = None
    members: list[int] = field(default_factory=list)
    """In VPP's order: the BVI, ports, tunnels, loopbacks."""
    tunnel_count: int = 0
    loopback_count: int = 0
    arp: dict[bytes, bytes] = field(default_factory=dict)
    """The MAC addresses that it answers with, by IP address."""


def _own() -> BridgeDomain:
    """Return the bridge domain that VPP makes for itself, whose BVI is local0."""
    return BridgeDomain(bd_id=0, features=DEFAULT_FEATURES, bvi=0, uu_fwd=0)


@dataclass(slots=True, kw_only=True)
class BridgeMain:
    """All bridge domains by index."""

    domains: list[BridgeDomain] = field(default_factory=lambda: [_own()])
    by_id: dict[int, int] = field(default_factory=lambda: {0: 0})


@dataclass(slots=True, kw_only=True)
class Pair:
    """An LCP pair (lcp_itf_pair_t)."""

    index: int
    phy: int
    host: int
    host_name: str
    vif_index: int
    is_tun: bool = False
    netns: str = ""


@dataclass(slots=True, kw_only=True)
class LcpMain:
    """linux-cp's settings and pairs."""

    default_netns: str = ""
    is_sync: bool = False
    is_auto_subint: bool = False
    pairs: Pool[Pair] = field(default_factory=Pool)
    by_phy: dict[int, int] = field(default_factory=dict)
    """Index of a pair by its interface."""


Routes = dict[Prefix, dict[int, tuple[FibPath, ...]]]
"""Paths by prefix and by the number of their source (fib_source_t)."""


class FibSource(Enum):
    """The sources that lock a table without interfaces (fib_source_t); each locks it once, however often it asks."""

    API = "API"
    CLI = "CLI"
    LINUX_NL = "lcp-rt"


@dataclass(slots=True, kw_only=True)
class FibTable:
    """One table; it exists while a source locks it or an interface is in it."""

    index: int
    name: bytes
    holders: set[FibSource] = field(default_factory=set)
    locks: Counter[str] = field(default_factory=Counter)
    """How often other objects lock it, by the name of their source: tunnels that look up their other end, relays."""
    routes: Routes = field(default_factory=dict)
    """Those of the prompt and of the API."""
    left_hosts: set[int] = field(default_factory=set)
    """Hosts of which a path MTU was removed and has left its entry (vnet/ip/ip_path_mtu.c)."""
    marked: set[Prefix] = field(default_factory=set)
    """Routes of the API that go when their replacement ends, unless they are added again before."""

    def drop_route(self, key: Prefix, source: int) -> None:
        """Delete what one source has of a route."""
        found = self.routes.get(key, {})
        found.pop(source, None)
        if not found:
            self.routes.pop(key, None)


@dataclass(slots=True, kw_only=True)
class FibMain:
    """All tables by id; the first one is never deleted."""

    family: str
    tables: dict[int, FibTable] = field(default_factory=dict)
    leaked: list[tuple[int, Routes]] = field(default_factory=list)
    """Indexes of tables that are gone, with their routes; the next table gets the last one."""

    def __post_init__(self) -> None:
        """Make table 0."""
        self.create(0, b"", FibSource.API)

    def create(self, table_id: int, name: bytes, holder: FibSource) -> None:
        """Make a table, with VPP's name unless one is given, or hold one that is there, whose name stays."""
        self.find_or_create(table_id, name).holders.add(holder)

    def find_or_create(self, table_id: int, name: bytes = b"") -> FibTable:
        """Return a table, created when there is none, without a lock."""
        known = self.tables.get(table_id)
        if known is None:
            index, routes = self.leaked.pop() if self.leaked else (len(self.tables), {})
            given = name or f"{self.family}-VRF:{table_id - (table_id >> 31 << 32)}".encode()
            known = self.tables[table_id] = FibTable(index=index, name=given, routes=routes)
        return known

    def delete(self, table_id: int) -> None:
        """Delete a table. Its routes stay with its index; raise DiedError where a path MTU has left an entry."""
        gone = self.tables.pop(table_id)
        if gone.left_hosts:
            raise DiedError
        self.leaked.append((gone.index, gone.routes))

    def by_index(self) -> list[tuple[int, FibTable]]:
        """Return the tables with their ids as VPP has them in its pool."""
        return sorted(self.tables.items(), key=lambda item: item[1].index)


@dataclass(slots=True, kw_only=True)
class InterfaceEvent:
    """A change of an interface, which VPP reports to the clients that asked for events."""

    sw_if_index: int
    is_admin_up: bool = False
    is_link_up: bool = False
    is_deleted: bool = False


@record
class Process:
    """What a running VPP reports of itself: version, process id, messages, clock."""

    version: str
    pid: int
    message_table: Sequence[tuple[int, bytes]]
    """Id and NAME_CRC of every message."""
    api_json: bytes
    """The definitions of all messages."""
    clock: Callable[[], float]
    """Seconds since 1970."""
    build_date: str = "2026-01-01T00:00:00"
    build_directory: str = "/vpp"


Hook = Callable[["Tables", int], None]
"""Called with the sw_if_index of an interface."""
AddressHook = Callable[["Tables", int, int, bool], None]
"""Called with the sw_if_index of an interface, an address, and whether it was added."""
TableHook = Callable[["Tables", int, bool, int, int], None]
"""Called with the sw_if_index of an interface, whether it is about IPv6, and the ids of its old and its new table."""
Part = TypeVar("Part")


class Tables:
    """Everything that a simulated VPP knows."""

    def __init__(self, release: Release, linux: LinuxSide, plugins: Collection[str], process: Process) -> None:
        self.release = release
        self.process = process
        self.plugins = frozenset(plugins)
        self.linux = linux
        self.hw: Pool[HwInterface] = Pool()
        self.sw: Pool[SwInterface] = Pool()
        self.hw_by_name: dict[str, int] = {}
        self.children: dict[tuple[int, int], int] = {}
        """sw_if_index of a sub-interface by its parent's index and its id."""
        self.l2: dict[int, L2Config] = {}
        self.l2_length = 0
        """One more than the largest index that L2 has looked at (the length of l2input_main.configs)."""
        self.ip4 = AddressBook(32)
        self.ip6 = AddressBook(128)
        self.lcp = LcpMain()
        self.bridges = BridgeMain()
        self.fib4 = FibMain(family="ipv4")
        self.fib6 = FibMain(family="ipv6")
        self.created_hooks: list[Hook] = []
        """Called with each new sub-interface."""
        self.deleted_hooks: list[Hook] = []
        """Called with each interface that goes away, before it does."""
        self.admin_hooks: list[Hook] = []
        """Called with each interface whose admin state has changed."""
        self.mtu_hooks: list[Hook] = []
        """Called with each interface whose packet MTUs have changed."""
        self.address_hooks: list[AddressHook] = []
        """Called with each IPv4 address that an interface has got, or lost."""
        self.table_hooks: list[TableHook] = []
        """Called with each interface that is put into another FIB table, before it is."""
        self.events: list[InterfaceEvent] = []
        """What happened since the events were last sent."""
        self.processes: set[str] = set()
        """The nodes of processes that were created on the way, by name."""
        self.worked_out: dict[Any, Any] = {}
        """What one question was answered with, while it is asked again and again, and nothing else."""
        self._parts: dict[type[Any], Any] = {}

    def part(self, kind: type[Part]) -> Part:
        """Return the tables of one kind: the only object of this class, which is made when first asked for."""
        if kind not in self._parts:
            self._parts[kind] = kind()
        created: Part = self._parts[kind]
        return created

    @property
    def parts(self) -> Mapping[type[Any], Any]:
        """Return the tables of the kinds that have been asked for, by their classes."""
        return self._parts

    def parent_of(self, interface: SwInterface) -> SwInterface:
        """Return a sub-interface's parent, which may be gone; an interface is its own."""
        return self.sw.stale(interface.sup_index) or interface

    def hw_of(self, interface: SwInterface) -> HwInterface:
        """Return the port of an interface or of a sub-interface's parent (vnet_get_sup_hw_interface)."""
        return self.hw.get(self.parent_of(interface).hw_index) or self.hw[0]

    def name_of(self, interface: SwInterface) -> str:
        """Return VPP's name of an interface (format_vnet_sw_interface_name)."""
        return self.name_on(self.hw_of(interface), interface)

    def name_on(self, port: HwInterface, interface: SwInterface) -> str:
        """Return the name of an interface whose port is known."""
        return f"{port.name}.{self._shown(interface.sub_id)}" if interface.is_sub else port.name

    def name_at(self, sw_if_index: int) -> str:
        """Return VPP's name of the interface with an index, which may be gone (format_vnet_sw_if_index_name)."""
        row = self.sw.get(sw_if_index)
        if row is not None:
            return self.name_of(row)
        return f"DELETED ({sw_if_index})" if self.release.has(_INDEX_OF_DELETED) else "DELETED"

    def _shown(self, sub_id: int) -> int:
        return sub_id if self.release.has(IDS_HAVE_NO_SIGN) else signed(sub_id)

    def named(self, name: str) -> SwInterface | None:
        """Return the interface called `name`, None when there is none."""
        if name in self.hw_by_name:
            return self.sw[self.hw[self.hw_by_name[name]].sw_if_index]
        parent, _, number = name.rpartition(".")
        if parent not in self.hw_by_name or _SUB_ID.fullmatch(number) is None:
            return None
        index = self.hw[self.hw_by_name[parent]].sub_interfaces.get(int(number) & 0xFFFFFFFF)
        return None if index is None else self.sw.get(index)

    def l2_of(self, sw_if_index: int) -> L2Config:
        """Return the L2 settings of an index, made when there are none yet."""
        self.extend_l2_config(sw_if_index)
        return self.l2.setdefault(sw_if_index, L2Config())

    def extend_l2_config(self, sw_if_index: int) -> None:
        """Grow the vector of L2 settings to an index, as VPP does when it only reads one (l2input_intf_config)."""
        self.l2_length = max(self.l2_length, sw_if_index + 1)
