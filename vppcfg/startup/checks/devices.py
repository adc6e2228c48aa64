"""Checks of network devices: that they are there, free and well placed, and of their queues and descriptors."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.numbers import numbered
from vppcfg.model.host import FOR_USERS, Nic
from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.checks.case import Case, device_key
from vppcfg.startup.derive.devices import local_workers
from vppcfg.startup.limits import is_taken_from_linux
from vppcfg.startup.settings import Device

_BEFORE = "before VPP starts, with `driverctl set-override` or dpdk-devbind.py"
_PAYLOAD = 0.8
"""Of the bits on a PCI Express lane, at the oldest encoding."""
_HEADROOM = 1.5
"""For descriptors and headers of the bus."""


def devices_exist(case: Case) -> Iterator[Problem]:
    """Find devices that the machine does not have."""
    for device in case.settings.devices:
        if device.nic is None:
            have = ", ".join(case.host.nic_by_address) or "none"
            text = f"this machine has no network device {device.address}; it has {have}"
            yield Problem(rule="device-unknown", path=device.path, text=text)


def devices_free(case: Case) -> Iterator[Problem]:
    """Find devices that Linux has and that VPP passes over (vlib/linux/pci.c, plugins/dpdk/device/init.c)."""
    for device in case.settings.devices:
        nic = device.nic
        if device.driver is not None:
            yield from _bound_for_vpp(device, device.driver)
            continue
        if nic is not None and not is_taken_from_linux(nic):
            text = f"VPP takes no {nic.kind} such as {device.address} from Linux; bind it to vfio-pci {_BEFORE}"
            yield Problem(rule="device-in-use", path=device.path, text=text, severity=Severity.WARNING)
            continue
        if nic is None or not nic.is_admin_up or (device.limits is not None and device.limits.is_bifurcated):
            continue
        names = ", ".join(nic.linux_names)
        text = f"Linux uses {device.address} as {names}, so VPP leaves it out; `ip link set {names} down` first"
        yield Problem(rule="device-in-use", path=device.path, text=text, severity=Severity.WARNING)


def _bound_for_vpp(device: Device, driver: str) -> Iterator[Problem]:
    """Find a device that a driver of VPP's own does not get, as it takes none from Linux (vlib/linux/pci.c)."""
    nic = device.nic
    if nic is None or nic.driver in FOR_USERS:
        return
    bound = f"bound to {nic.driver}" if nic.driver is not None else "bound to no driver of Linux"
    text = f"{device.address} is {bound}, and VPP's driver {driver} takes it from vfio-pci alone; bind it {_BEFORE}"
    yield Problem(rule="device-in-use", path=device.path, text=text, severity=Severity.WARNING)


def devices_placed(case: Case) -> Iterator[Problem]:
    """Find devices whose NUMA node is not known on a machine that has several."""
    for device in case.settings.devices:
        if device.nic is None or not case.host.has_numa or device.nic.node in case.host.node_ids:
            continue
        shown = "no NUMA node" if device.nic.node is None else f"NUMA node {device.nic.node}, which has no memory"
        text = f"the machine shows {shown} for {device.address}; VPP and vppcfg assume {case.host.node_of(device.nic)}"
        yield Problem(rule="device-node", path=device.path, text=text, severity=Severity.WARNING)


def slots(case: Case) -> Iterator[Problem]:
    """Find devices that the slot makes slower than their link."""
    for device in case.settings.devices:
        nic = device.nic
        if nic is None or nic.link is None or nic.link_max is None or nic.link.rate >= nic.link_max.rate:
            continue
        if nic.speed_mbps is not None and nic.link.rate * _PAYLOAD * 1000 >= nic.speed_mbps * 2 * _HEADROOM:
            continue
        text = (
            f"{device.address} runs at {_text(nic)} and could do {nic.link_max.speed_gts:g} GT/s x{nic.link_max.width}"
            "; another slot may be faster"
        )
        yield Problem(rule="device-slot", path=device.path, text=text, severity=Severity.WARNING)


