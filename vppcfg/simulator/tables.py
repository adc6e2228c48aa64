"""VPP's tables in memory: interfaces, L2 settings, addresses, LCP pairs. They hold, and decide nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from vppcfg.simulator.addresses import AddressBook
from vppcfg.simulator.linux_side import LinuxSide
from vppcfg.simulator.port import MAX_MTU
from vppcfg.simulator.releases import Release

NONE = 0xFFFFFFFF
"""VPP's ~0: no index."""

T = TypeVar("T")


class Pool(Generic[T]):
    """Rows by index, as vppinfra/pool.h keeps them: the index freed last is given out first."""

    def __init__(self) -> None:
        self._rows: list[T] = []
        self._used: list[bool] = []
        self._free: list[int] = []

    def add(self, make: Callable[[int], T]) -> T:
        """Make a row for the next index and keep it."""
        if self._free:
            index = self._free.pop()
            row = self._rows[index] = make(index)
            self._used[index] = True
            return row
        row = make(len(self._rows))
        self._rows.append(row)
        self._used.append(True)
        return row

    def remove(self, index: int) -> None:
        """Give an index back; what stood there can still be read with `stale`."""
        self._used[index] = False
        self._free.append(index)

    def get(self, index: int) -> T | None:
        """Return the row at `index`, None when it is free."""
        return self._rows[index] if self.has(index) else None

    def __getitem__(self, index: int) -> T:
        if not self.has(index):
            raise KeyError(index)
        return self._rows[index]

    def has(self, index: int) -> bool:
        """Return whether `index` is in use."""
        return index < len(self._used) and self._used[index]

    def stale(self, index: int) -> T | None:
        """Return what stands or last stood at `index`, as VPP reads it where it does not check."""
        return self._rows[index] if index < len(self._rows) else None

    def __iter__(self) -> Iterator[T]:
        return (row for row, used in zip(self._rows, self._used, strict=True) if used)

    def __len__(self) -> int:
        return len(self._rows) - len(self._free)

    @property
    def end(self) -> int:
        """Return one more than the highest index ever used."""
        return len(self._rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTap:
    """What a TAP is to Linux."""

    number: int
    netns: str
    device_name: str


@dataclass(slots=True, kw_only=True)
class HwInterface:
    """A port as its driver has it (vnet_hw_interface_t)."""

    index: int
    name: str
    device_class: str
    sw_if_index: int = NONE
    is_ethernet: bool = True
    mac: bytes = bytes(6)
    link_mtu: int = 0
    """Largest frame less VPP's overhead, in bytes."""
    max_link_mtu: int = MAX_MTU
    is_mtu_fixed_while_up: bool = False
    is_link_up: bool = False
    tap: HostTap | None = None
    """Of a TAP that was made for an LCP pair."""
    sub_interfaces: dict[int, int] = field(default_factory=dict)
    """sw_if_index by sub-interface id."""
    encapsulations: set[tuple[str | int, ...]] = field(default_factory=set)
    """Slots of the VLAN tables of vnet/ethernet/node.c that are taken."""


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
    """Raw flags of a sub-interface (vnet/interface_types.api)."""
    outer_vlan: int = 0
    inner_vlan: int = 0
    mtus: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    """L3, IPv4, IPv6, MPLS, in bytes."""
    is_up: bool = False
    tag: bytes = b""


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
    rewrite: TagRewriteBytes = field(default_factory=TagRewriteBytes)


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


@dataclass(slots=True, kw_only=True)
class InterfaceEvent:
    """Something that VPP tells clients who asked for it (sw_interface_event)."""

    sw_if_index: int
    is_admin_up: bool = False
    is_link_up: bool = False
    is_deleted: bool = False


Hook = Callable[["Tables", int], None]


class Tables:
    """Everything that a simulated VPP knows."""

    def __init__(self, release: Release, linux: LinuxSide) -> None:
        self.release = release
        self.linux = linux
        self.hw: Pool[HwInterface] = Pool()
        self.sw: Pool[SwInterface] = Pool()
        self.hw_by_name: dict[str, int] = {}
        self.children: dict[tuple[int, int], int] = {}
        """sw_if_index of a sub-interface by its parent's index and its id."""
        self.l2: dict[int, L2Config] = {}
        self.ip4 = AddressBook(32)
        self.ip6 = AddressBook(128)
        self.link_locals: dict[int, int] = {}
        """IPv6 link-local address by sw_if_index."""
        self.lcp = LcpMain()
        self.tap_ids: set[int] = set()
        self.created_hooks: list[Hook] = []
        """Called with each new sub-interface."""
        self.deleted_hooks: list[Hook] = []
        """Called with each interface that goes away, before it does."""
        self.events: list[InterfaceEvent] = []
        """What happened since the events were last sent."""

    def parent_of(self, interface: SwInterface) -> SwInterface:
        """Return a sub-interface's parent, which may be gone; an interface is its own."""
        return self.sw.stale(interface.sup_index) or interface

    def hw_of(self, interface: SwInterface) -> HwInterface:
        """Return the port of an interface or of a sub-interface's parent (vnet_get_sup_hw_interface)."""
        parent = self.parent_of(interface)
        return self.hw[parent.hw_index if self.hw.has(parent.hw_index) else 0]

    def name_of(self, interface: SwInterface) -> str:
        """Return VPP's name of an interface (format_vnet_sw_interface_name)."""
        name = self.hw_of(interface).name
        return f"{name}.{interface.sub_id}" if interface.is_sub else name

    def named(self, name: str) -> SwInterface | None:
        """Return the interface called `name`, None when there is none."""
        if name in self.hw_by_name:
            return self.sw[self.hw[self.hw_by_name[name]].sw_if_index]
        parent, _, number = name.rpartition(".")
        if parent not in self.hw_by_name or not number.isdecimal():
            return None
        index = self.hw[self.hw_by_name[parent]].sub_interfaces.get(int(number))
        return None if index is None else self.sw.get(index)

    def l2_of(self, sw_if_index: int) -> L2Config:
        """Return the L2 settings of an index, made when there are none yet."""
        return self.l2.setdefault(sw_if_index, L2Config())
