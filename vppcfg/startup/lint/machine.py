"""Checks whether a machine has what a startup.conf asks for: hugepages, memory, devices, folders, groups."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from vppcfg.common.numbers import numbered, size_text
from vppcfg.common.release import Release
from vppcfg.model.host import FOR_USERS, Host, Nic, NumaNode
from vppcfg.model.native_driver import NATIVE_DRIVERS
from vppcfg.model.problem import Problem
from vppcfg.startup.conf.plugin_review import is_loaded
from vppcfg.startup.conf.problem_text import problem
from vppcfg.startup.conf.tree import Conf, ConfEntry
from vppcfg.startup.derive.memory import buffer_bytes, pages_for
from vppcfg.startup.limits import NicLimits, is_taken_from_linux, limits_of
from vppcfg.startup.lint.consistency import ORDINARY_PAGE, buffer_page_problems
from vppcfg.startup.lint.cores import machine_core_problems
from vppcfg.startup.lint.demand import ConfFacts, DeviceFacts, entry_at, facts_of, heap_entry, size_bytes
from vppcfg.startup.lint.finding import warning

_CUT = Release(25, 2)
"""The first release that cuts a transmit ring to what the card has, with a line in its log (e7226a21274)."""
_PAGES = (("buffers", "page-size"), ("memory", "main-heap-page-size"), ("statseg", "page-size"))
_ON_PAGES = (("memory", "main-heap-size", "the main heap", 1 << 30), ("statseg", "size", "the statistics", 32 << 20))
"""Stanzas, their sizes and VPP's defaults."""
_RUN = "/run"
_GROUPS = (("unix", "gid"), ("api-segment", "gid"))
_IOMMU = ("intel_iommu=on", "amd_iommu=on", "iommu=pt", "iommu=on")


def machine_problems(conf: Conf, release: Release, host: Host, folders: Collection[str] | None) -> Iterator[Problem]:
    """Yield what a machine lacks for a file; errors are what stops VPP."""
    facts = facts_of(conf)
    yield from machine_core_problems(conf, facts, host, release)
    yield from _pages(conf, facts, host, release)
    yield from _memory(conf, facts, host, release)
    yield from _groups(conf, host)
    yield from _iommu(conf, host)
    for device in facts.devices:
        yield from _device(device, host, release)
    if folders is not None:
        yield from _folders(conf, folders)


def _pages(conf: Conf, facts: ConfFacts, host: Host, release: Release) -> Iterator[Problem]:
    """Find hugepages of a size that the machine does not have, which stop VPP, and sizes of which there are none."""
    pools = [pool for node in host.nodes for pool in node.hugepages]
    usual = None if entry_at(conf, "memory", "default-hugepage-size") else host.default_hugepage_bytes
    for stanza, key in _PAGES:
        entry = entry_at(conf, stanza, key)
        size = _page_bytes(conf, stanza, key, host)
        if entry is None or size is None or size <= ORDINARY_PAGE:
            continue
        if size not in {pool.page_bytes for pool in pools}:
            have = ", ".join(sorted({size_text(pool.page_bytes) for pool in pools})) or "none"
            text = f"this machine has no hugepages of {size_text(size)}, which stops VPP; it has {have}"
            yield problem("conf-hugepages", entry, text)
        elif stanza == "buffers" and (unfit := list(buffer_page_problems(conf, usual))):
            yield from unfit
        elif not sum(pool.total for pool in pools if pool.page_bytes == size):
            switch = f"/sys/kernel/mm/hugepages/hugepages-{size >> 10}kB/nr_hugepages"
            how = "sysctl vm.nr_hugepages" if size == host.default_hugepage_bytes else f"echo NUMBER > {switch}"
            text = f"this machine has set no hugepages of {size_text(size)} aside; `{how}` does so"
            yield warning("conf-hugepages", entry, text)
    yield from _too_few_pages(conf, facts, host, release)


def _page_bytes(conf: Conf, stanza: str, key: str, host: Host) -> int | None:
    """Return the size of the pages that a key names, None where it names none.

    VPP has its main heap already when it reads which hugepages are the default ones (vpp/vnet/main.c).
    """
    entry = entry_at(conf, stanza, key)
    if entry is None or entry.arguments != ("default-hugepage",):
        return size_bytes(entry)
    own = size_bytes(entry_at(conf, "memory", "default-hugepage-size")) if stanza != "memory" else None
    return own or host.default_hugepage_bytes


