"""Reads what VPP prints about ports: `show hardware-interfaces`, `show interface`, and `show pci` about their cards.

In `show hardware-interfaces` every section begins with a row `NAME INDEX LINK HARDWARE-NAME`, and lists may go on in
the next lines; columns of `show pci` may be empty, so that only tokens with a shape count. VPP prints these texts in
vnet/interface_format.c, plugins/dpdk/device/format.c, vnet/dev/format.c and vlib/pci/pci.c.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from vppcfg.model.native_driver import NATIVE_DRIVERS
from vppcfg.tune.driver_counters import is_loss
from vppcfg.tune.reading import Hardware, InterfaceCounters, PciDevice, QueueLimits, RxQueue, TxQueue
from vppcfg.tune.show import Unread, clean_lines

_HEADING = re.compile(r"^(?:extended )?stats:$")
_QUEUE = re.compile(r"^([RT]X) Queue (\d+):$")
_RING = re.compile(r"^(master-to-slave|slave-to-master) ring (\d+)$")
_WAYS = {"master-to-slave": "tx", "slave-to-master": "rx"}
"""How memif calls the rings that VPP sends and receives on, on either side of the connection."""
_COUNTER = re.compile(r"^([A-Za-z][A-Za-z0-9_.-]*(?: [A-Za-z0-9_.-]+)*?)(?: ?: ?| )(\d+)$")
_KNOWN = re.compile(r"^(?:rx|tx|cgr|mac|phy|port|dev|in|out)[ _-]|^total (?:packets|drops) ")
_SETTING = re.compile(r"^(?:[rt]x (?:queues|desc)|cpu socket|max |block size|instance)")
_TABLE = re.compile(r"^([RT]x) Queue: Total Packets(?: Total Drops)?$")
_TABLE_ROW = re.compile(r"^(\d+) : \d+(?: (\d+))?$")


def counters_of(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield name and value of each counter in the section of one port; those of a queue begin with its name."""
    queue, is_below_heading = "", False
    for line in lines:
        if _HEADING.match(line):
            queue, is_below_heading = "", True
        elif match := _QUEUE.match(line):
            queue = f"{match[1].lower()} queue {match[2]} "
        elif match := _RING.match(line):
            queue = f"{_WAYS[match[1]]} ring {match[2]} "
        elif (match := _COUNTER.match(line)) and not _SETTING.match(line):
            name = match[1]
            if is_below_heading or queue or _KNOWN.match(name) or is_loss(name):
                yield queue + name, int(match[2])


