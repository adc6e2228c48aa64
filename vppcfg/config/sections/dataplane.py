"""The section `dataplane`: how VPP itself is set up. Plans and dumps do not look at it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from vppcfg.common.numbers import bytes_of, canonical_pci, cpus_of
from vppcfg.entries.section import Parsing, Section
from vppcfg.entries.yaml.errors import shown
from vppcfg.model.dataplane import (
    BuffersSection,
    CpuSection,
    DataplaneSection,
    DeviceSection,
    DpdkSection,
    KernelLevel,
    KernelSection,
    LinuxCpSection,
    MemorySection,
    QueueSection,
    UnixSection,
)
from vppcfg.model.native_driver import NATIVE_DRIVERS, port_name
from vppcfg.model.problem import KeyPath, Problem

_KEY = "dataplane"
_DEVICES: tuple[tuple[str, ...], ...] = (("dpdk", "devices"), ("devices",))
"""Where devices are named by their PCI address: those of DPDK, and those of VPP's own drivers."""


class _Dataplane(Section):
    """The section `dataplane`."""

    key = _KEY
    attribute = "dataplane"

    def parse(self, parsing: Parsing) -> DataplaneSection | None:
        """Return the section with canonical values, without devices that have no address; None when it is absent."""
        raw = parsing.content.get(self.key)
        if raw is None or parsing.is_bad(self.key):
            return None
        for keys in _DEVICES:
            problems = list(_bad_addresses(_below(raw, keys), (self.key, *keys)))
            parsing.problems += problems
            if problems:
                bad = {problem.path[-1] for problem in problems}
                broken = parsing.broken_entries.get(self.key, frozenset())
                parsing.broken_entries[self.key] = broken | {str(key) for key in bad}
                raw = _without(raw, keys, bad)
        return _section(raw)


SECTION = _Dataplane()


def _section(raw: Mapping[str, Any]) -> DataplaneSection:
    plugins = _auto(raw.get("plugins"))
    return DataplaneSection(
        cpu=_cpu(_part(raw, "cpu")),
        memory=_memory(_part(raw, "memory")),
        buffers=_buffers(_part(raw, "buffers")),
        statseg_bytes=_size(raw.get("statseg")),
        dpdk=_dpdk(_part(raw, "dpdk")),
        native_devices=_native_devices(raw.get("devices")),
        linux_cp=_linux_cp(_part(raw, "linux-cp")),
        plugins=None if plugins is None else tuple(sorted(name.removesuffix("_plugin.so") for name in plugins)),
        unix=_unix(_part(raw, "unix")),
        kernel=_kernel(_part(raw, "kernel")),
        given=frozenset(_paths(raw, ())),
    )


def _cpu(raw: Mapping[str, Any]) -> CpuSection:
    workers = _auto(raw.get("workers"))
    isolate = raw.get("isolate")
    return CpuSection(
        main_core=_auto(raw.get("main-core")),
        workers=workers if workers is None or isinstance(workers, int) else _cpus(workers),
        uses_siblings=raw.get("smt") == "use",
        isolate=True if isolate is None else isolate if isinstance(isolate, bool) else _cpus(isolate),
    )


def _memory(raw: Mapping[str, Any]) -> MemorySection:
    routes = raw.get("routes")
    return MemorySection(
        main_heap_bytes=_size(raw.get("main-heap")),
        routes=MemorySection().routes if routes is None else routes,
        hugepage_bytes=_size(raw.get("hugepage-size")),
    )


def _buffers(raw: Mapping[str, Any]) -> BuffersSection:
    return BuffersSection(per_numa=_auto(raw.get("per-numa")), data_size=raw.get("data-size") or 2048)


def _queues(raw: Mapping[str, Any]) -> QueueSection:
    return QueueSection(
        rx_queues=_auto(raw.get("rx-queues")),
        tx_queues=_auto(raw.get("tx-queues")),
        rx_descriptors=_auto(raw.get("rx-descriptors")),
        tx_descriptors=_auto(raw.get("tx-descriptors")),
    )