def _too_few_pages(conf: Conf, facts: ConfFacts, host: Host, release: Release) -> Iterator[Problem]:
    """Find fewer hugepages than buffers, heap and statistics need; without a page-size buffers do without them."""
    page = _page_bytes(conf, "buffers", "page-size", host)
    buffers_entry = entry_at(conf, "buffers", "page-size") or entry_at(conf, "buffers", "buffers-per-numa")
    usual = page or host.default_hugepage_bytes
    need: dict[int, list[tuple[ConfEntry | None, str, int]]] = {}
    of_nodes: dict[int, int] = {}
    if usual and usual > ORDINARY_PAGE:
        each = buffer_bytes(facts.data_size, has_dpdk=is_loaded(conf, "dpdk", release))
        of_nodes = {node: pages_for(facts.buffers_on(node), max(1, usual // each)) for node in host.node_ids}
        counts = " + ".join(map(str, dict.fromkeys(facts.buffers_on(node) for node in host.node_ids)))
        what = f"{counts} buffers of {each} bytes on {numbered(len(of_nodes), 'node')}"
        need[usual] = [(buffers_entry, what, sum(of_nodes.values()))]
    for stanza, key, what, default in _ON_PAGES:
        page_key = "main-heap-page-size" if stanza == "memory" else "page-size"
        size = _page_bytes(conf, stanza, page_key, host)
        if size and size > ORDINARY_PAGE:
            given = heap_entry(conf) if stanza == "memory" else entry_at(conf, stanza, key)
            pages = -(-(size_bytes(given) or default) // size)
            need.setdefault(size, []).append((entry_at(conf, stanza, page_key), what, pages))
    for size, parts in need.items():
        total = sum(_pages_on(node, size) for node in host.nodes)
        asked = sum(pages for *_, pages in parts)
        entry = next((entry for entry, *_ in parts if entry is not None), None)
        if not total or entry is None:
            continue
        if total < asked:
            summed = " + ".join(f"{pages} for {what}" for _, what, pages in parts)
            text = f"{summed} = {asked} hugepages of {size_text(size)}, and this machine has set {total} aside"
            falls_back = page is None and size == usual and len(parts) == 1
            more = "; VPP takes ordinary pages for the buffers, with a line in its log" if falls_back else ""
            yield warning("conf-hugepages", entry, text + more)
        elif size == usual:
            yield from _short_nodes(
                entry, of_nodes, size, host, taken="those of another node" if page else "ordinary pages"
            )


def _short_nodes(
    entry: ConfEntry, of_nodes: Mapping[int, int], page: int, host: Host, *, taken: str
) -> Iterator[Problem]:
    """Find nodes that lack hugepages for their buffers, where the machine as a whole has enough of them."""
    for node in host.nodes:
        asked, there = of_nodes.get(node.id, 0), _pages_on(node, page)
        if there < asked:
            text = f"the buffers of NUMA node {node.id} need {asked} hugepages of {size_text(page)}, and it has {there}"
            yield warning("conf-hugepages", entry, f"{text}; VPP takes {taken}, with a line in its log")


def _pages_on(node: NumaNode, page_bytes: int) -> int:
    return sum(pool.total for pool in node.hugepages if pool.page_bytes == page_bytes)


def _memory(conf: Conf, facts: ConfFacts, host: Host, release: Release) -> Iterator[Problem]:
    """Find a main heap, or buffers, that the machine has no memory for."""
    heap = heap_entry(conf)
    size = size_bytes(heap)
    if heap is not None and size is not None and host.memory_bytes and size > host.memory_bytes:
        text = f"the main heap of {size_text(size)} is more than the {host.memory_bytes >> 20}M of this machine"
        yield warning("conf-memory", heap, text)
    buffers = conf.stanza("buffers")
    each = buffer_bytes(facts.data_size, has_dpdk=is_loaded(conf, "dpdk", release))
    for node in host.nodes:
        need = facts.buffers_on(node.id) * each
        if buffers is not None and node.memory_bytes and need > node.memory_bytes:
            text = f"the buffers need {need >> 20}M on NUMA node {node.id}, which has {node.memory_bytes >> 20}M"
            yield warning("conf-memory", entry_at(conf, "buffers", "buffers-per-numa") or buffers, text)


def _groups(conf: Conf, host: Host) -> Iterator[Problem]:
    for stanza, key in _GROUPS:
        entry = entry_at(conf, stanza, key)
        name = entry.arguments[0] if entry is not None and entry.arguments else ""
        is_free = stanza != "unix" and name.isdecimal()  # VPP looks up a number in `unix` alone
        if entry is not None and name and not is_free and not host.has_group(name):
            how = f"--gid {name} NAME" if name.isdecimal() else name
            text = f"this machine has no group {name}, which stops VPP; `groupadd --system {how}` makes it"
            yield problem("conf-group", entry, text)


def _iommu(conf: Conf, host: Host) -> Iterator[Problem]:
    entry = entry_at(conf, "dpdk", "uio-driver")
    driver = entry.arguments[0] if entry is not None and entry.arguments else ""
    words = host.kernel_line.split()
    if entry is None or driver != "vfio-pci" or not words or host.architecture != "x86_64":
        return
    if not any(word in words for word in _IOMMU):
        text = "vfio-pci needs an IOMMU, and the kernel was started without intel_iommu=on or amd_iommu=on"
        yield warning("conf-iommu", entry, text)


def _device(device: DeviceFacts, host: Host, release: Release) -> Iterator[Problem]:
    nic = host.nic_by_address.get(device.address)
    if nic is None:
        have = ", ".join(host.nic_by_address) or "none"
        text = f"this machine has no network device {device.address}, and VPP goes on without it; it has {have}"
        yield warning("conf-device", device.entry, text)
        return
    if device.driver is not None:
        yield from _native_device(device, nic)
        return
    if not is_taken_from_linux(nic):
        text = f"VPP does not take {device.address} ({nic.kind}) from its Linux driver, and goes on without it; "
        yield warning("conf-device", device.entry, text + "bind it to vfio-pci before, if DPDK drives it at all")
    limits = limits_of(nic, release)
    if nic.is_admin_up and not (limits is not None and limits.is_bifurcated):
        names = ", ".join(nic.linux_names)
        text = f"Linux uses {device.address} as {names}, so VPP leaves it out; `ip link set {names} down` first"
        yield warning("conf-device", device.entry, text)
    if limits is not None:
        yield from _limits(device, limits, release)


def _native_device(device: DeviceFacts, nic: Nic) -> Iterator[Problem]:
    """Find a device that Linux holds, and queues and rings that VPP's own driver does not take (vnet/dev/api.c)."""
    if nic.driver not in FOR_USERS:
        held = f"bound to {nic.driver}" if nic.driver is not None else "bound to no driver of Linux"
        text = f"{device.address} is {held}, and VPP's own drivers take a device from vfio-pci alone; bind it first"
        yield warning("conf-device", device.entry, text)
    driver = NATIVE_DRIVERS.get(device.driver or "")
    if driver is None:
        return
    for key, count in (("num-rx-queues", device.rx_queues), ("num-tx-queues", device.tx_queues or 0)):
        if count > driver.queues:
            text = f"the driver {driver.name} can have {driver.queues} queues, and {count} leave the port out"
            yield warning("conf-device-limits", device.key(key), text)
    for key, size in (("rx-queue-size", device.rx_descriptors), ("tx-queue-size", device.tx_descriptors)):
        if not driver.takes(size):
            text = f"the driver {driver.name} takes {driver.rings_text}, and a ring of {size} leaves the port out"
            yield warning("conf-device-limits", device.key(key), text)


def _limits(device: DeviceFacts, limits: NicLimits, release: Release) -> Iterator[Problem]:
    name = f"{device.address} ({limits.driver})"
    queues = device.entry.find("num-rx-queues") or device.entry
    if limits.rx_queues is not None and device.rx_queues > limits.rx_queues:
        text = f"{name} has {limits.rx_queues} receive queues, fewer than {device.rx_queues}; VPP takes one only"
        yield warning("conf-device-limits", queues, text)
    rings = (
        ("num-rx-desc", device.rx_descriptors, limits.rx_descriptors),
        ("num-tx-desc", device.tx_descriptors, limits.tx_descriptors),
    )
    for key, size, (lowest, highest) in rings:
        if lowest <= size <= highest and size % limits.align == 0:
            continue
        is_cut = key == "num-tx-desc" and size > highest and release >= _CUT
        end = f"VPP takes {highest}, with a line in its log" if is_cut else "the device does not come up"
        steps = f" in steps of {limits.align}" if limits.align > 1 else ""
        text = f"{name} takes {key} from {lowest} to {highest}{steps}, not {size}; {end}"
        yield warning("conf-device-limits", device.entry.find(key) or device.entry, text)


def _folders(conf: Conf, folders: Collection[str]) -> Iterator[Problem]:
    for entry, is_needed in _named_files(conf):
        folder = entry.arguments[0].rpartition("/")[0] or "/"
        if folder in folders:
            continue
        if is_needed:
            text = f"there is no folder {folder} for {entry.arguments[0]}, which stops VPP; make it"
            yield problem("conf-folder", entry, text)
        else:
            lost = "nothing is logged" if entry.name == "log" else "nothing can reach VPP there"
            yield warning("conf-folder", entry, f"there is no folder {folder} for {entry.arguments[0]}; {lost}")


def _named_files(conf: Conf) -> Iterator[tuple[ConfEntry, bool]]:
    """Yield the entries that name a file by its whole path, and whether VPP stops when its folder is missing.

    VPP makes its own folder, and below /run those of all sockets but the one for punted packets.
    """
    for stanza, key, is_needed in (
        ("unix", "log", False),
        ("unix", "cli-listen", True),
        ("socksvr", "socket-name", False),
        ("statseg", "socket-name", True),
        ("punt", "socket", True),
    ):
        entry = entry_at(conf, stanza, key)
        if entry is None or not entry.arguments or not entry.arguments[0].startswith("/"):
            continue
        is_created = key != "log" and stanza != "punt" and entry.arguments[0].startswith(_RUN)
        if not is_created and entry.arguments[0].rpartition("/")[0] != _runtime_dir(conf):
            yield entry, is_needed


def _runtime_dir(conf: Conf) -> str:
    """Return the folder that VPP makes for itself."""
    entry = entry_at(conf, "unix", "runtime-dir")
    return entry.arguments[0].rstrip("/") if entry is not None and entry.arguments else "/run/vpp"


def folders_named(conf: Conf) -> frozenset[str]:
    """Return the folders that must exist."""
    return frozenset(entry.arguments[0].rpartition("/")[0] or "/" for entry, _ in _named_files(conf))
