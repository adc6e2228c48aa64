"""A machine: CPUs, caches, NUMA nodes, hugepages, network devices; and the inventory of it in JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from vppcfg.common.documents import build
from vppcfg.record import record

_KERNEL = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
FOR_USERS = frozenset({"vfio-pci", "uio_pci_generic"})
"""Drivers of Linux that hand a device to a program."""


@record
class Cpu:
    """One logical CPU."""

    id: int
    core: int = 0
    """Number of its core; unique within its socket only."""
    socket: int = 0
    node: int = 0
    siblings: tuple[int, ...] = ()
    """Logical CPUs of the same core, this one included."""
    is_online: bool = True
    is_allowed: bool = True
    """False when processes of this machine (a container) must not run there."""
    is_isolated: bool = False
    """Kept free of other tasks by the running kernel."""


@record
class Cache:
    """One cache, and the CPUs that share it."""

    level: int
    kind: str
    """Data, Instruction or Unified, as the kernel reports."""
    size_bytes: int
    cpus: tuple[int, ...]


@record
class HugepagePool:
    """The hugepages of one size on one node."""

    page_bytes: int
    total: int = 0
    free: int = 0


@record
class NumaNode:
    """One NUMA node; a machine without that information has one, with everything."""

    id: int
    cpus: tuple[int, ...] = ()
    memory_bytes: int = 0
    hugepages: tuple[HugepagePool, ...] = ()


@record
class PcieLink:
    """Speed and width of a PCI Express link."""

    speed_gts: float
    """Billion transfers per second and lane."""
    width: int
    """Lanes."""

    @property
    def rate(self) -> float:
        """Return how much it carries, for comparing."""
        return self.speed_gts * self.width


@record
class Nic:
    """One network device on the PCI bus."""

    address: str
    """Such as 0000:01:00.0."""
    vendor: int
    device: int
    node: int | None = None
    """None when the machine does not report it."""
    driver: str | None = None
    """The Linux driver that has it."""
    linux_names: tuple[str, ...] = ()
    is_admin_up: bool = False
    """Whether Linux uses one of its interfaces."""
    speed_mbps: int | None = None
    """Of the link, None while it is down."""
    rx_queues_max: int | None = None
    tx_queues_max: int | None = None
    """What the device can do by its Linux driver; None when that does not report it."""
    link: PcieLink | None = None
    link_max: PcieLink | None = None
    """What the device itself could do."""
    slot_max: PcieLink | None = None
    """What the slot, the port above it, could do."""
    mac: str | None = None
    """Of its first Linux interface; None while no Linux driver has it."""

    @property
    def kind(self) -> str:
        """Return vendor and device id as `8086:1539`."""
        return f"{self.vendor:04x}:{self.device:04x}"


@dataclass(frozen=True, kw_only=True)
class Host:
    """One machine."""

    architecture: str = ""
    """x86_64, aarch64, or as the kernel reports."""
    model: str = ""
    """Of the CPU."""
    base_hz: int | None = None
    cpus: tuple[Cpu, ...] = ()
    caches: tuple[Cache, ...] = ()
    has_numa: bool = False
    nodes: tuple[NumaNode, ...] = ()
    memory_bytes: int = 0
    default_hugepage_bytes: int | None = None
    """None when the kernel has no hugepages."""
    nics: tuple[Nic, ...] = ()
    groups: tuple[str, ...] = ()
    """Names of the Unix groups."""
    group_ids: tuple[int, ...] = ()
    """Their numbers."""
    kernel_release: str = ""
    kernel_line: str = ""
    notes: tuple[str, ...] = ()
    """What could not be read or makes no sense, one sentence each."""

    def has_group(self, name: str) -> bool:
        """Return whether there is a Unix group of that name or number, as far as that is known."""
        if name.isdecimal() and name not in self.groups:
            return not self.group_ids or int(name) in self.group_ids
        return not self.groups or name in self.groups

    @cached_property
    def cpu_by_id(self) -> Mapping[int, Cpu]:
        """Return the CPUs by id."""
        return {cpu.id: cpu for cpu in self.cpus}

    @cached_property
    def nic_by_address(self) -> Mapping[str, Nic]:
        """Return the network devices by PCI address."""
        return {nic.address: nic for nic in self.nics}

    @cached_property
    def usable_cpus(self) -> tuple[Cpu, ...]:
        """Return the CPUs that a process can run on."""
        return tuple(cpu for cpu in self.cpus if cpu.is_online and cpu.is_allowed)

    @cached_property
    def cores(self) -> tuple[tuple[Cpu, ...], ...]:
        """Return the usable CPUs of each physical core, cores in the order of their first CPU."""
        families: dict[tuple[int, ...], list[Cpu]] = {}
        for cpu in self.usable_cpus:
            families.setdefault(cpu.siblings or (cpu.id,), []).append(cpu)
        return tuple(tuple(family) for family in families.values())

    @cached_property
    def last_level_cache_bytes(self) -> int | None:
        """Return the size of the largest cache of the highest level, None when nothing is known."""
        highest = max((cache.level for cache in self.caches), default=0)
        return max((cache.size_bytes for cache in self.caches if cache.level == highest), default=None)

    @property
    def has_level_3_cache(self) -> bool:
        """Return whether any CPU has a third level of cache."""
        return any(cache.level >= 3 for cache in self.caches)

    @property
    def node_ids(self) -> tuple[int, ...]:
        """Return the ids of the nodes that have memory; 0 when nothing is known."""
        return tuple(node.id for node in self.nodes if node.memory_bytes) or (0,)

    def has_kernel(self, major: int, minor: int) -> bool:
        """Return whether the kernel is of this release or a newer one; one that is not known is."""
        version = _KERNEL.match(self.kernel_release)
        return version is None or (int(version[1]), int(version[2])) >= (major, minor)

    def node_of(self, nic: Nic) -> int:
        """Return the node that VPP assumes for a device: 0 when the machine does not report it (dpdk/device/init.c)."""
        return nic.node if nic.node is not None and nic.node in self.node_ids else self.node_ids[0]


FORMAT_VERSION = 1
"""Grows when a reader of the former one would misread the document."""


def host_document(host: Host) -> dict[str, Any]:
    """Return a host as plain data."""
    return {"format_version": FORMAT_VERSION, **asdict(host)}


def host_of(document: object) -> Host:
    """Return the host that plain data describes. Raise ValueError when it does not describe one."""
    if not isinstance(document, Mapping) or "format_version" not in document:
        raise ValueError("this is no inventory of a machine; `vppcfg host` writes one")
    if document["format_version"] != FORMAT_VERSION:
        version = document["format_version"]
        raise ValueError(f"an inventory of format_version {version!r} cannot be read, only {FORMAT_VERSION}")
    host = build(Host, {key: value for key, value in document.items() if key != "format_version"}, "the inventory")
    for complaint in _complaints(host):
        raise ValueError(complaint)
    return host


def _complaints(host: Host) -> Iterator[str]:
    """Yield what no machine can be."""
    for what, ids in (("cpus", [cpu.id for cpu in host.cpus]), ("nics", [nic.address for nic in host.nics])):
        if len(set(ids)) != len(ids):
            yield f"{what} has an entry twice"
    if not host.usable_cpus:
        yield "no CPU of this inventory is online and allowed"
    if any(cpu.id < 0 or cpu.node < 0 for cpu in host.cpus) or any(node.id < 0 for node in host.nodes):
        yield "an id of a CPU or node is negative"
