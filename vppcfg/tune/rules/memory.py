"""Rules about memory: packet buffers that run out or are never given back, and heaps that fill up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from vppcfg.common.rates import count, percent, pps, short
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, FindingSeverity, Remedy, Setting
from vppcfg.tune.load import ErrorRate, Load
from vppcfg.tune.reading import BufferPool, Heap
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.settings import buffers, buffers_needed, doubled_megabytes, main_heap, stat_segment
from vppcfg.tune.thresholds import BUFFERS_FREE, FAULT_PPS, MANY_PACKETS, MEMORY_USED

_NO_BUFFER = re.compile(
    r"\bno(?: available| rx)? buff?|rx no buf|buffer alloc|allocate buffer|out of buffer|reass no buf"
)
"""What nodes call it when no buffer is free, in lower case and with blanks for `_`."""
_LEAK_STEPS = 3
"""Ours: readings in a row that must each show more buffers in use, after the first."""
_STEADY = 0.2
"""Ours: the load is constant when its steps differ by no more than this share."""
_GROWTH_BYTES = 1 << 20
"""Ours: what a heap may grow by between two readings."""
_SOON_HOURS = 24.0
_HEAP_SETTINGS = {"main heap": main_heap, "stat segment": stat_segment}
_LEAST_HEAP_MB = {"main heap": 1024}
"""VPP's own default (vpp/vnet/main.c)."""


def find_buffers(situation: Situation) -> Iterator[Finding]:
    """Yield one finding when ports or nodes find no buffer, or a pool has few left.

    Packets are lost, or soon will be, because no buffer is free to receive into.
    """
    ports = {port.name: port.no_buf_pps for port in situation.load.ports if port.no_buf_pps}
    nodes = [rate for rate in situation.load.errors if _is_lack(rate, situation)]
    scarce = [pool for pool in situation.load.reading.buffers or () if is_scarce(pool)]
    if ports or nodes or scarce:
        yield _buffers_finding(situation, ports, nodes, scarce)


def _is_lack(rate: ErrorRate, situation: Situation) -> bool:
    """Return whether a node found no buffer: now, or often since counters began that nothing gives a time."""
    is_old = rate.per_s is None and situation.load.duration_s is None
    is_much = (rate.per_s or 0.0) >= FAULT_PPS or (is_old and rate.count >= MANY_PACKETS)
    return is_much and is_no_buffer(rate)


def is_no_buffer(rate: ErrorRate) -> bool:
    """Return whether a counter shows that no buffer was free."""
    return bool(_NO_BUFFER.search(rate.reason.lower().replace("_", " ")))


def is_scarce(pool: BufferPool) -> bool:
    """Return whether a pool has so few free buffers that a burst finds none."""
    return bool(pool.total) and _free_share(pool) < BUFFERS_FREE


def _free_share(pool: BufferPool) -> float:
    return (pool.available + pool.cached) / pool.total


def _buffers_finding(
    situation: Situation, ports: dict[str, float], nodes: list[ErrorRate], scarce: list[BufferPool]
) -> Finding:
    pools = situation.load.reading.buffers or ()
    lost = sum(ports.values())
    is_empty = bool(lost or nodes)
    present = max((pool.total for pool in pools), default=0)
    needed = max(buffers_needed(situation.load), 2 * present)
    return Finding(
        rule="buffers",
        severity=FindingSeverity.LOSS if is_empty else FindingSeverity.RISK,
        subject=scarce[0].name if scarce else next(iter(ports), "VPP"),
        verdict="there are too few packet buffers" + _who_finds_none(lost, nodes),
        evidence=_buffers_evidence(situation, ports, nodes),
        lost_pps=lost,
        proposal=Remedy(
            text="more buffers on each NUMA node, and hugepages for them (2496 bytes each)",
            settings=(buffers(needed, present or None),),
        ),
        expectation=Expectation(
            text=f"rings, caches and frames under way need {count(buffers_needed(situation.load))} with a margin of a "
            "quarter; then nothing finds the pool empty",
            basis=Basis.COMPUTED,
            gain_pps=lost or None,
        ),
        disproof="the pool runs dry again at the same load: then buffers leak, or a reader holds them",
    )


def _who_finds_none(lost: float, nodes: list[ErrorRate]) -> str:
    """Return what comes of a pool that is empty.

    Ports count packets; nodes that fill rings count how often, or for how many descriptors, they tried in vain
    (plugins/tap/rx_node.c, plugins/memif/node.c), so that no number of packets follows.
    """
    if lost:
        return f": {pps(lost)} find none"
    return f": {', '.join(dict.fromkeys(rate.node for rate in nodes))} finds none" if nodes else " for a burst"


def _buffers_evidence(situation: Situation, ports: dict[str, float], nodes: list[ErrorRate]) -> tuple[Evidence, ...]:
    reading = situation.load.reading
    parts = [
        Evidence(text=f"{pool.name}: {percent(_free_share(pool))} of {count(pool.total)} buffers are free",
                 source=reading.source("buffers"))
        for pool in reading.buffers or () if pool.total
    ]  # fmt: skip
    parts += [
        Evidence(text=f"{name} finds no buffer for {pps(rate)}", source=reading.source("interfaces"))
        for name, rate in ports.items()
    ]
    parts += [
        Evidence(text=f"{rate.node} counts `{rate.reason}` {count(rate.per_s)} times a second" if rate.per_s is not None
                 else f"{rate.node} counts {count(rate.count)} of `{rate.reason}` since the counters began",
                 source=reading.source("errors"))
        for rate in nodes
    ]  # fmt: skip
    return tuple(parts)


