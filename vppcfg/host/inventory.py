"""Reads a whole machine into a Host, and notes where its parts contradict each other."""

from __future__ import annotations

import os
from collections.abc import Iterator

from vppcfg.host.cpu import read_base_hz, read_caches, read_cpus, read_model
from vppcfg.host.files import Files
from vppcfg.host.memory import read_default_hugepage, read_memory, read_nodes, whole_machine
from vppcfg.host.nic import QueueProbe, max_queues, read_nics
from vppcfg.model.host import Cpu, Host, Nic, NumaNode


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
        groups=_groups(files),
        kernel_release=files.text("proc/sys/kernel/osrelease") or "",
        kernel_line=files.text("proc/cmdline") or "",
        notes=tuple(files.notes),
    )


def _ask_nobody(interface: str) -> tuple[int, int] | None:
    return None


def _groups(files: Files) -> tuple[str, ...]:
    lines = (files.text("etc/group") or "").splitlines()
    return tuple(sorted({line.partition(":")[0] for line in lines if ":" in line}))


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
