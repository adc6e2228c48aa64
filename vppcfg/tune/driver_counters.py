"""Reads which counters of a driver are lost packets, whatever the driver calls them, and of how many.

Names are those of VPP's own drivers (plugins/avf/format.c of 25.10, vnet/dev/counters.c, plugins/vmxnet3/format.c,
plugins/memif/device.c) and of the extended statistics of DPDK's, which `show hardware-interfaces` prints as they are
(drivers/net/*/*_ethdev.c of DPDK).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_LOST = re.compile(
    r"miss|discard|drop|err|crc|overrun|overflow|no.?bufs?\b|nombuf|no.mbufs|out of buffer|no descr|nodesc|no dma"
    r"|reject|no free|no tx slot|timeout|allowance exceeded|truncat|undersize|oversize|jabber|alloc\w* fail|starv"
)
_HARMLESS = re.compile(
    r"unicast|multicast|broadcast|pause|xon|xoff|priority|filter|flow director|fdir|timestamp|fault|octets|bytes"
    r"|\bmax no tx slot|interrupt|correct|\bq\d+ ?undersize packets"
)
"""Packets that were counted for what they are, links that were asked to wait, events of a link, and sizes.

The queues of virtio sort good packets by size, those below 64 bytes as undersize (drivers/net/virtio of DPDK).
"""
_SENT = re.compile(r"^(?:tx|out)\b|\btx\b|transmitted|\bsent\b")
_PASSED = re.compile(
    r"^(?:[rt]x (?:frames ok|good packets|packets|ucast packets)|total packets (?:received|transmitted))$"
)
_SEEN = re.compile(r"^[rt]x unicast$")
"""What avf counts as come in, packets that it then discards among them (virtchnl_eth_stats)."""


def is_loss(name: str) -> bool:
    """Return whether a counter of this name stands for lost packets."""
    words = _words(name)
    return bool(_LOST.search(words)) and not _HARMLESS.search(words)


def driver_losses(counters: Iterable[tuple[str, int]]) -> dict[str, tuple[str, int]]:
    """Return the counter that has most losses, by direction: `rx` and `tx`, each with its name and count.

    A driver counts one lost packet under several names (`rx missed`, `rx_missed_errors`, a queue's): the largest
    counter is what was lost at least.
    """
    found: dict[str, tuple[str, int]] = {}
    for name, count in counters:
        if not count or not is_loss(name):
            continue
        way = _way(name)
        if count > found.get(way, ("", 0))[1]:
            found[way] = name, count
    return found


def driver_totals(counters: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return how many packets came to a port, or were handed to it, by direction; where the driver counts them."""
    counted = tuple(counters)
    lost = driver_losses(counted)
    totals: dict[str, int] = {}
    for name, count in counted:
        way, words = _way(name), _words(name)
        if _SEEN.match(words):
            totals[way] = max(totals.get(way, 0), count)
        elif _PASSED.match(words):
            totals[way] = max(totals.get(way, 0), count + lost.get(way, ("", 0))[1])
    return totals


def lost_between(before: Iterable[tuple[str, int]], after: Iterable[tuple[str, int]]) -> dict[str, tuple[str, int]]:
    """Return what a driver lost between two readings, by direction; a counter that has shrunk was cleared."""
    former: Mapping[str, int] = dict(before)
    return driver_losses(
        (name, count - former.get(name, 0) if count >= former.get(name, 0) else count) for name, count in after
    )


def _words(name: str) -> str:
    return re.sub(r"[_-]", " ", name).lower()


def _way(name: str) -> str:
    return "tx" if _SENT.search(_words(name)) else "rx"
