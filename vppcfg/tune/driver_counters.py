"""Reads which counters of a driver are lost packets, whatever the driver calls them.

Names are those of VPP's own drivers (plugins/avf/format.c of 25.10, vnet/dev/counters.c, plugins/vmxnet3/format.c) and
of the extended statistics of DPDK's, which `show hardware-interfaces` prints as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_LOST = re.compile(
    r"miss|discard|drop|err|crc|overrun|overflow|no.?buf|nombuf|out of buffer|no descr|no dma|reject|no free|timeout"
)
_HARMLESS = re.compile(r"unicast|multicast|broadcast|pause|xon|xoff|priority|filter")
"""Packets that were counted for what they are, and links that were asked to wait."""
_SENT = re.compile(r"^(?:tx|out|.* tx)\b")


def driver_losses(counters: Iterable[tuple[str, int]]) -> dict[str, tuple[str, int]]:
    """Return the counter that has most losses, by direction: `rx` and `tx`, each with its name and count.

    A driver counts one lost packet under several names (`rx missed`, `rx_missed_errors`, a queue's): the largest
    counter is what was lost at least.
    """
    found: dict[str, tuple[str, int]] = {}
    for name, count in counters:
        words = re.sub(r"[_-]", " ", name).lower()
        if not count or not _LOST.search(words) or _HARMLESS.search(words):
            continue
        way = "tx" if _SENT.search(words) else "rx"
        if count > found.get(way, ("", 0))[1]:
            found[way] = name, count
    return found


def lost_between(before: Iterable[tuple[str, int]], after: Iterable[tuple[str, int]]) -> dict[str, tuple[str, int]]:
    """Return what a driver lost between two readings, by direction; a counter that has shrunk was cleared."""
    former: Mapping[str, int] = dict(before)
    return driver_losses(
        (name, count - former.get(name, 0) if count >= former.get(name, 0) else count) for name, count in after
    )