def find_buffer_leak(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per pool that grows in every one of three steps or more.

    Buffers in use grow without end at a constant load. No tuning helps: it is a bug to report.
    """
    steps = situation.load.steps
    if len(steps) < _LEAK_STEPS or not _is_steady(steps):
        return
    pools = [{pool.name: pool.used for pool in step.reading.buffers or ()} for step in steps]
    for name in sorted(pools[-1]):
        used = [pool[name] for pool in pools if name in pool]
        grows = len(used) >= _LEAK_STEPS and all(later > earlier for earlier, later in pairwise(used))
        if grows and used[-1] > buffers_needed(situation.load):
            yield _buffer_leak_finding(name, used, situation)


def _is_steady(steps: tuple[Load, ...]) -> bool:
    rates = [step.rx_pps for step in steps]
    return bool(rates) and max(rates) - min(rates) <= _STEADY * max(max(rates), 1.0)


def _buffer_leak_finding(name: str, used: list[int], situation: Situation) -> Finding:
    series = ", ".join(count(value) for value in used)
    need = count(buffers_needed(situation.load))
    return Finding(
        rule="buffer-leak",
        severity=FindingSeverity.RISK,
        subject=name,
        verdict=f"buffers of {name} are not given back: {count(used[-1])} are in use at a constant load",
        evidence=(
            Evidence(text=f"in use, one reading after the other: {series}",
                     source=situation.load.reading.source("buffers")),
            Evidence(text=f"rings, caches and frames under way explain {need}", source="computed"),
        ),
        proposal=Remedy(text="report it to VPP's developers, with `show buffers` and the features in use; more "
                        "buffers only put it off"),
        disproof="the number falls when the traffic stops",
    )  # fmt: skip


def find_memory_full(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per heap that is nearly full.

    A heap has little room left; a stat segment that runs full aborts VPP (vlib/stats).
    """
    for heap in situation.load.reading.heaps or ():
        if heap.name in _HEAP_SETTINGS and heap.total_bytes and heap.used_bytes > MEMORY_USED * heap.total_bytes:
            yield _memory_full_finding(heap, situation)


def find_heap_growth(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per heap that grows so fast that it is full within a day."""
    duration_s, former = situation.load.duration_s, situation.load.former
    before = {heap.name: heap for heap in (former.heaps or () if former else ())}
    for heap in situation.load.reading.heaps or ():
        grown = heap.used_bytes - before[heap.name].used_bytes if heap.name in before else 0
        if not duration_s or grown < _GROWTH_BYTES or heap.used_bytes > MEMORY_USED * heap.total_bytes:
            continue  # `memory-full` has those that are full already
        hours = (heap.total_bytes - heap.used_bytes) / (grown / duration_s) / 3600
        if hours < _SOON_HOURS:
            yield _heap_growth_finding(heap, grown, duration_s, hours, situation)


def _heap_growth_finding(heap: Heap, grown: int, duration_s: float, hours: float, situation: Situation) -> Finding:
    return Finding(
        rule="heap-growth",
        severity=FindingSeverity.RISK,
        subject=heap.name,
        verdict=f"the {heap.name} grows by {short(grown)}B in {duration_s:.0f} s, and is full in {hours:.1f} hours",
        evidence=(
            Evidence(text=f"{short(heap.used_bytes)}B of {short(heap.total_bytes)}B are used",
                     source=situation.load.reading.source("heaps")),
        ),
        proposal=Remedy(text="find what grows: `show memory main-heap`, routes, sessions; a larger heap puts it off"),
        expectation=Expectation(text="the heap stands still once its cause is gone", basis=Basis.GUESS),
        disproof="a third reading shows that it stands still: then routes or sessions had just come in",
    )  # fmt: skip


def _memory_full_finding(heap: Heap, situation: Situation) -> Finding:
    megabytes = max(doubled_megabytes(heap.total_bytes), _LEAST_HEAP_MB.get(heap.name, 0))
    setting: Setting = _HEAP_SETTINGS[heap.name](megabytes, heap.total_bytes)
    aborts = "; VPP aborts when it runs full" if heap.name == "stat segment" else ""
    return Finding(
        rule="memory-full",
        severity=FindingSeverity.RISK,
        subject=heap.name,
        verdict=f"the {heap.name} is {percent(heap.used_bytes / heap.total_bytes)} full{aborts}",
        evidence=(
            Evidence(text=f"{short(heap.used_bytes)}B of {short(heap.total_bytes)}B are used",
                     source=situation.load.reading.source("heaps")),
        ),
        proposal=Remedy(text="twice the size at least, before more routes or interfaces come", settings=(setting,)),
        expectation=Expectation(
            text=f"{percent(heap.used_bytes / (megabytes << 20))} of {megabytes} MB are used then",
            basis=Basis.COMPUTED,
        ),
        disproof="its use has not grown in weeks, and no routes or interfaces will be added",
    )  # fmt: skip
