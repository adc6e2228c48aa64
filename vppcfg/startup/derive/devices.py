"""Chooses the network devices that VPP drives, and their numbers of queues and descriptors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from vppcfg.common.numbers import address_of_interface, numbered
from vppcfg.entries.configuration import Configuration, InterfaceConfig
from vppcfg.model.dataplane import DataplaneSection, DeviceSection, QueueSection
from vppcfg.model.host import Host, Nic
from vppcfg.model.interface import DEFAULT_DEVICE_TYPE
from vppcfg.startup.limits import NicLimits, native_limits
from vppcfg.startup.settings import Device, Ledger, Placement, ValueOrigin

Limits = Callable[[Nic], NicLimits | None]
"""What is known of a device, None when nothing is."""
LONGEST_STALL_S = 133e-6
"""One dispatch of 256 packets from each of two queues, at 413 clocks and 1.59 GHz: a ring has to outlast it."""
_FEWEST, _MOST = 512, 4096
_FEWEST_TX = 1024
_WIRE_BITS = (64 + 20) * 8


def devices_of(
    configuration: Configuration, section: DataplaneSection, host: Host, ledger: Ledger
) -> Mapping[str, DeviceSection]:
    """Return the devices by address: those of DPDK, and those of VPP's own drivers."""
    native = section.native_devices or {}
    if section.native_devices is not None:
        addresses = ", ".join(native) or "none"
        ledger.add("devices", addresses, ValueOrigin.FILE, "the file lists them for VPP's own drivers")
    return {**_dpdk_devices(configuration, section, host, ledger), **native}


def _dpdk_devices(
    configuration: Configuration, section: DataplaneSection, host: Host, ledger: Ledger
) -> Mapping[str, DeviceSection]:
    """Return the listed devices, or those that the interfaces of the file are named after and DPDK may take."""
    if section.dpdk.devices is not None:
        addresses = ", ".join(section.dpdk.devices) or "none"
        ledger.add("dpdk.devices", addresses, ValueOrigin.FILE, "the file lists them, and VPP touches no others")
        return section.dpdk.devices
    free = host.nic_by_address.keys() - (section.native_devices or {}).keys()
    found = {address: _unlisted(address) for address in _named_after(configuration) if address in free}
    reason = "network devices of this machine that interfaces of the file are named after"
    ledger.add("dpdk.devices", ", ".join(found) or "none", ValueOrigin.HOST, reason)
    return found


def nics_of(devices: Mapping[str, DeviceSection], host: Host) -> list[Nic]:
    """Return the devices that the machine has."""
    return [host.nic_by_address[address] for address in devices if address in host.nic_by_address]


def set_up_queues(
    devices: Mapping[str, DeviceSection],
    section: DataplaneSection,
    placement: Placement,
    host: Host,
    limits: Limits,
    ledger: Ledger,
) -> tuple[Device, ...]:
    """Return the devices with their queues and descriptors; `limits` shows how many a device has at most."""
    setup = _Setup(section, placement, host, limits, ledger)
    return tuple(setup.device(device) for device in devices.values())


def default_descriptors(devices: Sequence[Device], default: QueueSection) -> tuple[int, int]:
    """Return the RX and TX descriptors that most devices have, or those of the file's default."""
    pairs = Counter((device.rx_descriptors, device.tx_descriptors) for device in devices)
    if not pairs:
        return default.rx_descriptors or _FEWEST_TX, default.tx_descriptors or _FEWEST_TX
    rx, tx = max(sorted(pairs), key=lambda pair: pairs[pair])
    return default.rx_descriptors or rx, default.tx_descriptors or tx