def _dpdk(raw: Mapping[str, Any]) -> DpdkSection:
    devices = _auto(raw.get("devices"))
    return DpdkSection(
        is_multi_seg=_auto(raw.get("multi-seg")),
        has_tx_checksum_offload=raw.get("tx-checksum-offload") is not False,
        default=_queues(_part(raw, "default")),
        devices=None if devices is None else {device.address: device for device in _devices(devices)},
    )


def _devices(raw: Mapping[str, Any]) -> Iterator[DeviceSection]:
    for key, entry in raw.items():
        content: Mapping[str, Any] = entry or {}
        workers = content.get("workers")
        yield DeviceSection(
            address=canonical_pci(key) or "",
            path=(_KEY, "dpdk", "devices", key),
            name=content.get("name"),
            queues=_queues(content),
            workers=None if workers is None else tuple(workers),
        )


def _native_devices(raw: Mapping[str, Any] | None) -> Mapping[str, DeviceSection] | None:
    """Return the devices of VPP's own drivers; one without a name has that which VPP gives it for its place."""
    if raw is None:
        return None
    devices = {}
    for place, (key, content) in enumerate(raw.items()):
        address, driver = canonical_pci(key) or "", str((content or {}).get("driver"))
        if driver not in NATIVE_DRIVERS:  # the schema has reported it
            continue
        devices[address] = DeviceSection(
            address=address,
            path=(_KEY, "devices", key),
            name=content.get("name") or port_name(driver, place),
            queues=_queues(content),
            driver=driver,
        )
    return devices


def _linux_cp(raw: Mapping[str, Any]) -> LinuxCpSection:
    return LinuxCpSection(
        netns=raw.get("netns"),
        is_sync=raw.get("sync") is not False,
        is_auto_subint=raw.get("auto-subint") is True,
        netlink_buffer_bytes=_size(raw.get("netlink-buffer")) or LinuxCpSection().netlink_buffer_bytes,
    )


def _unix(raw: Mapping[str, Any]) -> UnixSection:
    return UnixSection(
        exec_file=raw.get("exec"),
        poll_sleep_us=raw.get("poll-sleep-usec") or 0,
        gid=raw.get("gid") or UnixSection().gid,
    )


def _kernel(raw: Mapping[str, Any]) -> KernelSection:
    return KernelSection(
        hugepages=_auto(raw.get("hugepages")), level=KernelLevel(raw.get("level") or KernelLevel.SAFE.value)
    )


def _bad_addresses(raw: Mapping[str, Any], above: KeyPath) -> Iterator[Problem]:
    seen: dict[str, object] = {}
    for key in raw:
        address = canonical_pci(key)
        if address is None:
            text = f'{shown(key)} is no PCI address such as "0000:01:00.0", with the quotes'
            yield Problem(rule="dataplane-pci-address", path=(*above, key), text=text)
        elif seen.setdefault(address, key) != key:
            text = f"the device {address} stands here twice, as {shown(seen[address])} too; remove one"
            yield Problem(rule="dataplane-pci-address", path=(*above, key), text=text)


def _below(raw: Mapping[str, Any], keys: tuple[str, ...]) -> Mapping[str, Any]:
    for key in keys:
        raw = _part(raw, key)
    return raw


def _without(raw: Mapping[str, Any], keys: tuple[str, ...], bad: Container[object]) -> Mapping[str, Any]:
    """Return the section without some entries of the part that stands at `keys`."""
    if not keys:
        return {key: value for key, value in raw.items() if key not in bad}
    return {**raw, keys[0]: _without(_part(raw, keys[0]), keys[1:], bad)}


def _part(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = _auto(raw.get(key))
    return value if isinstance(value, dict) else {}


def _auto(value: Any) -> Any:
    return None if value == "auto" else value


def _size(value: Any) -> int | None:
    return None if _auto(value) is None else bytes_of(str(value))


def _cpus(value: Any) -> tuple[int, ...]:
    return cpus_of(value) if isinstance(value, str) else tuple(sorted(set(value)))


def _paths(raw: Mapping[str, Any], above: KeyPath) -> Iterator[KeyPath]:
    for key, value in raw.items():
        path = (*above, key)
        if isinstance(value, dict):
            yield from _paths(value, path)
        elif value is not None:
            yield path
