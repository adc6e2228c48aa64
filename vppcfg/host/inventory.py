"""Reads a machine into a Host: CPUs and caches, NUMA nodes and memory. Contradictions are noted in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

from vppcfg.common.numbers import KIB, bytes_of, cpus_of
from vppcfg.host.files import Files
from vppcfg.host.nic import QueueProbe, max_queues, read_nics
from vppcfg.model.host import Cache, Cpu, Host, HugepagePool, Nic, NumaNode

_CPU = "sys/devices/system/cpu"
_MODEL_FREQUENCY = re.compile(r"@ *([0-9]*\.?[0-9]+) *GHz")
_NODE = "sys/devices/system/node"
_LIMITS = ("sys/fs/cgroup/cpuset.cpus.effective", "sys/fs/cgroup/cpuset/cpuset.effective_cpus")
"""The CPUs of a control group, in either version of them."""
_KB = re.compile(r"([0-9]+) kB")
_POOL = re.compile(r"hugepages-([0-9]+)kB")


def read_host(root: str, probe: QueueProbe | None = None) -> Host:
    """Return the machine whose /proc and /sys are below `root`; `probe` asks about queues, by default `/` only.

    What cannot be read is left open and noted.
    """
    files = Files(root)
    nodes = read_nodes(files)
    node_of = {cpu: node.id for node in nodes for cpu in node.cpus}
    cpus = read_cpus(files, node_of)
    nics = read_nics(files, probe or (max_queues if os.path.realpath(root) == "/" else _ask_nobody))
    for note in _contradictions(cpus, nodes, nics):
        files.note(note)
    architecture, model = read_model(files)
    groups = _groups(files)
    return Host(
        architecture=architecture,
        model=model,
        base_hz=read_base_hz(files),
        cpus=cpus,
        caches=read_caches(files),
        has_numa=len(nodes) > 1,
        nodes=nodes if len(nodes) > 1 else (whole_machine(files),),
        memory_bytes=read_memory(files),
        default_hugepage_bytes=read_default_hugepage(files),
        nics=nics,
        groups=tuple(sorted({name for name, _number in groups})),
        group_ids=tuple(sorted({int(number) for _name, number in groups if number.isdecimal()})),
        kernel_release=files.text("proc/sys/kernel/osrelease") or "",
        kernel_line=files.text("proc/cmdline") or "",
        notes=tuple(files.notes),
    )


def _ask_nobody(interface: str) -> tuple[int, int] | None:
    return None


def _groups(files: Files) -> list[tuple[str, str]]:
    """Return the name of each Unix group, and its number."""
    lines = (files.text("etc/group") or "").splitlines()
    return [(name, (*rest, "", "")[1]) for line in lines if ":" in line for name, *rest in (line.split(":"),)]


def _contradictions(cpus: tuple[Cpu, ...], nodes: tuple[NumaNode, ...], nics: tuple[Nic, ...]) -> Iterator[str]:
    known = {node.id for node in nodes} or {0}
    for nic in nics:
        if nic.node is not None and nic.node not in known:
            yield f"the network device {nic.address} claims to be on NUMA node {nic.node}, which does not exist"
    if nodes:
        placed = {cpu for node in nodes for cpu in node.cpus}
        for cpu in cpus:
            if cpu.is_online and cpu.id not in placed:
                yield f"CPU {cpu.id} is on no NUMA node; it is taken to be on node 0"


def read_cpus(files: Files, node_of: Mapping[int, int]) -> tuple[Cpu, ...]:
    """Return every CPU that is present; `node_of` has the NUMA node of each."""
    present = files.cpus(f"{_CPU}/present")
    numbers = [int(name[3:]) for name in files.names(_CPU) if re.fullmatch(r"cpu[0-9]+", name)]
    ids = sorted(present or numbers) or _from_cpuinfo(files)
    online = files.cpus(f"{_CPU}/online") or tuple(ids)
    isolated = files.cpus(f"{_CPU}/isolated") or ()
    allowed = _allowed(files, isolated) or tuple(ids)
    if not ids:
        files.note("the machine reports nothing about its CPUs")
    return tuple(
        Cpu(
            id=cpu,
            core=_topology(files, cpu, "core_id", default=cpu),
            socket=_topology(files, cpu, "physical_package_id", default=0),
            node=node_of.get(cpu, 0),
            siblings=_siblings(files, cpu),
            is_online=cpu in online,
            is_allowed=cpu in allowed,
            is_isolated=cpu in isolated,
        )
        for cpu in ids
    )


def read_caches(files: Files) -> tuple[Cache, ...]:
    """Return the caches, each once."""
    caches: dict[Cache, None] = {}
    for cpu in files.names(_CPU):
        indexes = files.names(f"{_CPU}/{cpu}/cache") if re.fullmatch(r"cpu[0-9]+", cpu) else ()
        for index in filter(re.compile(r"index[0-9]+").fullmatch, indexes):
            cache = _cache(files, f"{_CPU}/{cpu}/cache/{index}", int(cpu[3:]))
            if cache is not None:
                caches[cache] = None
    return tuple(sorted(caches, key=lambda cache: (cache.level, cache.kind, cache.cpus)))


def read_model(files: Files) -> tuple[str, str]:
    """Return architecture and model name."""
    lines = dict(files.lines("proc/cpuinfo"))
    known = "x86_64" if "vendor_id" in lines else "aarch64" if "CPU implementer" in lines else ""
    model = lines.get("model name") or lines.get("Model") or lines.get("Hardware") or ""
    if not model and "CPU implementer" in lines:
        model = f"Arm implementer {lines['CPU implementer']} part {lines.get('CPU part', 'unknown')}"
    return files.text("proc/sys/kernel/arch") or known, model


def read_base_hz(files: Files) -> int | None:
    """Return the base frequency: what the driver reports, the name of the model, or the highest frequency."""
    directory = f"{_CPU}/cpu0/cpufreq"
    khz = files.number(f"{directory}/base_frequency")
    if khz is None and (match := _MODEL_FREQUENCY.search(read_model(files)[1])):
        khz = round(float(match[1]) * 1e6)
    if khz is None:
        khz = files.number(f"{directory}/cpuinfo_max_freq")
    return None if khz is None else khz * 1000


def _allowed(files: Files, isolated: tuple[int, ...]) -> tuple[int, ...]:
    """Return the CPUs that this process may use, as a container's limits leave them.

    The kernel keeps all programs off the CPUs that it isolates, by the affinity that they inherit (sched_init_smp); one
    that asks for such a CPU gets it, unless its control group lacks it.
    """
    text = dict(files.lines("proc/self/status")).get("Cpus_allowed_list", "")
    try:
        affinity = cpus_of(text)
    except ValueError as error:
        files.note(f"/proc/self/status: {error}")
        return ()
    if not affinity or set(affinity) & set(isolated):
        return affinity
    limits = next(filter(None, map(files.cpus, _LIMITS)), isolated)
    return (*affinity, *(cpu for cpu in isolated if cpu in limits))


def _topology(files: Files, cpu: int, name: str, *, default: int) -> int:
    """Return a number of a CPU's topology; an offline one has none, and some firmware reports -1."""
    number = files.number(f"{_CPU}/cpu{cpu}/topology/{name}")
    return default if number is None or number < 0 else number


