"""Sums up what was read and is well: buffers, heaps, queues, and what else no check of a verdict needs."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.numbers import numbered
from vppcfg.common.rates import count, percent
from vppcfg.tune.reading import Reading
from vppcfg.tune.rules.memory import is_scarce
from vppcfg.tune.thresholds import MEMORY_USED


def summaries(reading: Reading) -> Iterator[str]:
    """Yield a phrase for each part that was read; what a rule finds fault with is left to its finding."""
    if reading.version:
        yield f"VPP {reading.version}"
    for pool in reading.buffers or ():
        if pool.total and not is_scarce(pool):
            yield f"buffers of {pool.name}: {percent(pool.used / pool.total)} of {count(pool.total)} used"
    for heap in reading.heaps or ():
        if heap.total_bytes and heap.used_bytes <= MEMORY_USED * heap.total_bytes:
            used = percent(heap.used_bytes / heap.total_bytes)
            yield f"{heap.name}: {used} of {heap.total_bytes >> 20:,}M used"
    if reading.rx_queues:
        threads = {queue.thread for queue in reading.rx_queues}
        yield f"{numbered(len(reading.rx_queues), 'receive queue')} on {numbered(len(threads), 'thread')}"
    if reading.hardware:
        up = sum(port.is_up for port in reading.hardware)
        yield f"{up} of {numbered(len(reading.hardware), 'port')} up"
    if reading.is_tracing is False:
        yield "no packets traced"
