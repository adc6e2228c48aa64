"""Whether settings, machine and file go together. A check takes a Case and yields problems; it never raises.

A new check is a function in the module of its subject, an entry here and one in schema/rules.yaml.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vppcfg.common.numbers import MIB, cpu_text, size_text
from vppcfg.config.plugins import NEEDS, needed_plugins
from vppcfg.model.host import Host
from vppcfg.model.native_driver import NATIVE_DRIVERS
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.startup.checks import devices
from vppcfg.startup.checks.case import Case, at
from vppcfg.startup.derive.memory import buffer_bytes

_OTHER_MEMORY_BYTES = 512 * MIB
"""What Linux and everything else needs at least."""


def buffers(case: Case) -> Iterator[Problem]:
    """Find fewer buffers than the rings hold for ever, or than a burst takes."""
    number = case.section.buffers.per_numa
    if number is None:
        return
    need = case.settings.memory.need
    path = at("buffers", "per-numa")
    if number < need["buffers-floor"]:
        text = f"{number} buffers are fewer than the {need['buffers-floor']} that rings and threads hold"
        yield Problem(rule="buffers-few", path=path, text=f"{text}; {need['buffers']} leave room for bursts")
    elif number < need["buffers"]:
        text = f"{number} buffers leave less room than wise; {need['buffers']} are a quarter more than rings hold"
        yield Problem(rule="buffers-margin", path=path, text=text, severity=Severity.WARNING)


def buffer_size(case: Case) -> Iterator[Problem]:
    """Find buffers that do not fit into a page (vlib/buffer.c)."""
    memory = case.settings.memory
    size = buffer_bytes(memory.data_size, has_dpdk=any(device.driver is None for device in case.settings.devices))
    if size > memory.hugepage_bytes:
        text = f"a buffer of {size} bytes is larger than a page of {size_text(memory.hugepage_bytes)}"
        yield Problem(rule="buffer-size", path=at("buffers", "data-size"), text=text)


def main_heap(case: Case) -> Iterator[Problem]:
    """Find a heap that does not hold the routes, and the sessions of NAT."""
    need, size = case.settings.memory.need["main-heap"], case.settings.memory.main_heap_bytes
    if size < need and case.section.memory.main_heap_bytes is not None:
        has_nat = case.configuration.nat44 is not None or case.configuration.det44 is not None
        routes = f"{case.section.memory.routes} routes{' and the sessions of NAT' if has_nat else ''}"
        text = f"a main heap of {size_text(size)} does not hold {routes}, which need about {-(-need // MIB)}M"
        yield Problem(rule="main-heap-small", path=at("memory", "main-heap"), text=text)


def statseg(case: Case) -> Iterator[Problem]:
    """Find a statistics segment that would run full, at which VPP aborts (vlib/stats)."""
    need, size = case.settings.memory.need["statseg"], case.settings.memory.statseg_bytes
    if size < need:
        text = (
            f"a statistics segment of {size_text(size)} runs full with {case.section.memory.routes} routes and "
            f"{case.settings.placement.threads} threads, which need about {-(-need // MIB)}M; VPP aborts then"
        )
        yield Problem(rule="statseg-small", path=at("statseg"), text=text)


def hugepages(case: Case) -> Iterator[Problem]:
    """Find fewer hugepages than are needed, and a size that the kernel does not have."""
    memory, host = case.settings.memory, case.host
    sizes = {pool.page_bytes for node in host.nodes for pool in node.hugepages}
    if memory.hugepage_bytes not in sizes:
        have = ", ".join(size_text(size) for size in sorted(sizes)) or "none"
        text = f"this kernel has no hugepages of {size_text(memory.hugepage_bytes)}; it has {have}"
        yield Problem(rule="hugepage-size", path=at("memory", "hugepage-size"), text=text)
    required = case.section.kernel.hugepages
    if required is not None and required < memory.need["hugepages"]:
        size = size_text(memory.hugepage_bytes)
        text = f"{required} hugepages of {size} are fewer than the {memory.need['hugepages']} that VPP needs"
        yield Problem(rule="hugepages-few", path=at("kernel", "hugepages"), text=text)


def memory_fits(case: Case) -> Iterator[Problem]:
    """Find nodes whose memory does not hold what stands there."""
    memory, host = case.settings.memory, case.host
    main = host.cpu_by_id.get(case.settings.placement.main_core)
    home = main.node if main is not None and main.node in memory.hugepages else next(iter(memory.hugepages))
    for node in host.nodes:
        pages = memory.hugepages.get(node.id, 0)
        need = pages * memory.hugepage_bytes
        if node.id == home:
            need += 0 if memory.is_heap_huge else memory.main_heap_bytes
            need += 0 if memory.is_statseg_huge else memory.statseg_bytes
            need += _OTHER_MEMORY_BYTES
        if node.memory_bytes and need > node.memory_bytes:
            text = (
                f"hugepages, heap, statistics and 512M for Linux are {-(-need // MIB)}M on NUMA node {node.id}, "
                f"which has {node.memory_bytes // MIB}M"
            )
            yield Problem(rule="memory-short", path=at("memory"), text=text)


def group_exists(case: Case) -> Iterator[Problem]:
    """Find a group that the machine does not have: VPP does not start then (vlib/unix/main.c)."""
    if not case.host.has_group(case.settings.gid):
        text = (
            f"this machine has no group {case.settings.gid}, without which VPP does not start; "
            f"`groupadd --system {case.settings.gid}`, or name another one"
        )
        yield Problem(rule="group-missing", path=at("unix", "gid"), text=text)


def plugins_of_release(case: Case) -> Iterator[Problem]:
    """Find plugins that the file needs in this release and does not list, and those that came later."""
    release, plugins = case.settings.release, case.settings.plugins
    for need, _ in needed_plugins(case.configuration, release):
        if need.is_required and need.plugin not in plugins:
            text = f"VPP {release} needs the plugin {need.plugin} because {need.reason}; add it to the list"
            yield Problem(rule="plugin-missing", path=at("plugins"), text=text)
    found = [device.address for device in case.settings.devices if device.driver is None]
    if found and "dpdk" not in plugins:
        text = f"the list lacks dpdk, and VPP has no {', '.join(found)} then; add it, or set the ports' `device-type`"
        yield Problem(rule="plugin-missing", path=at("plugins"), text=text, severity=Severity.WARNING)
    for need in NEEDS:
        place = next(need.users(case.configuration), None)
        if need.is_new and release < need.since and place is not None:
            text = f"VPP {release} has no plugin {need.plugin}, which came with {need.since}"
            yield Problem(rule="plugin-release", path=place, text=text)


def drivers_of_release(case: Case) -> Iterator[Problem]:
    """Find devices whose driver came later: VPP would log that nothing drives them (vnet/dev/api.c)."""
    for device in case.settings.devices:
        driver = NATIVE_DRIVERS.get(device.driver or "")
        absence = driver.absence(case.settings.release) if driver is not None else ""
        if absence:
            yield Problem(rule="driver-release", path=(*device.path, "driver"), text=absence)


def inside_container(case: Case) -> Iterator[Problem]:
    """Find out that this is a container, whose kernel is set up elsewhere."""
    online = {cpu.id for cpu in case.host.cpus if cpu.is_online}
    allowed = {cpu.id for cpu in case.host.usable_cpus}
    if allowed < online:
        text = (
            f"{len(allowed)} of {len(online)} CPUs may be used here, as in a container: kernel command line and sysctl "
            "are those of the machine outside, and so is the isolation of CPUs"
        )
        yield Problem(rule="host-container", path=at("cpu"), text=text, severity=Severity.WARNING)


_MAIN = at("cpu", "main-core")
_WORKERS = at("cpu", "workers")
_ISOLATE = at("cpu", "isolate")


def cpus_available(case: Case) -> Iterator[Problem]:
    """Find CPUs that the machine does not have, or does not give to processes (vlib/threads.c)."""
    placement = case.settings.placement
    named: list[tuple[int, str, KeyPath]] = [(placement.main_core, "the main core", _MAIN)]
    named += [(cpu, "a worker", _WORKERS) for cpu in placement.workers]
    named += [(cpu, "isolated", _ISOLATE) for cpu in placement.isolated if cpu not in placement.workers]
    for cpu, use, path in named:
        reason = _unavailable(cpu, case.host)
        if reason:
            have = cpu_text(usable.id for usable in case.host.usable_cpus)
            text = f"CPU {cpu} is to be {use}, but {reason}; usable are {have}"
            yield Problem(rule="cpu-unavailable", path=path, text=text)


def _unavailable(cpu: int, host: Host) -> str:
    found = host.cpu_by_id.get(cpu)
    if found is None:
        return "this machine has no such CPU"
    if not found.is_online:
        return "it is offline"
    return "" if found.is_allowed else "processes must not run there"


def cpu_zero(case: Case) -> Iterator[Problem]:
    """Find threads of VPP on the CPU that Linux boots on and leaves its own work to."""
    placement = case.settings.placement
    if placement.main_core == 0:
        text = "the main thread shares CPU 0 with Linux; commands and API may have to wait for it, packets do not"
        if not placement.workers:
            text = "the main thread forwards packets and shares CPU 0 with Linux, which will lose some"
        yield Problem(rule="cpu-zero", path=_MAIN, text=text, severity=Severity.WARNING)
    if 0 in placement.workers:
        text = "a worker shares CPU 0 with Linux and its interrupts, and will lose packets"
        yield Problem(rule="cpu-zero", path=_WORKERS, text=text, severity=Severity.WARNING)


def cpu_siblings(case: Case) -> Iterator[Problem]:
    """Find two threads of VPP on one physical core, unless that is wanted."""
    placement, by_id = case.settings.placement, case.host.cpu_by_id
    if case.section.cpu.uses_siblings:
        return
    for index, cpu in enumerate(placement.workers):
        siblings = set(by_id[cpu].siblings) - {cpu} if cpu in by_id else set()
        if placement.main_core in siblings:
            text = f"worker CPU {cpu} and main core {placement.main_core} are threads of one core; take another"
            yield Problem(rule="cpu-siblings", path=_WORKERS, text=text)
        for other in sorted(siblings.intersection(placement.workers[:index])):
            text = f"workers {other} and {cpu} are threads of one core; take others, or write `smt: use`"
            yield Problem(rule="cpu-siblings", path=_WORKERS, text=text)


def workers_fit(case: Case) -> Iterator[Problem]:
    """Find a number of workers that the machine has no CPUs for (vlib/threads.c)."""
    placement = case.settings.placement
    missing = placement.wanted_workers - len(placement.workers)
    if missing > 0:
        text = (
            f"{placement.wanted_workers} workers need as many cores besides that of CPU 0 and the main core, "
            f"and this machine has {len(placement.workers)}"
        )
        hint = "" if case.section.cpu.uses_siblings or not _has_siblings(case.host) else "; `smt: use` doubles them"
        yield Problem(rule="cpu-too-few", path=_WORKERS, text=text + hint)


def _has_siblings(host: Host) -> bool:
    return any(len(core) > 1 for core in host.cores)


def workers_near_devices(case: Case) -> Iterator[Problem]:
    """Find devices none of whose NUMA node's CPUs is a worker."""
    workers = [case.host.cpu_by_id[cpu] for cpu in case.settings.placement.workers if cpu in case.host.cpu_by_id]
    nodes = {cpu.node for cpu in workers}
    for device in case.settings.devices:
        if device.nic is None or not nodes or case.host.node_of(device.nic) in nodes:
            continue
        text = (
            f"{device.address} is on NUMA node {case.host.node_of(device.nic)} and all workers are on node "
            f"{cpu_text(nodes)}; every packet crosses between them"
        )
        yield Problem(rule="cpu-remote", path=device.path, text=text, severity=Severity.WARNING)