class _Setup:
    def __init__(
        self, section: DataplaneSection, placement: Placement, host: Host, limits: Limits, ledger: Ledger
    ) -> None:
        self._default = section.dpdk.default
        self._placement = placement
        self._host = host
        self._limits = limits
        self._ledger = ledger
        self._dealt = 0
        """How many queues were given to workers by name."""

    def device(self, device: DeviceSection) -> Device:
        nic = self._host.nic_by_address.get(device.address)
        if device.driver is not None:
            return self._native_device(device, device.driver, nic)
        limits = None if nic is None else self._limits(nic)
        local = local_workers(self._placement, self._host, nic)
        rx_queues = self._rx_queues(device, limits, local)
        rx = self._descriptors(device, "rx", nic, limits, rx_queues, 0)
        return Device(
            address=device.address,
            path=device.path,
            name=device.name,
            rx_queues=rx_queues,
            tx_queues=device.queues.tx_queues or self._default.tx_queues,
            rx_descriptors=rx,
            tx_descriptors=self._descriptors(device, "tx", nic, limits, rx_queues, rx),
            workers=self._queue_workers(device, local, rx_queues),
            nic=nic,
            limits=limits,
        )

    def _native_device(self, device: DeviceSection, driver: str, nic: Nic | None) -> Device:
        """Return a device of VPP's own drivers, which take nothing of `dpdk.default`."""
        limits = native_limits(driver, nic)
        local = local_workers(self._placement, self._host, nic)
        return Device(
            address=device.address,
            path=device.path,
            name=device.name,
            rx_queues=self._native_queues(device, limits, local),
            tx_queues=device.queues.tx_queues,
            rx_descriptors=self._native_ring(device, "rx-descriptors", device.queues.rx_descriptors, limits),
            tx_descriptors=self._native_ring(device, "tx-descriptors", device.queues.tx_descriptors, limits),
            nic=nic,
            limits=limits,
            driver=driver,
        )

    def _native_queues(self, device: DeviceSection, limits: NicLimits, local: Sequence[int]) -> int:
        key = f"devices.{device.address}.rx-queues"
        if device.queues.rx_queues is not None:
            self._ledger.add(key, device.queues.rx_queues, ValueOrigin.FILE, "set in the file")
            return device.queues.rx_queues
        most = limits.rx_queues or 1
        queues = max(1, min(len(local), most))
        reason = f"min({numbered(len(local), 'worker')} for it, {numbered(most, 'queue')} of the device)"
        if limits.rx_queues is None:
            reason = "1, because VPP makes no port of a device that has fewer queues than it is asked for"
        self._ledger.add(key, queues, ValueOrigin.FORMULA, reason)
        return queues

    def _native_ring(self, device: DeviceSection, key: str, number: int | None, limits: NicLimits) -> int:
        place = f"devices.{device.address}.{key}"
        if number is not None:
            self._ledger.add(place, number, ValueOrigin.FILE, "set in the file")
            return number
        number = limits.default_descriptors or _FEWEST
        self._ledger.add(place, number, ValueOrigin.DEFAULT, f"what the driver {limits.driver} takes by itself")
        return number

    def _rx_queues(self, device: DeviceSection, limits: NicLimits | None, local: Sequence[int]) -> int:
        key = f"dpdk.devices.{device.address}.rx-queues"
        given = device.queues.rx_queues or self._default.rx_queues
        if given is None and device.workers:
            given = len(device.workers)
        if given is not None:
            self._ledger.add(key, given, ValueOrigin.FILE, "set in the file")
            return given
        limit = limits.rx_queues if limits else None
        queues = max(1, min(len(local), limit or (len(local) if limits else 1)))
        known = f"{numbered(limit, 'queue')} of the device" if limit else "what the device has, which is not known"
        if limits is None:
            known = "1, because nothing is known of this kind of device"
        reason = f"min({numbered(len(local), 'worker')} for it, {known})"
        self._ledger.add(key, queues, ValueOrigin.FORMULA, reason)
        return queues

    def _descriptors(
        self, device: DeviceSection, way: str, nic: Nic | None, limits: NicLimits | None, queues: int, rx: int
    ) -> int:
        key = f"dpdk.devices.{device.address}.{way}-descriptors"
        own, general = (
            (device.queues.rx_descriptors, self._default.rx_descriptors)
            if way == "rx"
            else (device.queues.tx_descriptors, self._default.tx_descriptors)
        )
        if own is not None or general is not None:
            self._ledger.add(key, own or general, ValueOrigin.FILE, "set in the file")
            return own or general or 0
        if limits is not None and limits.default_descriptors is not None:
            number, reason = limits.default_descriptors, f"what devices of {limits.driver} have"
        elif way == "tx":
            number, reason = max(_FEWEST_TX, rx), f"as many as receive descriptors, {_FEWEST_TX} at least"
        else:
            number, reason = _rx_descriptors(nic, queues)
        number, reason = _within(number, reason, limits, way)
        self._ledger.add(key, number, ValueOrigin.FORMULA, reason)
        return number

    def _queue_workers(self, device: DeviceSection, local: Sequence[int], queues: int) -> tuple[int, ...] | None:
        """Return a worker per queue: the file's, or those of the device's node when the machine has several."""
        if device.workers is not None:
            self._ledger.add(
                f"dpdk.devices.{device.address}.workers", _spaced(device.workers), ValueOrigin.FILE, "set in the file"
            )
            return device.workers
        if not self._host.has_numa or not 0 < len(local) < len(self._placement.workers) or queues > len(local):
            return None
        dealt = tuple(sorted(local[(self._dealt + number) % len(local)] for number in range(queues)))
        self._dealt += queues
        reason = "workers on its NUMA node; VPP alone would deal the queues to all"
        self._ledger.add(f"dpdk.devices.{device.address}.workers", _spaced(dealt), ValueOrigin.HOST, reason)
        return dealt


