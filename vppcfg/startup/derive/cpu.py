"""Chooses the CPUs of VPP's main thread and workers, and those that are kept free; the ledger notes each reason."""

from __future__ import annotations

import math
from collections.abc import Sequence

from vppcfg.common.numbers import cpu_text, numbered
from vppcfg.model.dataplane import CpuSection
from vppcfg.model.host import Cpu, Host, Nic
from vppcfg.record import record
from vppcfg.startup.settings import Ledger, Placement, ValueOrigin

CLOCKS_PER_PACKET = 530
"""Of a worker that forwards at layer 2 in vectors of 16 packets, an Atom without a third level of cache."""
LOAD_LIMIT = 0.8
"""How much of what a worker can do it is planned for."""
_WIRE_BITS = (64 + 20) * 8
"""Of the shortest Ethernet frame, with preamble and gap."""
_ASSUMED_HZ = 2_000_000_000
_ASSUMED_MBPS = 1000
BOOT_CPU = 0

Core = tuple[Cpu, ...]


@record
class _CpuPool:
    """The physical cores that VPP may have, the best first, without the one that Linux boots on."""

    cores: tuple[Core, ...]
    boot: Core | None
    home: int
    """The NUMA node of most network devices."""


def place(section: CpuSection, host: Host, nics: Sequence[Nic], ledger: Ledger) -> Placement:
    """Return the CPUs of the main thread and the workers, and those that are isolated or left to Linux."""
    pool = _pool(host, nics)
    main_core = _main_core(section, pool, host, ledger)
    workers, required = _workers(section, pool, host, nics, main_core, ledger)
    isolated = _isolated(section, host, workers, ledger)
    return Placement(
        main_core=main_core,
        workers=workers,
        wanted_workers=required,
        isolated=isolated,
        housekeeping=tuple(cpu.id for cpu in host.cpus if cpu.is_online and cpu.id not in isolated),
    )


def _pool(host: Host, nics: Sequence[Nic]) -> _CpuPool:
    nodes = [host.node_of(nic) for nic in nics]
    home = max(sorted(set(nodes)), key=nodes.count, default=host.cores[0][0].node)
    boot = next((core for core in host.cores if any(cpu.id == BOOT_CPU for cpu in core)), None)
    free = [core for core in host.cores if core is not boot]
    return _CpuPool(cores=tuple(sorted(free, key=lambda core: core[0].node != home)), boot=boot, home=home)


def _main_core(section: CpuSection, pool: _CpuPool, host: Host, ledger: Ledger) -> int:
    if section.main_core is not None:
        ledger.add("cpu.main-core", section.main_core, ValueOrigin.FILE, "set in the file")
        return section.main_core
    listed = section.workers if isinstance(section.workers, tuple) else ()
    free = [core for core in pool.cores if not any(cpu.id in listed for cpu in core)]
    workers = 0 if listed else 1 if section.workers is None else section.workers
    if isinstance(workers, int) and (len(free) > workers or (pool.boot is None and free)):
        reason = f"the first free core on node {free[0][0].node}; CPU 0 and its core are left to Linux"
        ledger.add("cpu.main-core", free[0][0].id, ValueOrigin.HOST, reason)
        return free[0][0].id
    shared = (pool.boot or host.cores[0])[0].id
    reason = f"{numbered(len(host.cores), 'core')} leave none to itself, so it shares CPU {shared} with Linux"
    ledger.add("cpu.main-core", shared, ValueOrigin.HOST, reason)
    return shared


def _workers(
    section: CpuSection, pool: _CpuPool, host: Host, nics: Sequence[Nic], main_core: int, ledger: Ledger
) -> tuple[tuple[int, ...], int]:
    """Return the CPUs of the workers, and how many workers were asked for."""
    if isinstance(section.workers, tuple):
        ledger.add("cpu.workers", cpu_text(section.workers), ValueOrigin.FILE, "the file names these CPUs")
        return section.workers, len(section.workers)
    candidates = _candidates(pool, main_core, uses_siblings=section.uses_siblings)
    if section.workers is not None:
        required, origin, reason = (
            section.workers,
            ValueOrigin.FILE,
            f"{numbered(section.workers, 'worker')}, set in the file",
        )
    else:
        local = sum(cpu.node == pool.home for cpu in candidates)
        required, reason = _needed_workers(host, nics, local or len(candidates))
        origin = ValueOrigin.FORMULA
    cpus = tuple(sorted(cpu.id for cpu in candidates[:required]))
    kind = "one or both threads per core" if section.uses_siblings else "one thread per core"
    reason = f"{reason}; {kind}, without the core of CPU 0 and that of the main thread, node {pool.home} first"
    ledger.add("cpu.workers", cpu_text(cpus) or "none", origin, reason)
    return cpus, required


def _candidates(pool: _CpuPool, main_core: int, *, uses_siblings: bool) -> list[Cpu]:
    """Return the CPUs for workers, the best first: first threads before second ones on each node."""
    cores = [core for core in pool.cores if all(cpu.id != main_core for cpu in core)]
    if not uses_siblings:
        return [core[0] for core in cores]
    ranked = [(cpu.node != pool.home, rank, cpu.id, cpu) for core in cores for rank, cpu in enumerate(core)]
    return [cpu for *_, cpu in sorted(ranked, key=lambda entry: entry[:3])]


def _needed_workers(host: Host, nics: Sequence[Nic], available: int) -> tuple[int, str]:
    frequency = host.base_hz or _ASSUMED_HZ
    line_rate = sum((nic.speed_mbps or _ASSUMED_MBPS) * 1e6 / _WIRE_BITS for nic in nics)
    per_core = frequency / CLOCKS_PER_PACKET
    needed = max(1, math.ceil(line_rate / (LOAD_LIMIT * per_core)))
    formula = (
        f"ceil({line_rate / 1e6:.2f} Mpps line rate / ({LOAD_LIMIT} x {frequency / 1e9:.2f} GHz / "
        f"{CLOCKS_PER_PACKET} clocks)) = {needed}"
    )
    if needed > available:
        return available, f"{formula}, of which the machine has {available}"
    return needed, formula


def _isolated(section: CpuSection, host: Host, workers: tuple[int, ...], ledger: Ledger) -> tuple[int, ...]:
    if isinstance(section.isolate, tuple):
        ledger.add("cpu.isolate", cpu_text(section.isolate), ValueOrigin.FILE, "the file names these CPUs")
        return section.isolate
    if not section.isolate:
        ledger.add("cpu.isolate", "none", ValueOrigin.FILE, "set in the file")
        return ()
    siblings = {cpu for worker in workers if worker in host.cpu_by_id for cpu in host.cpu_by_id[worker].siblings}
    isolated = tuple(sorted({*workers, *siblings} - {BOOT_CPU}))
    ledger.given("cpu.isolate", cpu_text(isolated) or "none", "the workers and what shares a core with them")
    return isolated
