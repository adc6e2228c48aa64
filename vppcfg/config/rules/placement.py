"""Rules about the threads that look after the queues of ports."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.numbers import address_of_interface
from vppcfg.entries.configuration import InterfaceConfig, QueueConfig
from vppcfg.entries.index import Index
from vppcfg.entries.placement import LAST_QUEUE, RX_KEY, TX_KEY
from vppcfg.model.dataplane import DataplaneSection, DeviceSection, QueueSection, every_device
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.placement import thread_name
from vppcfg.model.problem import KeyPath, Problem

_AT_CREATION = "gets its queues when it is created, and VPP places them again each time"
_NO_QUEUES = "has no queues of its own"
_WHY_NOT = {
    InterfaceKind.BOND: "uses the queues of its members, which can be placed",
    InterfaceKind.HOST_INTERFACE: _AT_CREATION,
    InterfaceKind.MEMIF: "has queues only while a peer is connected, and VPP places them again each time",
    InterfaceKind.TAP: _AT_CREATION,
    InterfaceKind.VHOST_USER: _AT_CREATION,
}


def placement_on_port(index: Index) -> Iterator[Problem]:
    """Find placements on what the file makes: what has queues of its own is a port."""
    for interface, key, _, path in _entries(index):
        if interface.kind is not InterfaceKind.PHYSICAL:
            text = f"{interface.name} {_WHY_NOT.get(interface.kind, _NO_QUEUES)}; remove `{key}`"
            yield Problem(rule="placement-not-port", path=path[:-1], text=text)


def placement_queue(index: Index) -> Iterator[Problem]:
    """Find keys that are no queues, and threads that stand twice at one."""
    for _, key, entry, path in _entries(index):
        if entry.queue is None:
            text = f"`{entry.key}` is no queue: these are counted from 0, and {LAST_QUEUE} is the last one there can be"
            yield Problem(rule="placement-queue", path=path, text=text)
        elif len(entry.numbers) < len(entry.threads):
            text = f"a thread is twice at queue {entry.queue} of `{key}`; remove one"
            yield Problem(rule="placement-queue", path=path, text=text)


def placement_in_dataplane(index: Index) -> Iterator[Problem]:
    """Find workers and queues that VPP will not have by the section `dataplane`."""
    section = index.configuration.dataplane
    if section is None or "dataplane" in index.broken_entries:
        return
    workers = section.cpu.workers
    count = workers if isinstance(workers, int) or workers is None else len(workers)
    for interface, key, entry, path in _entries(index):
        last = max(entry.numbers, default=0)
        if count is not None and last > count:
            there = "has no workers" if not count else f"has {count} worker{'s' if count > 1 else ''}, counted from 0"
            text = f"by `dataplane.cpu.workers` VPP {there}, and no {thread_name(last)}"
            yield Problem(rule="placement-dataplane", path=path, text=text)
        queues = _queue_count(section, interface, key)
        if queues is not None and entry.queue is not None and entry.queue >= queues:
            kind = "rx-queues" if key == RX_KEY else "tx-queues"
            text = f"by `{kind}` below `dataplane`, {interface.name} has {queues}, counted from 0, and no {entry.queue}"
            yield Problem(rule="placement-dataplane", path=path, text=text)


def _queue_count(section: DataplaneSection, interface: InterfaceConfig, key: str) -> int | None:
    """Return how many queues the section gives to a port, None when that is left to vppcfg or is no device of it."""
    device = _device_of(section, interface)
    if device is None:
        return None
    own, others = device.queues, section.dpdk.default if device.driver is None else QueueSection()
    if key == TX_KEY:
        return own.tx_queues or others.tx_queues
    return own.rx_queues or (len(device.workers) if device.workers else None) or others.rx_queues


def _device_of(section: DataplaneSection, interface: InterfaceConfig) -> DeviceSection | None:
    devices = every_device(section)
    named = next((device for device in devices if device.name == interface.name), None)
    address = address_of_interface(interface.name)
    return named or next((device for device in devices if device.name is None and device.address == address), None)


def _entries(index: Index) -> Iterator[tuple[InterfaceConfig, str, QueueConfig, KeyPath]]:
    """Yield each queue that the file places, with its port, the key and its place; most interfaces have none."""
    for interface in index.interfaces:
        if interface.rx_placement or interface.tx_placement:
            for key, entries in ((RX_KEY, interface.rx_placement), (TX_KEY, interface.tx_placement)):
                yield from ((interface, key, each, (*interface.path, key, each.key)) for each in entries)
