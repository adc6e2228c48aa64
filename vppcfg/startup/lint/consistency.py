"""Checks the values of a startup.conf against each other, whatever machine it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from vppcfg.common.numbers import KIB, MIB, canonical_pci, numbered, size_text
from vppcfg.common.release import Release
from vppcfg.model.problem import Problem
from vppcfg.startup.conf.plugin_review import is_loaded, loads_by_default
from vppcfg.startup.conf.problem_text import problem
from vppcfg.startup.conf.tree import Conf, ConfEntry
from vppcfg.startup.derive.memory import THREAD_CACHE
from vppcfg.startup.lint.cores import core_problems
from vppcfg.startup.lint.demand import (
    MOST_DESCRIPTORS,
    ConfFacts,
    DeviceFacts,
    entry_at,
    facts_of,
    ids,
    number,
    size_bytes,
    workers_entry,
)
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
    heap = entry_at(conf, "memory", "main-heap-size")
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


_OUTER, _BEFORE_OUTER = "enable-outer-checksum-offload", "enable-tcp-udp-checksum"
_HASHED = frozenset(
    (
        *("ipv4", "ipv4-frag", "ipv4-tcp", "ipv4-udp", "ipv4-sctp", "ipv4-other"),
        *("ipv6", "ipv6-frag", "ipv6-tcp", "ipv6-udp", "ipv6-sctp", "ipv6-other"),
        *("ipv6-tcp-ex", "ipv6-udp-ex", "ipv6-ex", "l2-payload", "port", "vxlan", "geneve", "nvgre", "gtpu", "esp"),
        *("l2tpv3", "l4-dst-only", "l4-src-only", "l3-dst-only", "l3-src-only"),
    )
)
"""foreach_dpdk_rss_hf (plugins/dpdk/device/dpdk.h)."""
_NOT_HANDED_ON = ("name", "tag", "workers")


def dpdk_problems(conf: Conf) -> Iterator[Problem]:
    """Yield what stops VPP in the stanza dpdk, or does nothing there."""
    dpdk = conf.stanza("dpdk")
    children = (dpdk.children if dpdk is not None else None) or ()
    has_named = any(child.name == "dev" for child in children)
    for before, entry in pairwise((ConfEntry(name=""), *children)):
        if entry.name == _OUTER and before.name != _BEFORE_OUTER:
            text = f"VPP stops at `{_OUTER}` unless it is right after `{_BEFORE_OUTER}`"
            yield problem("conf-value", entry, text)
        elif entry.name == "no-vmbus":
            text = "VPP hands `--no-vmbus` on to DPDK, which does not know it and stops; remove it"
            yield problem("conf-value", entry, text)
        elif entry.name == "blacklist" and has_named and canonical_pci((*entry.arguments, "")[0]) is not None:
            text = (
                f"VPP stops at {entry.arguments[0]} in `blacklist` beside `dev`: DPDK takes one or the other; remove it"
            )
            yield problem("conf-value", entry, text)
        elif entry.name in {"dev", "dev default"}:
            yield from _rss_problems(entry)
    default = dpdk.find("dev default") if dpdk is not None else None
    if default is not None:
        yield from _default_problems(default, is_alone=not has_named)


def _rss_problems(device: ConfEntry) -> Iterator[Problem]:
    rss = device.find("rss")
    words = re.sub(r"[{}]", " ", (rss.verbatim or "") if rss is not None else "").split()
    unknown = next((word for word in words if word not in _HASHED), None)
    if rss is not None and unknown is not None:
        text = f"VPP stops at `{unknown}` in rss; it knows {', '.join(sorted(_HASHED))}"
        yield problem("conf-value", rss, text)


def _default_problems(default: ConfEntry, *, is_alone: bool) -> Iterator[Problem]:
    """Find workers that are not as many as the queues, and keys that the devices listed beside do not get."""
    entry, queues = default.find("workers"), number(default.find("num-rx-queues"))
    if entry is not None and queues and (given := ids(entry)) is not None and len(given) != queues:
        text = f"`dev default` has {queues} receive queues and {len(given)} in the list `workers`, which stops VPP"
        yield problem("conf-placement", entry, text)
    for key in () if is_alone else _NOT_HANDED_ON:
        if (found := default.find(key)) is not None:
            text = f"`{key}` in `dev default` does not reach the devices that the file lists; write it there"
            yield notice("conf-ignored", found, text)


_RUNTIME_DIR = "/run/vpp"
_ETHERNET_BYTES = 18 + 4
"""Header, checksum and one VLAN tag."""
_NETNS_LENGTH = 31
_DEFAULT_MTU = range(64, 9001)
_DESCRIPTORS = ("num-rx-desc", "num-tx-desc", "rx-queue-size", "tx-queue-size")
_HEADROOM_BYTES = 320
"""Of a buffer before its data (vlib/buffer.h)."""
ORDINARY_PAGE = 4096
_LOSES_PLUGIN_PATH = Release(26, 2)
"""1639bff5421; tried on 26.10."""
_LISTENING = re.compile(r"/.+|(?:[\w.-]*:)?[0-9]+")
"""What a socket for vppctl can be: a path, a port, or a host and a port."""


def consistency_problems(conf: Conf, release: Release) -> Iterator[Problem]:
    """Yield values that contradict each other or are out of range; an error is what stops VPP."""
    facts = facts_of(conf)
    yield from core_problems(conf, facts)
    yield from _worker_balance(conf, facts)
    for device in facts.devices:
        yield from _placement(device, facts)
        yield from _shared_tx_queues(device.address, device.tx_queues, device.key("num-tx-queues"), facts)
    default = entry_at(conf, "dpdk", "dev default")
    if default is not None and not facts.devices:
        entry = default.find("num-tx-queues")
        yield from _shared_tx_queues("each port", number(entry), entry or default, facts)
    yield from dpdk_problems(conf)
    yield from _lost_plugin_path(conf, release)
    yield from _overflows(conf)
    yield from size_problems(conf, release)
    yield from _jumbo_frames(conf, facts)
    yield from _sleeping_main_thread(conf, facts)
    yield from _values_out_of_range(conf)
    yield from _buffers_larger_than_pages(conf, facts)
    yield from buffer_page_problems(conf, size_bytes(entry_at(conf, "memory", "default-hugepage-size")))


def _worker_balance(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    """Find workers that never receive, and devices with more queues than there are workers."""
    queues = sum(device.rx_queues for device in facts.devices)
    entry = workers_entry(conf)
    if entry is not None and facts.devices and facts.workers > queues:
        idle = facts.workers - queues
        text = (
            f"{numbered(facts.workers, 'worker')}, and {numbered(len(facts.devices), 'port')} with "
            f"{numbered(queues, 'receive queue')} in all: {numbered(idle, 'worker')} never receive"
            f"{'s' if idle == 1 else ''}"
        )
        yield warning("conf-idle-workers", entry, text)
    for device in facts.devices:
        if device.rx_queues > max(facts.workers, 1):
            text = (
                f"{device.address} has {device.rx_queues} receive queues, and "
                f"{numbered(facts.workers, 'worker') if facts.workers else 'the main thread alone'} to serve them; "
                "more queues than that gain nothing"
            )
            yield warning("conf-many-queues", device.key("num-rx-queues"), text)
    yield from _queues_by_default(conf, facts)
    if entry is not None and 0 < facts.workers < queues and queues % facts.workers:
        most, fewest = -(-queues // facts.workers), queues // facts.workers
        text = (
            f"{numbered(queues, 'receive queue')} on {numbered(facts.workers, 'worker')}: some poll {most}, others "
            f"{fewest}; a multiple of the workers spreads the load evenly"
        )
        yield notice("conf-uneven-queues", entry, text)


def _queues_by_default(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    """Find more receive queues than workers in `dev default` where no device is listed that has them."""
    dpdk = conf.stanza("dpdk")
    default = dpdk.find("dev default") if dpdk is not None else None
    entry = default.find("num-rx-queues") if default is not None else None
    queues = number(entry)
    if entry is not None and queues is not None and not facts.devices and queues > max(facts.workers, 1):
        there = numbered(facts.workers, "worker") if facts.workers else "the main thread alone"
        text = f"a device has {queues} receive queues, and {there} to serve them; more queues than that gain nothing"
        yield warning("conf-many-queues", entry, text)


def _placement(device: DeviceFacts, facts: ConfFacts) -> Iterator[Problem]:
    """Find queues that are given to workers that do not exist, or to another number of them (dpdk/device/init.c)."""
    entry = device.entry.find("workers")
    if entry is None or device.workers is None:
        return
    if len(device.workers) != device.rx_queues:
        text = (
            f"{device.address} has {numbered(device.rx_queues, 'receive queue')} and is given to "
            f"{numbered(len(device.workers), 'worker')}; VPP stops unless there are as many"
        )
        yield problem("conf-placement", entry, text)
    missing = [worker for worker in device.workers if worker >= facts.workers]
    if missing:
        there = f"there are {numbered(facts.workers, 'worker')}, counted from 0" if facts.workers else "there are none"
        text = f"{device.address} is given to worker {missing[0]}, and {there}; VPP gives the queue to another thread"
        yield warning("conf-placement", entry, text)


def _shared_tx_queues(port: str, queues: int | None, entry: ConfEntry, facts: ConfFacts) -> Iterator[Problem]:
    threads = facts.workers + 1
    if facts.workers and queues and queues < threads:
        text = (
            f"{port} has {numbered(queues, 'transmit queue')} for {threads} threads; those that share one wait for "
            "each other"
        )
        finding = notice if queues == facts.workers else warning
        yield finding("conf-tx-shared", entry, text)


def _lost_plugin_path(conf: Conf, release: Release) -> Iterator[Problem]:
    """Find the path that VPP reads into a heap which it gives back before it loads plugins (vpp/vnet/main.c)."""
    entry = conf.stanza("plugin_path")
    if entry is not None and release >= _LOSES_PLUGIN_PATH:
        text = f"VPP {release} crashes at plugin_path; write `plugins {{ path {' '.join(entry.arguments)} }}`"
        yield problem("conf-value", entry, text)


def _overflows(conf: Conf) -> Iterator[Problem]:
    """Find descriptors of which VPP keeps the lower 16 bits (plugins/dpdk/device/dpdk.h, vnet/dev/api.h)."""
    children = [child for name in ("dpdk", "devices") if (found := conf.stanza(name)) for child in found.children or ()]
    places = [place for child in children for place in (child, child.find("port")) if place is not None]
    for entry in (place.find(key) for place in places for key in _DESCRIPTORS):
        asked = number(entry)
        if entry is not None and asked is not None and asked > MOST_DESCRIPTORS:
            kept = asked & MOST_DESCRIPTORS
            taken = (
                f"VPP takes {kept} for {asked}" if kept else f"VPP takes 0 for {asked}, which is the driver's default"
            )
            yield warning("conf-overflow", entry, f"{taken}; a ring has {MOST_DESCRIPTORS} descriptors at most")


def _jumbo_frames(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    entry = entry_at(conf, "dpdk", "no-multi-seg")
    mtu_entry = entry_at(conf, "ethernet", "default-mtu")
    mtu = number(mtu_entry)
    if entry is None:
        return
    if mtu is not None and mtu + _ETHERNET_BYTES > facts.data_size:
        text = (
            f"with no-multi-seg a packet must fit into one buffer of {facts.data_size} bytes, and the default MTU is "
            f"{mtu}; write `buffers {{ default data-size {_rounded(mtu + _ETHERNET_BYTES)} }}`, or leave no-multi-seg "
            "out"
        )
        yield warning("conf-jumbo", entry, text)
    elif mtu is None and facts.data_size < 9000:
        text = f"with no-multi-seg, packets of more than {facts.data_size} bytes (a buffer's data-size) are lost"
        yield notice("conf-jumbo", entry, text)


def _rounded(size: int) -> int:
    return -(-size // 64) * 64


def _sleeping_main_thread(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    entry = entry_at(conf, "unix", "poll-sleep-usec")
    if entry is not None and facts.poll_sleep_us and not facts.workers:
        text = (
            f"without workers the main thread forwards, and by poll-sleep-usec it sleeps {facts.poll_sleep_us} µs "
            "after each poll: packets wait, and under load they are lost"
        )
        yield warning("conf-poll-sleep", entry, text)


def _values_out_of_range(conf: Conf) -> Iterator[Problem]:
    """Find values that VPP reads, and stops at for what they are."""
    pidfile, runtime = entry_at(conf, "unix", "pidfile"), entry_at(conf, "unix", "runtime-dir")
    folder = runtime.arguments[0] if runtime is not None else _RUNTIME_DIR
    path = pidfile.arguments[0] if pidfile is not None and pidfile.arguments else ""
    if pidfile is not None and path.startswith("/") and not path.startswith(folder):
        text = f"the pidfile {path} is not below the runtime-dir {folder}, which stops VPP"
        yield problem("conf-range", pidfile, text)
    netns = entry_at(conf, "linux-cp", "default netns")
    if netns is not None and netns.arguments and len(netns.arguments[0]) > _NETNS_LENGTH:
        text = (
            f"the name of the namespace {netns.arguments[0]} is longer than {_NETNS_LENGTH} characters, which stops VPP"
        )
        yield problem("conf-range", netns, text)
    mtu = entry_at(conf, "ethernet", "default-mtu")
    if mtu is not None and number(mtu) is not None and number(mtu) not in _DEFAULT_MTU:
        yield problem(
            "conf-range", mtu, f"VPP stops unless default-mtu is from {_DEFAULT_MTU[0]} to {_DEFAULT_MTU[-1]}"
        )
    buckets = entry_at(conf, "l2fib", "num-buckets")
    count = number(buckets)
    if buckets is not None and count is not None and count & (count - 1):
        yield problem("conf-range", buckets, f"VPP stops unless num-buckets is a power of two, which {count} is not")
    yield from _sockets(conf)


def _buffers_larger_than_pages(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    page, entry = size_bytes(entry_at(conf, "buffers", "page-size")), entry_at(conf, "buffers", "default data-size")
    if entry is not None and page is not None and facts.data_size + _HEADROOM_BYTES > page:
        text = f"a buffer of {facts.data_size} bytes does not fit into a page of {page}, which stops VPP"
        yield problem("conf-range", entry, text)


def buffer_page_problems(conf: Conf, default_hugepage: int | None) -> Iterator[Problem]:
    """Find pages for buffers that are neither ordinary nor the default hugepages (clib_pmalloc_create_shared_arena)."""
    entry = entry_at(conf, "buffers", "page-size")
    page = size_bytes(entry)
    if entry is not None and page and default_hugepage and page not in {ORDINARY_PAGE, default_hugepage}:
        usual, asked = size_text(default_hugepage), size_text(page)
        text = f"VPP stops at buffers on pages of {asked}, for its default hugepages have {usual}: write"
        text += f" `page-size default-hugepage`, or `default-hugepage-size {asked}` in `memory`"
        yield problem("conf-hugepages", entry, text)


def _sockets(conf: Conf) -> Iterator[Problem]:
    """Find sockets whose place is no place: VPP looks for a host of that name (vppinfra/socket.c)."""
    for stanza, key in (("unix", "cli-listen"), ("statseg", "socket-name"), ("punt", "socket")):
        entry = entry_at(conf, stanza, key)
        place = entry.arguments[0] if entry is not None and entry.arguments else "/run"
        may_be_port = stanza == "unix"
        if entry is not None and not (place.startswith("/") or (may_be_port and _LISTENING.fullmatch(place))):
            text = f"{place} is no whole path, and VPP stops at it; write one that begins with a slash"
            yield problem("conf-range", entry, text)
