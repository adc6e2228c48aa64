"""Reads what VPP's show commands say about how it was set up. Their formats are those of 23.06 on."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vppcfg.common.numbers import KIB
from vppcfg.record import record

HARDWARE = "show hardware-interfaces"
BUFFERS = "show buffers"
MAIN_HEAP = "show memory main-heap"
STATSEG = "show memory stats-segment"
PLUGINS = "show plugins"
PLACEMENT = "show interface rx-placement"
COMMANDS = (HARDWARE, BUFFERS, MAIN_HEAP, STATSEG, PLUGINS, PLACEMENT)

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_POOL = re.compile(r"^default-numa-(\d+) +\d+ +\d+ +\d+ +(\d+) +(\d+) ", re.MULTILINE)
_HEAP = re.compile(r"base \S+, size ([0-9.]+)([kmgt]?)", re.IGNORECASE)
_PLUGIN = re.compile(r"^ *\d+\. +(\S+)_plugin\.so ", re.MULTILINE)
_THREAD = re.compile(r"^Thread (\d+) ")
_QUEUE = re.compile(r"^ +(\S+) queue (\d+) ")
_INTERFACE = re.compile(r"^(\S+) +\d+ +(?:up|down) ")
_ADDRESS = re.compile(r"address ([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.)([0-9a-f]{2})")
_RING = re.compile(r"\b([rt]x): queues (\d+) \(max (\d+)\), desc (\d+) \(min (\d+) max (\d+) align (\d+)\)")


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
    """Return data size and number of buffers by NUMA node (vlib/buffer.c)."""
    return {int(node): (int(size), int(total)) for node, size, total in _POOL.findall(_plain(text) + "\n")}


def heap_bytes(text: str) -> int | None:
    """Return the size of the first heap, None when none is shown (vppinfra/mem_dlmalloc.c)."""
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
