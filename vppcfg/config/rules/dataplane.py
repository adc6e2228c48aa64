"""Rules that check the section `dataplane` against itself and the rest of the file; the machine is not looked at."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.numbers import address_of_interface, interface_tail, numbered
from vppcfg.common.release import OLDEST
from vppcfg.config.plugins import NEEDS
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.model.dataplane import DataplaneSection, DeviceSection, every_device
from vppcfg.model.interface import DEFAULT_DEVICE_TYPE, InterfaceKind
from vppcfg.model.native_driver import LONGEST_NAME, NATIVE_DRIVERS
from vppcfg.model.ownership import NameGlobs
from vppcfg.model.problem import KeyPath, Problem, Severity

FRAME_OVERHEAD = 26
"""Bytes around a packet on the wire: Ethernet header, two VLAN tags, checksum."""


def main_core_is_worker(index: Index) -> Iterator[Problem]:
    """Find a main core that is a worker too (vlib/threads.c takes each CPU once)."""
    section = index.configuration.dataplane
    if section is None or not isinstance(section.cpu.workers, tuple):
        return
    if section.cpu.main_core in section.cpu.workers:
        text = f"CPU {section.cpu.main_core} is the main core and a worker; VPP refuses that, take it out of one"
        yield Problem(rule="cpu-main-is-worker", path=_path("cpu", "workers"), text=text)


def poll_sleep_without_workers(index: Index) -> Iterator[Problem]:
    """Find a main thread that forwards packets and has to sleep (vlib/file.c)."""
    section = index.configuration.dataplane
    if section is not None and section.unix.poll_sleep_us and section.cpu.workers == 0:
        text = f"without workers the main thread forwards, and would sleep {section.unix.poll_sleep_us} us in each loop"
        yield Problem(rule="poll-sleep-workers", path=_path("unix", "poll-sleep-usec"), text=text)


def jumbo_without_multi_seg(index: Index) -> Iterator[Problem]:
    """Find MTUs whose frames do not fit into one buffer, where a packet may not span several (dpdk/device/common.c)."""
    section = index.configuration.dataplane
    if section is None or section.dpdk.is_multi_seg is not False:
        return
    limit = section.buffers.data_size - FRAME_OVERHEAD
    for interface in _on_dpdk(index):
        if interface.mtu > limit:
            text = (
                f"mtu {interface.mtu} of {interface.name} does not fit into a buffer of {section.buffers.data_size} "
                f"bytes, which leaves {limit}; allow multi-seg, or make one of them fit"
            )
            yield Problem(rule="multi-seg-mtu", path=(*interface.path, "mtu"), text=text)


def _on_dpdk(index: Index) -> Iterator[InterfaceConfig]:
    """Yield the ports that DPDK provides, and bonds with such a member: members have the MTU of their bond."""
    native = _native_names(index.configuration.dataplane)

    def is_dpdk(interface: InterfaceConfig | None) -> bool:
        return interface is not None and interface.name not in native and is_dpdk_port(interface)

    for interface in index.interfaces:
        bond = index.configuration.virtual.get(interface.name)
        members = [index.find(member) for member in bond.members] if bond is not None else []
        if is_dpdk(interface) or any(is_dpdk(member) for member in members):
            yield interface


def device_name_duplicate(index: Index) -> Iterator[Problem]:
    """Find devices that are given the same name (dpdk/device/init.c, vnet/dev/port.c)."""
    owners: dict[str, str] = {}
    for device in every_device(index.configuration.dataplane):
        if device.name is not None and owners.setdefault(device.name, device.address) != device.address:
            text = f"{owners[device.name]} has the name {device.name} already; take another"
            yield Problem(rule="device-name-duplicate", path=_name_path(device, index), text=text)


def device_with_two_drivers(index: Index) -> Iterator[Problem]:
    """Find devices that both DPDK and a driver of VPP's own are to drive; the first one takes it (vlib/linux/pci.c)."""
    section = index.configuration.dataplane
    if section is None:
        return
    for device in (section.native_devices or {}).values():
        if device.address in (section.dpdk.devices or {}):
            text = f"{device.address} is below `dpdk.devices` too, and only one driver can have it; remove one"
            yield Problem(rule="device-two-drivers", path=device.path, text=text)


def native_device_bounds(index: Index) -> Iterator[Problem]:
    """Find queues, rings and names that a driver of VPP's own does not take (vnet/dev/api.c, vnet/dev/config.c)."""
    section = index.configuration.dataplane
    for device in ((section.native_devices if section is not None else None) or {}).values():
        driver = NATIVE_DRIVERS[device.driver or ""]
        queues = (("rx-queues", device.queues.rx_queues), ("tx-queues", device.queues.tx_queues))
        rings = (("rx-descriptors", device.queues.rx_descriptors), ("tx-descriptors", device.queues.tx_descriptors))
        for key, number in queues:
            if number is not None and number > driver.queues:
                text = f"{number} queues are more than the {driver.queues} that the driver {driver.name} can have"
                yield Problem(rule="native-device-bounds", path=(*device.path, key), text=text)
        for key, number in rings:
            if number is not None and not driver.takes(number):
                text = f"the driver {driver.name} takes {driver.rings_text}, and no ring of {number}"
                yield Problem(rule="native-device-bounds", path=(*device.path, key), text=text)
        if len(device.name or "") > LONGEST_NAME:
            text = f"the name {device.name} has {len(device.name or '')} characters; VPP reads {LONGEST_NAME}"
            yield Problem(rule="native-device-bounds", path=(*device.path, "name"), text=text)


