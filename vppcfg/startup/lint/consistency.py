"""Checks the values of a startup.conf against each other, whatever machine it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vppcfg.common.numbers import numbered, size_text
from vppcfg.common.release import Release
from vppcfg.model.problem import Problem
from vppcfg.startup.conf.problem_text import problem
from vppcfg.startup.conf.tree import Conf, ConfEntry
from vppcfg.startup.lint.cores import core_problems
from vppcfg.startup.lint.demand import (
    MAIN_ONLY,
    MOST_DESCRIPTORS,
    PER_THREAD,
    ConfFacts,
    DeviceFacts,
    assignment_of,
    entry_at,
    facts_of,
    number,
    size_bytes,
    workers_entry,
)
from vppcfg.startup.lint.dpdk import dpdk_problems
from vppcfg.startup.lint.finding import notice, warning
from vppcfg.startup.lint.sizes import size_problems

_RUNTIME_DIR = "/run/vpp"
_ETHERNET_BYTES = 18 + 4
"""Header, checksum and one VLAN tag."""
_NETNS_LENGTH = 31
_DEFAULT_MTU = range(64, 9001)
_DESCRIPTORS = ("num-rx-desc", "num-tx-desc", "rx-queue-size", "tx-queue-size")
_MOST_QUEUES = {(PER_THREAD, "num-rx-queues"): 0, (PER_THREAD, "num-tx-queues"): 0, (MAIN_ONLY, "num-rx-queues"): 1}
"""What VPP takes where who polls the queues of a port settles their number (vnet/dev/api.c); 0 is its own choice."""
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
        yield from _settled_queues(device)
    yield from _transmit_queues(conf, facts)
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
    queues = sum(device.rx_queues - device.main_queues for device in facts.devices)
    entry = workers_entry(conf)
    if entry is not None and facts.devices and facts.workers > queues:
        idle, of_main = facts.workers - queues, any(device.main_queues for device in facts.devices)
        text = (
            f"{numbered(facts.workers, 'worker')}, and {numbered(len(facts.devices), 'port')} with "
            f"{numbered(queues, 'receive queue')} {'for them' if of_main else 'in all'}: "
            f"{numbered(idle, 'worker')} never receive{'s' if idle == 1 else ''}"
        )
        yield warning("conf-idle-workers", entry, text)
    for device in facts.devices:
        if device.rx_queues - device.main_queues > max(facts.workers, 1):
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


def _settled_queues(device: DeviceFacts) -> Iterator[Problem]:
    """Find numbers of queues that contradict who polls them, with which VPP's own drivers make no port."""
    port = device.entry.find("port")
    if port is None:
        return
    for (assignment, key), most in _MOST_QUEUES.items():
        entry = port.find(key)
        if entry is not None and assignment_of(port) == assignment and (number(entry) or 0) > most:
            text = f"{assignment} settles {key}, and VPP starts without this device and those after it; leave {key} out"
            yield problem("conf-placement", entry, text)


def _transmit_queues(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    """Find transmit queues that threads share, once where `dev default` sets their number."""
    are_all_own = bool(facts.devices)
    for device in facts.devices:
        own = device.entry.find("num-tx-queues")
        are_all_own &= own is not None
        if own is not None:
            yield from _shared_tx_queues(device.address, device.tx_queues, own, facts)
    default = entry_at(conf, "dpdk", "dev default")
    entry = default.find("num-tx-queues") if default is not None else None
    if entry is not None and not are_all_own:
        yield from _shared_tx_queues("each port", number(entry), entry, facts)


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
    kept = entry_at(conf, "logging", "size")
    if kept is not None and number(kept) == 0:
        yield problem("conf-range", kept, "VPP keeps at least one message and crashes at a size of 0")
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
