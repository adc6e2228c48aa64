"""Checks of queues and descriptors against what devices take and workers serve."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.checks.case import Case, device_key
from vppcfg.startup.derive.devices import local_workers
from vppcfg.startup.settings import Device


def rx_queues(case: Case) -> Iterator[Problem]:
    """Find more RX queues than a device has: VPP would silently fall back to one (dpdk/device/init.c)."""
    for device in case.settings.devices:
        limit = device.limits.rx_queues if device.limits else None
        if limit is not None and device.rx_queues > limit:
            text = (
                f"{device.rx_queues} RX queues are more than the {limit} of {_named(device)}; "
                "VPP would silently take one only"
            )
            yield Problem(rule="rx-queues-limit", path=device_key(device, "rx-queues", case), text=text)


def queue_workers(case: Case) -> Iterator[Problem]:
    """Find queues that are given to workers that do not exist, or another number of them."""
    count = len(case.settings.placement.workers)
    for device in case.settings.devices:
        if device.workers is None:
            continue
        path = (*device.path, "workers")
        if max(device.workers) >= count and case.section.cpu.workers is None:
            text = f"there is no worker {max(device.workers)}; {count} worker(s) are counted from 0"
            yield Problem(rule="queue-workers", path=path, text=text)


def idle_workers(case: Case) -> Iterator[Problem]:
    """Find devices with fewer queues than workers that could serve them."""
    for device in case.settings.devices:
        near = len(local_workers(case.settings.placement, case.host, device.nic))
        idle = near - device.rx_queues
        if idle > 0:
            queues = f"{device.address} has {device.rx_queues} RX queue(s) for {near} workers"
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
            f"workers {' and '.join(names)} share TX queue {queue}" for queue, names in users.items() if names[1:]
        ]
        if shared:
            text = f"{device.address} has {queues} TX queue(s) for {threads} threads: {'; '.join(shared)}"
            path = device_key(device, "tx-queues", case)
            yield Problem(rule="tx-queues-shared", path=path, text=text, severity=Severity.WARNING)


def descriptors(case: Case) -> Iterator[Problem]:
    """Find rings that a device refuses: too short, too long, or no multiple of what it wants (DPDK's ethdev)."""
    for device in case.settings.devices:
        if device.limits is None:
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
