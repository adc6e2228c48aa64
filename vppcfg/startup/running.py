"""Reads how a running VPP was set up, compares it with what was asked for, and finds the limits of its devices.

Nothing is asked here: the texts of VPP's show commands are given. Their formats are those of 23.06 on.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping

from vppcfg.common.numbers import KIB, cpu_text, size_text
from vppcfg.model.dataplane import RunningVpp
from vppcfg.model.host import Host
from vppcfg.record import record
from vppcfg.startup.derive.memory import buffer_bytes, pages_for
from vppcfg.startup.limits import NicLimits
from vppcfg.startup.settings import Device, Settings

HARDWARE = "show hardware-interfaces"
BUFFERS = "show buffers"
MAIN_HEAP = "show memory main-heap"
STATSEG = "show memory stats-segment"
PLUGINS = "show plugins"
PLACEMENT = "show interface rx-placement"
COMMANDS = (HARDWARE, BUFFERS, MAIN_HEAP, STATSEG, PLUGINS, PLACEMENT)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_POOL = re.compile(r"^default-numa-(\d+) +\d+ +\d+ +\d+ +(\d+) +\d+ +(\d+) +(\d+) +(\d+)\b", re.MULTILINE)
_HEAP = re.compile(r"base \S+, size ([0-9]*\.?[0-9]+)([kmgt]?)", re.IGNORECASE)
_PLUGIN = re.compile(r"^ *\d+\. +(\S+)_plugin\.so ", re.MULTILINE)
_THREAD = re.compile(r"^Thread (\d+) ")
_QUEUE = re.compile(r"^ +(\S+) queue (\d+) ")
_INTERFACE = re.compile(r"^(\S+) +\d+ +(?:up|down|slave) ")
_ADDRESS = re.compile(r"address ([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.)([0-9a-f]{2})")
_RING = re.compile(r"\b([rt]x): queues (\d+) \(max (\d+)\), desc (\d+) \(min (\d+) max (\d+) align (\d+)\)")
_RESTART = "restart VPP, if startup.conf is installed"


@record
class Ring:
    """Queues and descriptors of one direction, and what the device could do."""

    queues: int
    queues_max: int
    descriptors: int
    descriptors_min: int
    descriptors_max: int
    align: int


@record
class ShownDevice:
    """One DPDK device of `show hardware-interfaces`."""

    interface: str
    rings: Mapping[str, Ring]
    """By `rx` and `tx`."""


def buffer_pools(text: str) -> dict[int, tuple[int, int]]:
    """Return data size and number of buffers by NUMA node (vlib/buffer.c).

    The number is what is available, cached and used: in its own column VPP cuts one of more than six digits.
    """
    rows = _POOL.findall(_plain(text))
    return {int(node): (int(size), sum(map(int, parts))) for node, size, *parts in rows}


def heap_bytes(text: str) -> int | None:
    """Return the size of the first heap in bytes, None when none is shown (vppinfra/mem_dlmalloc.c)."""
    match = _HEAP.search(_plain(text))
    if match is None:
        return None
    unit = {"": 1, "k": KIB, "m": KIB**2, "g": KIB**3, "t": KIB**4}[match[2].lower()]
    return round(float(match[1]) * unit)


def plugin_names(text: str) -> frozenset[str]:
    """Return the names of the loaded plugins (vlib/unix/plugin.c)."""
    return frozenset(_PLUGIN.findall(_plain(text)))


def placement(text: str) -> dict[tuple[str, int], int]:
    """Return the thread of each RX queue, by interface and queue (vnet/interface_cli.c)."""
    threads: dict[tuple[str, int], int] = {}
    thread = 0
    for line in _plain(text).splitlines():
        if match := _THREAD.match(line):
            thread = int(match[1])
        elif match := _QUEUE.match(line):
            threads[match[1], int(match[2])] = thread
    return threads


def devices(text: str) -> dict[str, ShownDevice]:
    """Return the DPDK devices by PCI address (plugins/dpdk/device/format.c)."""
    found: dict[str, ShownDevice] = {}
    name, address = "", ""
    rings: dict[str, Ring] = {}
    for line in _plain(text).splitlines():
        if match := _INTERFACE.match(line):
            name, address, rings = match[1], "", {}
        if match := _ADDRESS.search(line):
            address = f"{match[1]}{int(match[2], 16):x}"
        if match := _RING.search(line):
            rings[match[1]] = _ring([int(number) for number in match.groups()[1:]])
        if address and rings:
            found[address] = ShownDevice(interface=name, rings=dict(rings))
    return found


def measured_limits(devices: Mapping[str, ShownDevice]) -> dict[str, NicLimits]:
    """Return the limits of the devices that a running VPP drives, by PCI address."""
    return {
        address: NicLimits(
            driver="as VPP shows",
            rx_queues=rx.queues_max,
            tx_queues=tx.queues_max,
            rx_descriptors=(rx.descriptors_min, rx.descriptors_max),
            tx_descriptors=(tx.descriptors_min, tx.descriptors_max),
            align=max(rx.align, tx.align, 1),
        )
        for address, device in devices.items()
        if (rx := device.rings.get("rx")) is not None and (tx := device.rings.get("tx")) is not None
    }


def _ring(numbers: list[int]) -> Ring:
    queues, queues_max, number, lowest, highest, align = numbers
    return Ring(
        queues=queues,
        queues_max=queues_max,
        descriptors=number,
        descriptors_min=lowest,
        descriptors_max=highest,
        align=align,
    )


def _plain(text: str) -> str:
    return _COLOUR.sub("", text)


@record
class VerifiedValue:
    """One value that was asked for, and the value that VPP or the machine has."""

    what: str
    asked: str
    found: str
    is_met: bool
    advice: str = ""
    """What to do when it is not met."""


_PRINTED_PARTS = 64
"""VPP 23.06 takes its own pages off the total of a heap and cuts the rest to two places: 64M is 63.99M."""


def verify(settings: Settings, running: RunningVpp, host: Host) -> tuple[VerifiedValue, ...]:
    """Return every value that can be compared, met or not."""
    return (
        *_threads(settings, running),
        *_memory(settings, running),
        *_plugins(settings, running),
        *_devices(settings, running),
        *_isolation(settings, host),
    )


def _same(what: str, asked: object, found: object, advice: str = _RESTART) -> VerifiedValue:
    return VerifiedValue(what=what, asked=str(asked), found=str(found), is_met=asked == found, advice=advice)


def _threads(settings: Settings, running: RunningVpp) -> Iterator[VerifiedValue]:
    main = next((thread.cpu for thread in running.threads if thread.id == 0), None)
    workers = sorted(thread.cpu for thread in running.threads if thread.id != 0)
    yield _same("main core", settings.placement.main_core, main)
    yield _same("workers on CPUs", cpu_text(settings.placement.workers) or "none", cpu_text(workers) or "none")


def _memory(settings: Settings, running: RunningVpp) -> Iterator[VerifiedValue]:
    """Yield buffers and heaps. A pool has up to one buffer less for each page than was asked for (vlib/buffer.c)."""
    memory = settings.memory
    each = buffer_bytes(memory.data_size, has_dpdk=any(device.driver is None for device in settings.devices))
    pools = buffer_pools(running.shown[BUFFERS])
    for node in sorted({*memory.hugepages, *pools}):
        asked = memory.buffers_of.get(node, memory.buffers)
        size, total = pools.get(node, (0, 0))
        enough = total >= asked - pages_for(asked, max(1, memory.hugepage_bytes // each))
        advice = "VPP fell back to small pages, reserve hugepages" if total and not enough else _RESTART
        yield VerifiedValue(
            what=f"buffers on node {node}", asked=f"{asked} or more", found=str(total), is_met=enough, advice=advice
        )
        yield _same(f"data size of buffers on node {node}", memory.data_size, size)
    heaps = (("main heap", memory.main_heap_bytes, MAIN_HEAP), ("statseg", memory.statseg_bytes, STATSEG))
    for what, wanted, command in heaps:
        found = heap_bytes(running.shown[command])
        if found is not None and 0 <= wanted - found <= wanted // _PRINTED_PARTS:
            found = wanted
        yield _same(what, size_text(wanted), "unknown" if found is None else size_text(found))


def _plugins(settings: Settings, running: RunningVpp) -> Iterator[VerifiedValue]:
    loaded = plugin_names(running.shown[PLUGINS])
    missing = [name for name in settings.plugins if name not in loaded]
    other = sorted(loaded - set(settings.plugins))
    asked = ", ".join(settings.plugins) or "none"
    found = ", ".join(sorted(loaded)) or "none"
    advice = f"install {', '.join(missing)}" if missing else f"{', '.join(other)} would not be loaded; {_RESTART}"
    yield VerifiedValue(what="plugins", asked=asked, found=found, is_met=not missing and not other, advice=advice)


def _devices(settings: Settings, running: RunningVpp) -> Iterator[VerifiedValue]:
    there = devices(running.shown[HARDWARE])
    places = placement(running.shown[PLACEMENT])
    shown = {match[1] for line in _plain(running.shown[HARDWARE]).splitlines() if (match := _INTERFACE.match(line))}
    for device in settings.devices:
        if device.driver is not None:
            yield from _native(device, shown, places)
            continue
        found = there.get(device.address)
        if found is None:
            advice = "is it bound to Linux? look at `vppctl show pci` and at VPP's log"
            yield VerifiedValue(what=device.address, asked="an interface", found="none", is_met=False, advice=advice)
            continue
        yield from _rings(device, found, settings.placement.threads)
        if device.workers is not None:
            workers = sorted(thread - 1 for (name, _), thread in places.items() if name == found.interface)
            asked = ", ".join(map(str, device.workers))
            yield _same(f"{device.address} workers", asked, ", ".join(map(str, workers)) or "none")


def _native(device: Device, shown: Container[str], places: Mapping[tuple[str, int], int]) -> Iterator[VerifiedValue]:
    """Yield whether there is the port of a device of VPP's own drivers, and with as many RX queues as it is to have."""
    name = device.name or ""
    if name not in shown:
        advice = "VPP's log has the reason (`show log`): is it bound to vfio-pci, and does VPP have the driver?"
        yield VerifiedValue(what=device.address, asked=name, found="none", is_met=False, advice=advice)
        return
    yield _same(f"{device.address} rx queues", device.rx_queues, sum(port == name for port, _ in places))


def _rings(device: Device, found: ShownDevice, threads: int) -> Iterator[VerifiedValue]:
    wanted = {
        "rx": (device.rx_queues, device.rx_descriptors),
        "tx": (device.tx_queues_of(threads), device.tx_descriptors),
    }
    for way, ring in found.rings.items():
        queues, descriptors = wanted[way]
        limit = f"the device has {ring.queues_max} at most" if queues > ring.queues_max else _RESTART
        yield _same(f"{device.address} {way} queues", queues, ring.queues, limit)
        yield _same(f"{device.address} {way} descriptors", descriptors, ring.descriptors)


def _isolation(settings: Settings, host: Host) -> Iterator[VerifiedValue]:
    isolated = [cpu.id for cpu in host.cpus if cpu.is_isolated]
    if settings.placement.isolated:
        asked = cpu_text(settings.placement.isolated)
        advice = "install the kernel command line, run update-grub and boot again"
        yield _same("isolated CPUs", asked, cpu_text(isolated) or "none", advice)
