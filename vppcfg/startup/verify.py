"""Compares what was asked for with what a running VPP has. It asks nobody: both are given."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.numbers import cpu_text, size_text
from vppcfg.model.dataplane import RunningVpp
from vppcfg.model.host import Host
from vppcfg.record import record
from vppcfg.startup import shown
from vppcfg.startup.settings import Device, Settings


@record
class VerifiedValue:
    """One thing that was asked for, and what is there."""

    what: str
    asked: str
    found: str
    is_met: bool
    advice: str = ""
    """What to do when it is not met."""


_RESTART = "restart VPP, if startup.conf is installed"


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
    memory = settings.memory
    pools = shown.buffer_pools(running.shown[shown.BUFFERS])
    for node in sorted({*memory.hugepages, *pools}):
        asked = memory.buffers_of.get(node, memory.buffers)
        size, total = pools.get(node, (0, 0))
        # A pool fills its last page, and the first buffer of all is never used (vlib/buffer.c).
        enough = total >= asked - 1
        advice = "VPP fell back to small pages, reserve hugepages" if 0 < total < asked - 1 else _RESTART
        yield VerifiedValue(
            what=f"buffers on node {node}", asked=f"{asked} or more", found=str(total), is_met=enough, advice=advice
        )
        yield _same(f"data size of buffers on node {node}", memory.data_size, size)
    heaps = (("main heap", memory.main_heap_bytes, shown.MAIN_HEAP), ("statseg", memory.statseg_bytes, shown.STATSEG))
    for what, wanted, command in heaps:
        found = shown.heap_bytes(running.shown[command])
        yield _same(what, size_text(wanted), "unknown" if found is None else size_text(found))


def _plugins(settings: Settings, running: RunningVpp) -> Iterator[VerifiedValue]:
    loaded = shown.plugin_names(running.shown[shown.PLUGINS])
    missing = [name for name in settings.plugins if name not in loaded]
    other = sorted(loaded - set(settings.plugins))
    asked = ", ".join(settings.plugins) or "none"
    found = ", ".join(sorted(loaded)) or "none"
    advice = f"install {', '.join(missing)}" if missing else f"{', '.join(other)} would not be loaded; {_RESTART}"
    yield VerifiedValue(what="plugins", asked=asked, found=found, is_met=not missing and not other, advice=advice)


def _devices(settings: Settings, running: RunningVpp) -> Iterator[VerifiedValue]:
    there = shown.devices(running.shown[shown.HARDWARE])
    places = shown.placement(running.shown[shown.PLACEMENT])
    for device in settings.devices:
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


def _rings(device: Device, found: shown.ShownDevice, threads: int) -> Iterator[VerifiedValue]:
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