def queue_drops(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield the packets that each queue in a table of avf dropped."""
    way = ""
    for line in lines:
        if head := _TABLE.match(line):
            way = head[1].lower()
        elif (row := _TABLE_ROW.match(line)) and way:
            if row[2] is not None:
                yield f"{way} queue {row[1]} drops", int(row[2])
        else:
            way = ""


_PORT = re.compile(r"^(\S+) (\d+) (up|down|slave) (\S+|Slave-Idx:(?: \d+)*)$")
_SPEED = re.compile(r"^Link speed: (\d*\.?\d+) ([KMG])bps$")
_RX_QUEUE = re.compile(r"^(\d+) \S+ \((\d+)\) (\w+)$")
_TX_QUEUE = re.compile(r"^(\d+) (yes|no)(?: (\d{1,4}(?:-\d{1,4})?(?:,\d{1,4}(?:-\d{1,4})?)*))?$")
_LIMITS = re.compile(r"^(rx|tx): queues (\d+) \(max (\d+)\), desc (\d+) \(min (\d+) max (\d+) align (\d+)\)$")
_PCI = re.compile(
    r"^pci: device (\S+) subsystem \S+ address ([0-9a-f]+:[0-9a-f]{2}:[0-9a-f]{2}\.)0*([0-9a-f]+) numa (\S+)$"
)
_NATIVE_DRIVER = re.compile(r"^Driver is '([^']+)', bus is '[^']+'")
_NATIVE_ADDRESS = re.compile(r"^PCIe? address is ([0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f])\b")
_NATIVE_QUEUES = re.compile(r", (\d+) RX queues \(max (\d+)\), (\d+) TX queues \(max (\d+)\)$")
_NATIVE_QUEUE = re.compile(r"^(RX|TX) queue \d+:$")
_NATIVE_RING = re.compile(r"^Size is (\d+)\b")
_FRAME = re.compile(r"max-frame-size (\d+)")
_ENDS_WITH_NUMBER = re.compile(r"^\S.* \d+$")
"""Where a driver's counters begin, lists of names end."""
_SCALE = {"K": 10**3, "M": 10**6, "G": 10**9}
_KEYED = ("rss active", "tx burst function", "rx burst function", "tx burst mode", "rx burst mode",
          "tx offload active", "flags")  # fmt: skip
_KEY = re.compile(r"^([a-z][a-z /-]*?): ?(.*)$")
_INTERFACE_ROW = re.compile(r"^(\S+) (\d+) (up|down|error)(?:/punt)?(?: (\d+)/\d+/\d+/\d+)?(?: (.+))?$")
"""A row of 18.04 and newer, or of older ones, which had no column for the MTU."""
_INTERFACE_COUNTER = re.compile(r"^([a-z][a-z0-9 -]*?) (\d+)$")
_COUNTER_DIGITS = 16
"""VPP prints so many digits of a counter, the first ones: of 100 Gbps a port has more bytes after nine days."""
_NAMELESS = "the port"
"""A block of counters whose heading is missing."""
_FIELDS = {
    "rx packets": "rx_packets", "rx bytes": "rx_bytes", "tx packets": "tx_packets", "tx bytes": "tx_bytes",
    "drops": "drops", "punt": "punts", "punts": "punts", "rx-miss": "rx_miss", "rx-no-buf": "rx_no_buf",
    "rx-error": "rx_error", "tx-error": "tx_error",
}  # fmt: skip
_PCI_ROW = re.compile(r"^([0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]) (?:(\d+) )?([0-9a-f]{4}:[0-9a-f]{4})(.*)$")
_LINK = re.compile(r"^ ?(?:(\d*\.?\d+) GT/s x(\d+)|unknown)(?: (\S+))?")


def parse_hardware(text: str) -> tuple[tuple[Hardware, ...], Unread]:
    """Return the ports. Drivers print what they like, so only a text without a port counts as unread."""
    sections: list[tuple[re.Match[str], list[str]]] = []
    stray: list[str] = []
    for line in clean_lines(text):
        if match := _PORT.match(line):
            sections.append((match, []))
        elif sections:
            sections[-1][1].append(line)
        elif not line.startswith("Name Idx"):
            stray.append(line)
    return tuple(_port(match, lines) for match, lines in sections), tuple(stray)


def _port(row: re.Match[str], lines: list[str]) -> Hardware:
    port = Hardware(name=row[1], is_up=row[3] != "down", driver=_driver(lines))
    for line in lines:
        port = _with_line(port, line)
    keyed = _keyed(lines)
    return replace(
        _as_native(port, lines),
        rss_active=keyed.get("rss active"),
        tx_burst=_burst(keyed, "tx"),
        rx_burst=_burst(keyed, "rx"),
        tx_offloads=tuple(keyed.get("tx offload active", "").split()),
        flags=tuple(keyed.get("flags", "").split()),
        counters=(*counters_of(lines), *queue_drops(lines)),
        has_errors=any(line.startswith(("Errors:", "error ")) for line in lines)
        or "error" in keyed.get("flags", "").split(),
    )


def _as_native(port: Hardware, lines: list[str]) -> Hardware:
    """Return `port` with what VPP reports of a device of its own drivers.

    The bounds of a ring are those of the driver, which VPP does not print; of a driver that nothing is known of, and of
    a text in which queues or rings are missing, there are none.
    """
    driver = next((match[1] for line in lines if (match := _NATIVE_DRIVER.match(line))), "")
    if not driver:
        return port
    address = next((match[1] for line in lines if (match := _NATIVE_ADDRESS.match(line))), None)
    native = replace(port, driver=driver, native_driver=driver, pci_address=address)
    queues = next((match for line in lines if (match := _NATIVE_QUEUES.search(line))), None)
    rings = _native_rings(lines)
    if queues is None or driver not in NATIVE_DRIVERS:
        return native
    counts = {"RX": (int(queues[1]), int(queues[2])), "TX": (int(queues[3]), int(queues[4]))}
    limits = {way: _native_limits(driver, *counts[way], rings[way]) for way in ("RX", "TX") if way in rings}
    return replace(native, rx_limits=limits.get("RX"), tx_limits=limits.get("TX"))


def _native_rings(lines: list[str]) -> dict[str, int]:
    """Return the descriptors of the first queue of each direction."""
    found: dict[str, int] = {}
    for head, line in pairwise(lines):
        queue, ring = _NATIVE_QUEUE.match(head), _NATIVE_RING.match(line)
        if queue and ring:
            found.setdefault(queue[1], int(ring[1]))
    return found


def _native_limits(driver: str, queues: int, max_queues: int, descriptors: int) -> QueueLimits:
    known = NATIVE_DRIVERS[driver]
    return QueueLimits(
        queues=queues,
        max_queues=min(max_queues, known.queues),
        descriptors=descriptors,
        min_descriptors=known.ring[0],
        max_descriptors=known.ring[1],
        align=known.step,
    )


def _with_line(port: Hardware, line: str) -> Hardware:
    """Return `port` with one line of its section."""
    if match := _SPEED.match(line):
        return replace(port, link_bps=int(float(match[1]) * _SCALE[match[2]]))
    if match := _LIMITS.match(line):
        queues, max_queues, descriptors, least, most, align = (int(part) for part in match.groups()[1:])
        limits = QueueLimits(
            queues=queues, max_queues=max_queues, descriptors=descriptors, min_descriptors=least,
            max_descriptors=most, align=align,
        )  # fmt: skip
        return replace(port, rx_limits=limits) if match[1] == "rx" else replace(port, tx_limits=limits)
    if match := _PCI.match(line):
        numa = int(match[4]) if match[4].isdecimal() else None
        return replace(port, pci_id=match[1], pci_address=match[2] + match[3], numa=numa)
    if match := _FRAME.search(line):
        return replace(port, max_frame=int(match[1]))
    return _with_queue(port, line)


def _with_queue(port: Hardware, line: str) -> Hardware:
    if match := _RX_QUEUE.match(line):
        found = RxQueue(interface=port.name, queue=int(match[1]), thread=int(match[2]), mode=match[3])
        return replace(port, rx_queues=(*port.rx_queues, found))
    if match := _TX_QUEUE.match(line):
        threads = _threads(match[3] or "")
        sent = TxQueue(interface=port.name, queue=int(match[1]), threads=threads, is_shared=match[2] == "yes")
        return replace(port, tx_queues=(*port.tx_queues, sent))
    return port


def _threads(text: str) -> tuple[int, ...]:
    """Return the threads in a list such as `0,2-3`."""
    threads: list[int] = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        threads.extend(range(int(first), int(last or first) + 1))
    return tuple(threads)


def _driver(lines: list[str]) -> str:
    """Return the line behind the hardware address, which names the driver."""
    places = [place for place, line in enumerate(lines) if line.startswith("Ethernet address")]
    return lines[places[0] + 1] if places and places[0] + 1 < len(lines) else ""


def _keyed(lines: list[str]) -> dict[str, str]:
    """Return the values that are used, each with the lines that it goes on in."""
    found: dict[str, str] = {}
    key = ""
    for line in lines:
        match = _KEY.match(line)
        if match:
            key = match[1] if match[1] in _KEYED else ""
            if key:
                found.setdefault(key, match[2])
        elif key and not _ENDS_WITH_NUMBER.match(line):
            found[key] = f"{found[key]} {line}".strip()
    return found


def _burst(keyed: dict[str, str], direction: str) -> str | None:
    """Return mode and function of a burst, None when the driver reports neither."""
    parts = [keyed.get(f"{direction} burst {what}", "") for what in ("mode", "function")]
    known = [part for part in parts if part and "not available" not in part]
    return ", ".join(known) or None


def parse_interface(text: str) -> tuple[tuple[InterfaceCounters, ...], Unread]:
    """Return the interfaces, and what could not be read; counters that nothing here uses are passed over."""
    rows: list[tuple[str, str, int, dict[str, Any]]] = []
    unread: list[str] = []
    unclear: set[int] = set()
    for line in clean_lines(text):
        if line.startswith("Name Idx"):
            continue
        rest = line
        if match := _INTERFACE_ROW.match(line):
            rows.append((match[1], match[3], int(match[4] or 0), {}))
            rest = match[5] or ""
        counter = _INTERFACE_COUNTER.match(rest)
        if counter and not rows and counter[1] in _FIELDS:
            rows.append((_NAMELESS, "up", 0, {}))
        if counter and rows:
            if counter[1] in _FIELDS:
                is_cut = len(counter[2]) >= _COUNTER_DIGITS
                rows[-1][3][_FIELDS[counter[1]]] = None if is_cut and counter[1].endswith("bytes") else int(counter[2])
        elif rest:
            unread.append(line)
            unclear.add(len(rows) - 1)
    read = (
        InterfaceCounters(
            name=name,
            is_up=state == "up",
            is_failed=state == "error",
            mtu=mtu or None,
            is_whole=number not in unclear and _has_bytes(found),
            **found,
        )
        for number, (name, state, mtu, found) in enumerate(rows)
    )
    return tuple(read), tuple(unread)


def _has_bytes(counters: Collection[str]) -> bool:
    """Return whether there are bytes beneath the packets, as VPP prints them."""
    return all(f"{way}_bytes" in counters for way in ("rx", "tx") if f"{way}_packets" in counters)


def parse_pci(text: str) -> tuple[tuple[PciDevice, ...], Unread]:
    """Return the devices, and what could not be read."""
    devices: list[PciDevice] = []
    unread: list[str] = []
    for line in clean_lines(text):
        match = _PCI_ROW.match(line)
        if match:
            devices.append(_device(match))
        elif not line.startswith("Address"):
            unread.append(line)
    return tuple(devices), tuple(unread)


def _device(match: re.Match[str]) -> PciDevice:
    link = _LINK.match(match[4])
    return PciDevice(
        address=match[1],
        socket=int(match[2]) if match[2] else None,
        pci_id=match[3],
        gt_per_s=float(link[1]) if link and link[1] else None,
        width=int(link[2]) if link and link[2] else None,
        driver=(link[3] or "") if link else "",
    )
