"""Computes what a startup.conf asks for: threads, devices with their queues, buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from vppcfg.common.numbers import bytes_of, canonical_pci, cpus_of, cpus_of_mask, whole_number
from vppcfg.common.release import NEWEST
from vppcfg.model.native_driver import NATIVE_DRIVERS
from vppcfg.record import record
from vppcfg.startup.conf.cpu_words import WORKERS, entries_read
from vppcfg.startup.conf.tree import Conf, ConfEntry

_BUFFERS_PER_NUMA = 16384
_DATA_SIZE = 2048
_DESCRIPTORS = 1024
_NATIVE_DESCRIPTORS = 512
"""VPP's defaults (vlib/buffer.h, dpdk/device/dpdk.h)."""

_DPDK_DESCRIPTORS = 512
"""What DPDK takes in place of 0 where its driver has no choice (lib/ethdev/rte_ethdev.h)."""
MOST_DESCRIPTORS = 0xFFFF
"""VPP keeps 16 bits of their number."""
PER_THREAD, MAIN_ONLY = "queue-per-thread", "main-thread-only"
"""Who polls the receive queues of a port of VPP's own drivers, apart from workers in turn."""


@record
class DeviceFacts:
    """One network device as in the file."""

    entry: ConfEntry
    address: str
    rx_queues: int = 1
    main_queues: int = 0
    """Those of the receive queues that the main thread polls, although there are workers."""
    tx_queues: int | None = None
    """None: one per thread."""
    rx_descriptors: int = _DESCRIPTORS
    tx_descriptors: int = _DESCRIPTORS
    workers: tuple[int, ...] | None = None
    driver: str | None = None
    """VPP's own driver, '' where VPP chooses it; None is DPDK."""

    def key(self, name: str) -> ConfEntry:
        """Return the entry of a key of the device or its port, that of the device when the file does not have it."""
        port = self.entry.find("port")
        return self.entry.find(name) or (port.find(name) if port is not None else None) or self.entry


@record
class ConfFacts:
    """What a file asks for."""

    main_core: int | None = None
    worker_cpus: tuple[int, ...] | None = None
    """None when the file leaves the choice to VPP."""
    workers: int = 0
    devices: tuple[DeviceFacts, ...] = ()
    buffers: int = _BUFFERS_PER_NUMA
    """Of each NUMA node that has no entry in `buffers_of`."""
    buffers_of: Mapping[int, int] = field(default_factory=dict)
    data_size: int = _DATA_SIZE
    poll_sleep_us: int = 0

    @property
    def most_buffers(self) -> int:
        """Return the buffers of the NUMA node that has most."""
        return max([self.buffers, *self.buffers_of.values()])

    def buffers_on(self, node: int) -> int:
        """Return the buffers of a NUMA node."""
        return self.buffers_of.get(node, self.buffers)


def facts_of(conf: Conf) -> ConfFacts:
    """Return what a file asks for; what cannot be read counts as absent."""
    cpus = _worker_cpus(conf)
    workers = len(cpus) if cpus is not None else number(entry_at(conf, "cpu", "workers")) or 0
    return ConfFacts(
        main_core=number(entry_at(conf, "cpu", "main-core")),
        worker_cpus=cpus,
        workers=workers,
        devices=(*_devices(conf), *_native_devices(conf, workers)),
        buffers=number(entry_at(conf, "buffers", "buffers-per-numa")) or _BUFFERS_PER_NUMA,
        buffers_of=dict(_buffers_of(conf)),
        data_size=number(entry_at(conf, "buffers", "default data-size")) or _DATA_SIZE,
        poll_sleep_us=number(entry_at(conf, "unix", "poll-sleep-usec")) or 0,
    )


def _buffers_of(conf: Conf) -> Iterator[tuple[int, int]]:
    """Yield the NUMA nodes with buffers of their own, and how many those are."""
    stanza = conf.stanza("buffers")
    for child in (stanza.children if stanza else None) or ():
        node, count = number(child), number(child.find("buffers"))
        if child.name == "numa" and node is not None and count is not None:
            yield node, count


def _kept(descriptors: int | None) -> int:
    """Return the descriptors that VPP keeps of a number; in place of 0 the driver's default counts."""
    return (descriptors or 0) & MOST_DESCRIPTORS


def entry_at(conf: Conf, stanza: str, key: str) -> ConfEntry | None:
    """Return the entry of a key that counts, None when there is none, or when VPP does not read as far as that."""
    found = conf.stanza(stanza)
    if found is None or stanza != "cpu":
        return found.find(key) if found is not None else None
    read = entries_read(found.children or (), NEWEST)
    return next((entry for entry in reversed(read) if entry.name == key), None)