def _text(nic: Nic) -> str:
    assert nic.link is not None
    slot = f" in a slot of {nic.slot_max.speed_gts:g} GT/s x{nic.slot_max.width}" if nic.slot_max else ""
    return f"{nic.link.speed_gts:g} GT/s x{nic.link.width}{slot}"


def rx_queues(case: Case) -> Iterator[Problem]:
    """Find more RX queues than a device has: VPP would silently fall back to one (dpdk/device/init.c)."""
    for device in case.settings.devices:
        limit = device.limits.rx_queues if device.limits else None
        if limit is not None and device.rx_queues > limit:
            lost = "VPP would silently take one only" if device.driver is None else "VPP would not make its port"
            text = f"{device.rx_queues} receive queues are more than the {limit} of {_named(device)}; {lost}"
            yield Problem(rule="rx-queues-limit", path=device_key(device, "rx-queues", case), text=text)


def queue_workers(case: Case) -> Iterator[Problem]:
    """Find queues that are given to workers that do not exist, or another number of them."""
    count = len(case.settings.placement.workers)
    for device in case.settings.devices:
        if device.workers is None:
            continue
        path = (*device.path, "workers")
        if max(device.workers) >= count and case.section.cpu.workers is None:
            text = f"there is no worker {max(device.workers)}: {numbered(count, 'worker')}, counted from 0"
            yield Problem(rule="queue-workers", path=path, text=text)


def idle_workers(case: Case) -> Iterator[Problem]:
    """Find devices with fewer queues than workers that could serve them."""
    for device in case.settings.devices:
        near = len(local_workers(case.settings.placement, case.host, device.nic))
        idle = near - device.rx_queues
        if idle > 0:
            queues = f"{device.address} has {numbered(device.rx_queues, 'receive queue')} for {near} workers"
            text = f"{queues}; {idle} of them get nothing from it"
            path = device_key(device, "rx-queues", case)
            yield Problem(rule="queue-idle-worker", path=path, text=text, severity=Severity.WARNING)


def shared_tx_queues(case: Case) -> Iterator[Problem]:
    """Find TX queues that two workers share, which lock each other out (dpdk/device/init.c)."""
    threads = case.settings.placement.threads
    for device in case.settings.devices:
        queues = device.tx_queues_of(threads)
        users: dict[int, list[str]] = {}
        for thread in range(1, threads):
            users.setdefault(thread % queues, []).append(str(thread - 1))
        shared = [
            f"workers {' and '.join(names)} share transmit queue {queue}" for queue, names in users.items() if names[1:]
        ]
        if shared:
            text = (
                f"{device.address} has {numbered(queues, 'transmit queue')} for {threads} threads: {'; '.join(shared)}"
            )
            path = device_key(device, "tx-queues", case)
            yield Problem(rule="tx-queues-shared", path=path, text=text, severity=Severity.WARNING)


def descriptors(case: Case) -> Iterator[Problem]:
    """Find rings that a device refuses: too short, too long, or no multiple of what it requires (DPDK's ethdev)."""
    for device in case.settings.devices:
        if device.limits is None or device.driver is not None:
            continue
        rings = (
            ("rx-descriptors", device.rx_descriptors, device.limits.rx_descriptors),
            ("tx-descriptors", device.tx_descriptors, device.limits.tx_descriptors),
        )
        for key, number, (lowest, highest) in rings:
            if lowest <= number <= highest and number % device.limits.align == 0:
                continue
            step = f" in steps of {device.limits.align}" if device.limits.align > 1 else ""
            text = f"{key} {number} is not what {_named(device)} takes: {lowest} to {highest}{step}"
            yield Problem(rule="descriptors-limit", path=device_key(device, key, case), text=text)


def _named(device: Device) -> str:
    assert device.nic is not None and device.limits is not None
    return f"{device.address} ({device.nic.kind}, {device.limits.driver})"