def _siblings(files: Files, cpu: int) -> tuple[int, ...]:
    siblings = files.cpus(f"{_CPU}/cpu{cpu}/topology/thread_siblings_list") or (cpu,)
    return siblings if cpu in siblings else (cpu,)


def _cache(files: Files, directory: str, cpu: int) -> Cache | None:
    level, size = files.number(f"{directory}/level"), files.text(f"{directory}/size")
    if level is None or size is None:
        return None
    try:
        size_bytes = bytes_of(size)
    except ValueError as error:
        files.note(f"/{directory}/size: {error}")
        return None
    shared = files.cpus(f"{directory}/shared_cpu_list") or (cpu,)
    return Cache(level=level, kind=files.text(f"{directory}/type") or "Unified", size_bytes=size_bytes, cpus=shared)


def _from_cpuinfo(files: Files) -> list[int]:
    return [int(value) for key, value in files.lines("proc/cpuinfo") if key == "processor" and value.isdigit()]


def read_nodes(files: Files) -> tuple[NumaNode, ...]:
    """Return the NUMA nodes, none when the kernel knows of none."""
    names = (name for name in files.names(_NODE) if re.fullmatch(r"node[0-9]+", name))
    return tuple(_node(files, int(name[4:])) for name in names)


def whole_machine(files: Files) -> NumaNode:
    """Return the one node of a machine without NUMA."""
    cpus = files.cpus("sys/devices/system/cpu/present") or ()
    return NumaNode(
        id=0, cpus=cpus, memory_bytes=read_memory(files), hugepages=_pools(files, "sys/kernel/mm/hugepages")
    )


def read_memory(files: Files) -> int:
    """Return the size of the memory in bytes, 0 when it is not known."""
    return _kb(dict(files.lines("proc/meminfo")).get("MemTotal", ""))


def read_default_hugepage(files: Files) -> int | None:
    """Return the kernel's default hugepage size in bytes, None when it has no hugepages."""
    return _kb(dict(files.lines("proc/meminfo")).get("Hugepagesize", "")) or None


def _node(files: Files, number: int) -> NumaNode:
    directory = f"{_NODE}/node{number}"
    total = ""
    for key, value in files.lines(f"{directory}/meminfo"):
        if key.endswith("MemTotal"):
            total = value
    return NumaNode(
        id=number,
        cpus=files.cpus(f"{directory}/cpulist") or (),
        memory_bytes=_kb(total),
        hugepages=_pools(files, f"{directory}/hugepages"),
    )


def _pools(files: Files, directory: str) -> tuple[HugepagePool, ...]:
    pools = []
    for name in files.names(directory):
        if match := _POOL.fullmatch(name):
            total = files.number(f"{directory}/{name}/nr_hugepages") or 0
            free = files.number(f"{directory}/{name}/free_hugepages") or 0
            pools.append(HugepagePool(page_bytes=int(match[1]) * KIB, total=total, free=free))
    return tuple(sorted(pools, key=lambda pool: pool.page_bytes))


def _kb(text: str) -> int:
    match = _KB.fullmatch(text)
    return int(match[1]) * KIB if match else 0