def device_type_of_driver(index: Index) -> Iterator[Problem]:
    """Find interfaces whose `device-type` is not the driver that makes them."""
    section = index.configuration.dataplane
    for device in ((section.native_devices if section is not None else None) or {}).values():
        interface = index.find(device.name or "")
        if interface is not None and interface.device_type not in (None, device.driver):
            text = (
                f"the driver of {interface.name} is {device.driver}, not {interface.device_type}; remove `device-type`"
            )
            path = (*interface.path, "device-type")
            yield Problem(rule="device-type-driver", path=path, text=text)


def device_without_interface(index: Index) -> Iterator[Problem]:
    """Find devices that VPP drives and whose interface the file neither configures nor leaves alone."""
    if "interfaces" in index.lost_sections:
        return
    globs = NameGlobs(index.configuration.unmanaged)
    names = {name for name in (*index.configuration.interfaces, *index.broken) if "." not in name}
    addresses = {address_of_interface(name) for name in names}
    for device in every_device(index.configuration.dataplane):
        if device.name is None and device.address not in addresses:
            tail = interface_tail(device.address)
            text = f"no interface of the file is named after this device, such as TenGigabitEthernet{tail}; add one"
        elif device.name is not None and device.name not in names and not globs.matches(device.name):
            text = f"{device.name} is neither below `interfaces` nor matched by `unmanaged`; add it"
        else:
            continue
        yield Problem(rule="device-interface", path=device.path, text=text, severity=Severity.WARNING)


def interface_without_device(index: Index) -> Iterator[Problem]:
    """Find interfaces that DPDK, or a driver of VPP's own, would have to provide and no listed device does."""
    section = index.configuration.dataplane
    if section is None or "dataplane" in index.broken_entries:
        return
    yield from _without_native_device(index, section)
    if section.dpdk.devices is None:
        return
    native = _native_names(section)
    given = {device.name for device in section.dpdk.devices.values()}
    unnamed = {device.address for device in section.dpdk.devices.values() if device.name is None}
    for interface in index.interfaces:
        if not is_dpdk_port(interface) or interface.name in given or interface.name in native:
            continue
        if address_of_interface(interface.name) not in unnamed:
            text = f"no device below `dataplane` becomes {interface.name}; list it, or set its `device-type`"
            yield Problem(rule="interface-device", path=interface.path, text=text, severity=Severity.WARNING)


def _without_native_device(index: Index, section: DataplaneSection) -> Iterator[Problem]:
    if section.native_devices is None:
        return
    native = _native_names(section)
    for interface in index.interfaces:
        if interface.device_type in NATIVE_DRIVERS and interface.name not in native:
            text = f"no device below `dataplane` becomes {interface.name}; list it below `devices`"
            yield Problem(rule="interface-device", path=interface.path, text=text, severity=Severity.WARNING)


def plugin_missing(index: Index) -> Iterator[Problem]:
    """Find objects of the file whose plugin is not in the list, as far as they need one in every release."""
    section = index.configuration.dataplane
    if section is None or section.plugins is None:
        return
    for need in NEEDS:
        if need.plugin in section.plugins or not need.is_required or need.since > OLDEST or need.until is not None:
            continue
        place = next(need.users(index.configuration), None)
        if place is not None:
            text = f"the list lacks {need.plugin}, which {_dotted(place)} needs ({need.reason}); add it"
            yield Problem(rule="plugin-missing", path=_path("plugins"), text=text)
    if section.dpdk.devices and "dpdk" not in section.plugins:
        yield Problem(
            rule="plugin-missing", path=_path("plugins"), text="the list lacks dpdk, which the devices need; add it"
        )


def queue_workers(index: Index) -> Iterator[Problem]:
    """Find devices whose workers and RX queues do not go together (dpdk/device/init.c)."""
    section = index.configuration.dataplane
    for device in () if section is None else (section.dpdk.devices or {}).values():
        assert section is not None
        queues = device.queues.rx_queues or section.dpdk.default.rx_queues
        if device.workers is None:
            continue
        if len(set(device.workers)) < len(device.workers):
            text = "a worker is here twice, and VPP takes the list as a set; remove one"
            yield Problem(rule="queue-workers", path=(*device.path, "workers"), text=text)
        if queues is not None and len(device.workers) != queues:
            counts = f"{numbered(len(device.workers), 'worker')} for {numbered(queues, 'receive queue')}"
            text = f"{counts}; VPP needs one worker per queue"
            yield Problem(rule="queue-workers", path=(*device.path, "workers"), text=text)
        count = section.cpu.workers if isinstance(section.cpu.workers, int) else len(section.cpu.workers or ())
        if section.cpu.workers is not None and max(device.workers) >= count:
            text = f"there is no worker {max(device.workers)}: {numbered(count, 'worker')}, counted from 0"
            yield Problem(rule="queue-workers", path=(*device.path, "workers"), text=text)


def is_dpdk_port(interface: InterfaceConfig) -> bool:
    """Return whether an interface is one that DPDK has to provide."""
    if interface.kind is not InterfaceKind.PHYSICAL or interface.parent is not None:
        return False
    if interface.device_type is not None:
        return interface.device_type == DEFAULT_DEVICE_TYPE
    return address_of_interface(interface.name) is not None


def _native_names(section: DataplaneSection | None) -> frozenset[str | None]:
    """Return the names of the ports of VPP's own drivers."""
    devices = section.native_devices if section is not None else None
    return frozenset(device.name for device in (devices or {}).values())


def _name_path(device: DeviceSection, index: Index) -> KeyPath:
    """Return the place of a device's name, that of the device when VPP names it."""
    section = index.configuration.dataplane
    path = (*device.path, "name")
    return path if section is not None and path[1:] in section.given else device.path


def _path(*keys: str) -> KeyPath:
    return ("dataplane", *keys)


def _dotted(path: KeyPath) -> str:
    return ".".join(str(key) for key in path)