def isolation(case: Case) -> Iterator[Problem]:
    """Find isolated CPUs that must not be, and workers that are not isolated though CPUs are listed."""
    placement = case.settings.placement
    if 0 in placement.isolated:
        text = "CPU 0 cannot be isolated: it boots the kernel, which keeps its clock there (nohz_full); take it out"
        yield Problem(rule="isolate-boot-cpu", path=_ISOLATE, text=text)
    if not placement.housekeeping:
        text = "all CPUs are isolated and none is left for Linux"
        yield Problem(rule="isolate-boot-cpu", path=_ISOLATE, text=text)
    left_out = sorted(set(placement.workers) - set(placement.isolated))
    if left_out and isinstance(case.section.cpu.isolate, tuple):
        text = f"not all workers are isolated; Linux will run other tasks on CPU {cpu_text(left_out)}"
        yield Problem(rule="isolate-workers", path=_ISOLATE, text=text, severity=Severity.WARNING)


def main_thread_sleeps(case: Case) -> Iterator[Problem]:
    """Find a sleeping main thread on a machine that has no CPU for workers; check sees it when the file sets it."""
    if case.settings.poll_sleep_us and not case.settings.placement.workers and case.section.cpu.workers != 0:
        text = "this machine has no CPU for workers, so that the main thread forwards and must not sleep"
        yield Problem(rule="poll-sleep-workers", path=at("unix", "poll-sleep-usec"), text=text)


Check = Callable[[Case], Iterator[Problem]]

CHECKS: tuple[Check, ...] = (
    cpus_available,
    cpu_zero,
    cpu_siblings,
    workers_fit,
    workers_near_devices,
    isolation,
    main_thread_sleeps,
    devices.devices_exist,
    devices.devices_free,
    devices.devices_placed,
    devices.slots,
    devices.rx_queues,
    devices.queue_workers,
    devices.idle_workers,
    devices.shared_tx_queues,
    devices.descriptors,
    buffers,
    buffer_size,
    main_heap,
    statseg,
    hugepages,
    memory_fits,
    group_exists,
    plugins_of_release,
    drivers_of_release,
    inside_container,
)


def check(case: Case) -> list[Problem]:
    """Return what all checks find, without line and column."""
    return [problem for one in CHECKS for problem in one(case)]
