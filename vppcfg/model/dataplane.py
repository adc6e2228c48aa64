"""The setup of VPP itself: as the section `dataplane` has it, None for `auto`, and as a running VPP shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from vppcfg.model.problem import KeyPath
from vppcfg.record import record

FRAME_OVERHEAD_BYTES = 26
"""What stands around a packet on the wire: Ethernet header, two VLAN tags, checksum."""


class KernelLevel(Enum):
    """How far the kernel command line goes for low latency."""

    SAFE = "safe"
    LATENCY = "latency"


@record
class CpuSection:
    """Which CPUs VPP's threads run on."""

    main_core: int | None = None
    workers: int | tuple[int, ...] | None = None
    """How many, or on which CPUs."""
    uses_siblings: bool = False
    """Whether both threads of a core may work for VPP."""
    isolate: bool | tuple[int, ...] = True
    """Whether the kernel is to keep everything else off, or from which CPUs."""


@record
class MemorySection:
    """The main heap, and what it has to hold."""

    main_heap_bytes: int | None = None
    routes: int = 10_000
    hugepage_bytes: int | None = None


@record
class BuffersSection:
    """Packet buffers."""

    per_numa: int | None = None
    data_size: int = 2048
    """Bytes of packet in one buffer (vlib/buffer.h)."""


@record
class QueueSection:
    """Queues and descriptors of one device, or of all without their own."""

    rx_queues: int | None = None
    tx_queues: int | None = None
    rx_descriptors: int | None = None
    tx_descriptors: int | None = None


@record
class DeviceSection:
    """One network device that VPP drives."""

    address: str
    """On the PCI bus, such as 0000:01:00.0."""
    path: KeyPath
    name: str | None = None
    """Of the interface; None is VPP's own name for it."""
    queues: QueueSection = QueueSection()
    workers: tuple[int, ...] | None = None
    """The worker of each RX queue, counted from 0; None leaves it to VPP."""
    driver: str | None = None
    """VPP's own driver, a name of NATIVE_DRIVERS; None is DPDK."""


@record
class DpdkSection:
    """The DPDK driver and its devices."""

    is_multi_seg: bool | None = None
    """Whether a packet may span buffers."""
    has_tx_checksum_offload: bool = True
    default: QueueSection = QueueSection()
    devices: Mapping[str, DeviceSection] | None = None
    """By PCI address; None takes those that the interfaces of the file are named after."""


@record
class LinuxCpSection:
    """Linux devices for VPP's interfaces, and the netlink socket that follows what Linux does."""

    netns: str | None = None
    is_sync: bool = True
    is_auto_subint: bool = False
    netlink_buffer_bytes: int = 64 << 20


@record
class UnixSection:
    """VPP as a process."""

    exec_file: str | None = None
    poll_sleep_us: int = 0
    gid: str = "vpp"


@record
class KernelSection:
    """What the kernel gets at boot."""

    hugepages: int | None = None
    """Of the size that `memory` names, on all nodes together."""
    level: KernelLevel = KernelLevel.SAFE


@record
class DataplaneSection:
    """The whole section, defaults filled in."""

    cpu: CpuSection = CpuSection()
    memory: MemorySection = MemorySection()
    buffers: BuffersSection = BuffersSection()
    statseg_bytes: int | None = None
    dpdk: DpdkSection = DpdkSection()
    native_devices: Mapping[str, DeviceSection] | None = None
    """Those that VPP's own drivers drive, by PCI address, each with its name; None leaves the stanza as it is."""
    linux_cp: LinuxCpSection = LinuxCpSection()
    plugins: tuple[str, ...] | None = None
    """Names without _plugin.so; None takes what the file needs."""
    unix: UnixSection = UnixSection()
    kernel: KernelSection = KernelSection()
    given: frozenset[KeyPath] = field(default=frozenset(), compare=False)
    """Paths of the keys that stand in the file, without the `dataplane` in front."""


def every_device(section: DataplaneSection | None) -> tuple[DeviceSection, ...]:
    """Return the devices that a section names, those of DPDK first."""
    if section is None:
        return ()
    return (*(section.dpdk.devices or {}).values(), *(section.native_devices or {}).values())


@record
class Thread:
    """One thread of VPP."""

    id: int
    """0 is the main thread."""
    name: str
    cpu: int


@record
class RunningVpp:
    """One VPP at one time."""

    version: str
    threads: tuple[Thread, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    """What it shows, by command, such as `show buffers`."""