def local_workers(placement: Placement, host: Host, nic: Nic | None) -> tuple[int, ...]:
    """Return the numbers of the workers on the NUMA node of a device; of all workers when none is there."""
    everybody = tuple(range(len(placement.workers)))
    if nic is None:
        return everybody
    node = host.node_of(nic)
    local = tuple(
        number
        for number in everybody
        if (cpu := host.cpu_by_id.get(placement.workers[number])) is not None and cpu.node == node
    )
    return local or everybody


def _rx_descriptors(nic: Nic | None, queues: int) -> tuple[int, str]:
    if nic is None or nic.speed_mbps is None:
        return _FEWEST_TX, f"{_FEWEST_TX}, because the speed of the link is not known"
    rate = nic.speed_mbps * 1e6 / _WIRE_BITS
    backlog = rate * LONGEST_STALL_S / queues
    number = min(max(1 << math.ceil(math.log2(backlog)), _FEWEST), _MOST)
    reason = (
        f"{rate / 1e6:.2f} Mpps x {LONGEST_STALL_S * 1e6:.0f} us / {numbered(queues, 'queue')} = {backlog:.0f}, "
        f"as a power of two from {_FEWEST} to {_MOST}"
    )
    return number, reason


def _within(number: int, reason: str, limits: NicLimits | None, way: str) -> tuple[int, str]:
    if limits is None:
        return number, reason
    lowest, highest = limits.rx_descriptors if way == "rx" else limits.tx_descriptors
    fitting = min(max(number, lowest), highest) // limits.align * limits.align
    return fitting, reason if fitting == number else f"{reason}, within the device's {lowest} to {highest}"


def _unlisted(address: str) -> DeviceSection:
    return DeviceSection(address=address, path=("dataplane", "dpdk", "devices"))


def _named_after(configuration: Configuration) -> Iterator[str]:
    for interface in configuration.interfaces.values():
        if _is_dpdk(interface) and (address := address_of_interface(interface.name)) is not None:
            yield address


def _is_dpdk(interface: InterfaceConfig) -> bool:
    return interface.parent is None and interface.device_type in (None, DEFAULT_DEVICE_TYPE)


def _spaced(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers)