def heap_entry(conf: Conf) -> ConfEntry | None:
    """Return the entry with the size of the main heap, `heapsize` of older releases too; None when there is none."""
    return entry_at(conf, "memory", "main-heap-size") or conf.stanza("heapsize")


def workers_entry(conf: Conf) -> ConfEntry | None:
    """Return the entry that gives VPP workers, None when there is none."""
    return next((entry for name in WORKERS if (entry := entry_at(conf, "cpu", name)) is not None), None)


def number(entry: ConfEntry | None) -> int | None:
    """Return the number behind a key, None when there is none."""
    text = entry.arguments[-1] if entry is not None and entry.arguments else ""
    return whole_number(text)


def size_bytes(entry: ConfEntry | None) -> int | None:
    """Return the size behind a key, None when there is none."""
    try:
        return bytes_of(entry.arguments[-1]) if entry is not None and entry.arguments else None
    except ValueError:
        return None


def ids(entry: ConfEntry | None) -> tuple[int, ...] | None:
    """Return the numbers in the list behind a key, None when there is none."""
    try:
        return cpus_of(entry.arguments[0]) if entry is not None and entry.arguments else None
    except ValueError:
        return None


def assignment_of(port: ConfEntry) -> str:
    """Return which threads poll the receive queues of a port; a flag goes over the key of its own (vnet/dev/api.c)."""
    flags, assignment = port.find("flags"), port.find("rx-queue-assignment")
    if flags is not None and PER_THREAD in (*flags.arguments, "")[0].lower().split(","):
        return PER_THREAD
    return (*assignment.arguments, "")[0] if assignment is not None else ""


def _worker_cpus(conf: Conf) -> tuple[int, ...] | None:
    masked = entry_at(conf, "cpu", "coremask-workers")
    if masked is None or not masked.arguments:
        return ids(entry_at(conf, "cpu", "corelist-workers"))
    return cpus_of_mask(masked.arguments[0])  # entry_at returns what VPP can read alone


def _devices(conf: Conf) -> list[DeviceFacts]:
    dpdk = conf.stanza("dpdk")
    children = (dpdk.children if dpdk else None) or ()
    default = dpdk.find("dev default") if dpdk else None
    return [
        _device(child, default)
        for child in children
        if child.name == "dev" and child.arguments and canonical_pci(child.arguments[0]) is not None
    ]


def _native_devices(conf: Conf, workers: int) -> Iterator[DeviceFacts]:
    """Yield the ports that VPP's own drivers are to make (vnet/dev/config.c); a device without a port has none."""
    stanza = conf.stanza("devices")
    for entry in (stanza.children if stanza else None) or ():
        bus, _, place = (*entry.arguments, "")[0].partition("/")
        address, port, driver = canonical_pci(place), entry.find("port"), entry.find("driver")
        if entry.name != "dev" or bus != "pci" or address is None or port is None:
            continue
        name = (*driver.arguments, "")[0] if driver is not None else ""
        usual = NATIVE_DRIVERS[name].descriptors if name in NATIVE_DRIVERS else _NATIVE_DESCRIPTORS
        assignment = assignment_of(port)
        yield DeviceFacts(
            entry=entry,
            address=address,
            rx_queues=workers + 1 if assignment == PER_THREAD else number(port.find("num-rx-queues")) or 1,
            main_queues=int(workers > 0 and assignment in {PER_THREAD, MAIN_ONLY}),
            tx_queues=number(port.find("num-tx-queues")) or None,
            rx_descriptors=_kept(number(port.find("rx-queue-size"))) or usual,
            tx_descriptors=_kept(number(port.find("tx-queue-size"))) or usual,
            driver=name,
        )


def _device(entry: ConfEntry, default: ConfEntry | None) -> DeviceFacts:
    def value(key: str) -> int | None:
        own = number(entry.find(key))
        return own if own is not None or default is None else number(default.find(key))

    workers = ids(entry.find("workers"))
    return DeviceFacts(
        entry=entry,
        address=canonical_pci(entry.arguments[0]) or entry.arguments[0],
        rx_queues=number(entry.find("num-rx-queues")) or len(workers or ()) or value("num-rx-queues") or 1,
        tx_queues=value("num-tx-queues") or None,
        rx_descriptors=_kept(value("num-rx-desc") or _DESCRIPTORS) or _DPDK_DESCRIPTORS,
        tx_descriptors=_kept(value("num-tx-desc") or _DESCRIPTORS) or _DPDK_DESCRIPTORS,
        workers=workers,
    )
