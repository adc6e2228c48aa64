"""Reads NUMA nodes, memory and hugepages from /sys/devices/system/node, /sys/kernel/mm and /proc/meminfo."""

from __future__ import annotations

import re

from vppcfg.common.numbers import KIB
from vppcfg.host.files import Files
from vppcfg.model.host import HugepagePool, NumaNode

_NODE = "sys/devices/system/node"
_KB = re.compile(r"([0-9]+) kB")
_POOL = re.compile(r"hugepages-([0-9]+)kB")


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
