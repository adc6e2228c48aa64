"""Reads the counters that a driver prints in the section of its port in `show hardware-interfaces`.

Every driver prints them in a form of its own: DPDK's below `extended stats:` under whatever names its card has
(plugins/dpdk/device/format.c), avf's below `stats:` and in two tables (plugins/avf/format.c of 25.10), those of
vmxnet3 and memif below a line that names the queue (plugins/vmxnet3/format.c, plugins/memif/device.c), those of VPP's
own drivers anywhere (vnet/dev/counters.c). What is a counter is known by the heading above it, else by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from vppcfg.tune.driver_counters import is_loss

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
