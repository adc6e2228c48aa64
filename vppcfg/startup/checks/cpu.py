"""Checks of CPUs: that they exist and are free, and that threads do not disturb each other."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.numbers import cpu_text
from vppcfg.model.host import Host
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.startup.checks.case import Case, at

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
