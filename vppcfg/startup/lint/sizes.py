"""Checks whether the memory that a startup.conf gives VPP suffices for what else the file asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.common.numbers import KIB, MIB, numbered, size_text
from vppcfg.common.release import Release
from vppcfg.model.problem import Problem
from vppcfg.startup.conf.plugin_review import is_loaded, loads_by_default
from vppcfg.startup.conf.problem_text import problem
from vppcfg.startup.conf.tree import Conf, ConfEntry
from vppcfg.startup.derive.memory import THREAD_CACHE
from vppcfg.startup.lint.demand import ConfFacts, entry_at, facts_of, heap_entry, number, size_bytes
from vppcfg.startup.lint.finding import notice, warning

_LEAST_HEAP, _LEAST_STATISTICS = 65 * MIB, 256 * KIB
"""Without a single plugin VPP 26.10 does not start with 64M or 128K."""
_HEAP_BYTES = 1 << 30
"""VPP's default (vpp/vnet/main.c)."""
_HEAP_TO_START, _HEAP_OF_VPP, _HEAP_OF_WORKER = 105 * MIB, 56 * MIB, 3 * MIB
"""What VPP 26.10 with its own plugins needs to start, what of that it keeps, and what a worker takes besides."""
_HEAP_OF_ONE: Mapping[tuple[str, str], int] = {
    ("l3fib", "load-balance-pool-size"): 100,
    ("l3fib", "fib-entry-pool-size"): 112,
    ("l3fib", "ip4-mtrie-pool-size"): 2020,
    ("session", "preallocated-sessions"): 68,
    ("tcp", "preallocated-connections"): 708,
    ("logging", "size"): 36,
    ("vlib", "elog-events"): 44,
}
"""What keys ask for, and the bytes that one of these takes of the main heap; measured with VPP 26.10."""
_STATISTICS_BYTES = 32 * MIB
"""VPP's default (vlib/stats/stats.h)."""
_STATISTICS_OF_VPP, _STATISTICS_OF_NODES, _STATISTICS_OF_WORKER = 896 * KIB, 1152 * KIB, 64 * KIB
"""What VPP 26.10 with its own plugins needs, and what per-node-counters need besides: once, and for each worker."""
_TWO_RINGS = 2 * 1024
"""What two ports hold with one receive queue of DPDK's default size."""


def size_problems(conf: Conf, release: Release) -> Iterator[Problem]:
    """Yield memory that does not suffice, each with its sum."""
    facts = facts_of(conf)
    yield from _main_heap(conf, facts)
    yield from _statistics(conf, facts)
    yield from _rings(conf, facts)
    yield from _few_buffers(conf, facts, release)


