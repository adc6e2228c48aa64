"""The values of startup.conf and the kernel files, each with its reason and who decided on it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import field
from enum import Enum

from vppcfg.common.numbers import size_text
from vppcfg.common.release import Release
from vppcfg.model.host import Nic
from vppcfg.model.problem import KeyPath
from vppcfg.record import record
from vppcfg.startup.limits import NicLimits


class ValueOrigin(Enum):
    """Who decided on a value."""

    FILE = "file"
    HOST = "host"
    FORMULA = "formula"
    DEFAULT = "default"


@record
class ValueReason:
    """One value and its reason."""

    key: str
    value: str
    origin: ValueOrigin
    reason: str


@record
class Placement:
    """Which CPU does what."""

    main_core: int
    workers: tuple[int, ...]
    """CPU ids, ascending: worker N is the Nth of them (vlib/threads.c)."""
    wanted_workers: int
    """More than there are `workers` when the machine has too few CPUs."""
    isolated: tuple[int, ...] = ()
    housekeeping: tuple[int, ...] = ()
    """All other CPUs."""

    @property
    def threads(self) -> int:
        """Return how many threads VPP has, the main one included."""
        return len(self.workers) + 1


@record
class Device:
    """One network device as VPP is to drive it."""

    address: str
    path: KeyPath
    name: str | None = None
    rx_queues: int = 1
    tx_queues: int | None = None
    """None: VPP takes one per thread, or what the device has."""
    rx_descriptors: int = 1024
    tx_descriptors: int = 1024
    workers: tuple[int, ...] | None = None
    nic: Nic | None = None
    """None when the machine has no such device."""
    limits: NicLimits | None = None
    driver: str | None = None
    """VPP's own driver, a name of NATIVE_DRIVERS; None is DPDK."""

    def tx_queues_of(self, threads: int) -> int:
        """Return how many TX queues VPP sets up for that many threads (dpdk/device/init.c)."""
        wanted = self.tx_queues or threads
        limit = self.limits.tx_queues if self.limits else None
        return min(wanted, limit) if limit else wanted


@record
class Memory:
    """Heaps, buffers and hugepages."""

    main_heap_bytes: int
    is_heap_huge: bool
    statseg_bytes: int
    is_statseg_huge: bool
    data_size: int
    buffers: int
    """On each node that has no entry in `buffers_of`."""
    buffers_of: Mapping[int, int] = field(default_factory=dict)
    """By node, where VPP can set it (24.10 and newer)."""
    hugepage_bytes: int = 2 << 20
    hugepages: Mapping[int, int] = field(default_factory=dict)
    """By node."""
    need: Mapping[str, int] = field(default_factory=dict)
    """What was computed, beside what the file sets: buffers, main-heap, statseg, hugepages."""

    @property
    def hugepages_total(self) -> int:
        """Return the hugepages of all nodes."""
        return sum(self.hugepages.values())


@record
class LinuxCp:
    """The stanzas of the plugins linux_cp and linux_nl."""

    netns: str | None
    is_sync: bool
    is_auto_subint: bool
    netlink_buffer_bytes: int


@record
class Settings:
    """All values that startup.conf and the kernel files are written from."""

    release: Release
    placement: Placement
    memory: Memory
    devices: tuple[Device, ...] = ()
    """Those of DPDK first, then those of VPP's own drivers."""
    has_native_stanza: bool = False
    """Whether the stanza `devices` is written, even an empty one."""
    default_descriptors: tuple[int, int] = (1024, 1024)
    """Of RX and TX, for devices that have no others."""
    is_multi_seg: bool = False
    has_tx_checksum_offload: bool = True
    plugins: tuple[str, ...] = ()
    linux_cp: LinuxCp | None = None
    has_linux_nl: bool = False
    gid: str = "vpp"
    exec_file: str | None = None
    poll_sleep_us: int = 0
    kernel_parameters: tuple[str, ...] = ()
    sysctls: Mapping[str, str] = field(default_factory=dict)
    explanations: tuple[ValueReason, ...] = ()


class Ledger:
    """Collects explanations in the order in which values are decided."""

    def __init__(self, in_file: Container[KeyPath]) -> None:
        """`in_file` has the paths of the keys that the file sets."""
        self._in_file = in_file
        self._explanations: list[ValueReason] = []

    @property
    def explanations(self) -> tuple[ValueReason, ...]:
        """Return what was explained so far."""
        return tuple(self._explanations)

    def add(self, key: str, value: object, origin: ValueOrigin, reason: str) -> None:
        """Explain one value."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        self._explanations.append(ValueReason(key=key, value=text, origin=origin, reason=reason))

    def given(self, key: str, value: object, default_reason: str) -> None:
        """Explain a value that is the file's, or its default for the reason given."""
        if tuple(key.split(".")) in self._in_file:
            self.add(key, value, ValueOrigin.FILE, "set in the file")
        else:
            self.add(key, value, ValueOrigin.DEFAULT, default_reason)

    @staticmethod
    def size(size_bytes: int) -> str:
        """Return a size as it is written."""
        return size_text(size_bytes)