def _main_heap(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    """Find a main heap that what the file allocates at the start does not fit into: VPP crashes then."""
    asked = list(_asked_of_heap(conf))
    heap = heap_entry(conf)
    given = size_bytes(heap)
    size = _HEAP_BYTES if given is None else given
    if heap is not None and size < _LEAST_HEAP:
        yield _too_little(heap, "64M")
        return
    entry = heap or (asked[0][0] if asked else None)
    own = _HEAP_OF_VPP + _HEAP_OF_WORKER * facts.workers
    need = own + sum(count * each for _, count, each in asked)
    if entry is None or not loads_by_default(conf):
        return
    if size < need:
        of_workers = f" + {numbered(facts.workers, 'worker')} x 3M" if facts.workers else ""
        of_keys = "".join(f" + {found.name} {count} x {each} bytes" for found, count, each in asked)
        text = f"VPP takes 56M{of_workers}{of_keys} = {need / MIB:.0f}M of the main heap, and it has {size_text(size)}"
        yield warning("conf-small-heap", entry, f"{text}; VPP crashes when it is full")
    elif size < _HEAP_TO_START:
        text = f"a main heap of {size_text(size)} is too little for VPP 26.10 with its plugins, which starts with 105M"
        yield warning("conf-small-heap", entry, text)


def _asked_of_heap(conf: Conf) -> Iterator[tuple[ConfEntry, int, int]]:
    """Yield the keys that allocate at the start, how many they ask for, and the bytes of one."""
    for (stanza, key), each in _HEAP_OF_ONE.items():
        entry = entry_at(conf, stanza, key)
        count = size_bytes(entry) if stanza == "l3fib" else number(entry)
        is_used = stanza not in ("session", "tcp") or entry_at(conf, "session", "enable") is not None
        if entry is not None and count and is_used:
            yield entry, count, each


def _statistics(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    entry = entry_at(conf, "statseg", "size")
    size = size_bytes(entry)
    if entry is None or size is None or size >= _STATISTICS_BYTES:
        return
    if size < _LEAST_STATISTICS:
        yield _too_little(entry, "128K")
        return
    nodes = entry_at(conf, "statseg", "per-node-counters")
    of_nodes = _STATISTICS_OF_NODES + _STATISTICS_OF_WORKER * facts.workers
    has_nodes = nodes is not None and nodes.arguments == ("on",)
    need = _STATISTICS_OF_VPP + of_nodes * has_nodes
    if size < need and loads_by_default(conf):
        of_workers = f" + {numbered(facts.workers, 'worker')} x 64K" if facts.workers else ""
        needed = f"896K + 1152K{of_workers} for per-node-counters = {need // KIB}K" if has_nodes else "896K"
        text = f"VPP crashes with statistics of {size_text(size)}: it needs {needed} before it has any port"
        yield warning("conf-small-statseg", entry, text)
        return
    text = (
        f"the statistics have {size_text(size)}, less than VPP's default of {size_text(_STATISTICS_BYTES)}; "
        "their counters grow with interfaces x threads, and VPP aborts when they no longer fit"
    )
    yield notice("conf-small-statseg", entry, text)


def _too_little(entry: ConfEntry, tried: str) -> Problem:
    text = f"{entry.name} {entry.arguments[-1]} is too little for VPP to start with; it does not with {tried}"
    return problem("conf-range", entry, text)


def _rings(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    """Find rings that take more buffers than there are; each descriptor holds one."""
    stanza = conf.stanza("dpdk") or conf.stanza("devices")
    entry = entry_at(conf, "buffers", "buffers-per-numa") or stanza
    if stanza is None or entry is None or not facts.devices:
        return
    ports, threads, have = numbered(len(facts.devices), "port"), facts.workers + 1, facts.most_buffers
    received = sum(device.rx_queues * device.rx_descriptors for device in facts.devices)
    sent = sum((device.tx_queues or threads) * device.tx_descriptors for device in facts.devices)
    cached = threads * THREAD_CACHE
    if received > have:
        text = f"the receive rings of {ports} hold {received} buffers, and a NUMA node has {have} (buffers-per-numa)"
        yield warning("conf-descriptors", entry, f"{text}; on one node they do not fit")
    elif received + sent + cached > have:
        text = (
            f"the rings of {ports} can hold {received} buffers to receive + {sent} to send, and "
            f"{numbered(threads, 'thread')} keep {cached}: {received + sent + cached} of {have} on a NUMA node "
            "(buffers-per-numa); under full load packets may be lost for want of buffers"
        )
        yield notice("conf-descriptors", entry, text)


def _few_buffers(conf: Conf, facts: ConfFacts, release: Release) -> Iterator[Problem]:
    """Find too few buffers for two ports, where the file names no ports to count the rings of."""
    entry = entry_at(conf, "buffers", "buffers-per-numa")
    if entry is None or facts.devices or facts.most_buffers > _TWO_RINGS or not is_loaded(conf, "dpdk", release):
        return
    text = (
        f"{facts.most_buffers} buffers on a NUMA node do not outlast the receive rings of two DPDK ports "
        f"({_TWO_RINGS}); VPP then receives nothing more. Its default is 16384"
    )
    yield warning("conf-few-buffers", entry, text)
