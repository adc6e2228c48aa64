"""Checks that the CPUs of a startup.conf fit each other, and a machine, as VPP takes them (vlib/threads.c)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.common.numbers import cpu_text, cpus_of, numbered
from vppcfg.common.release import Release
from vppcfg.model.host import Host
from vppcfg.model.problem import Problem
from vppcfg.startup.conf.problem_text import problem
from vppcfg.startup.conf.tree import Conf, ConfEntry
from vppcfg.startup.lint.demand import ConfFacts, DeviceFacts, entry_at, number, workers_entry
from vppcfg.startup.lint.finding import notice, warning

_MAIN_TAKES_A_CPU = Release(24, 10)
"""The first release whose main thread has a CPU of its own without main-core, whichever it began on."""


def core_problems(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    """Yield what does not go together in `cpu`, whatever machine it is for."""
    yield from _skipped_cores(conf, facts)
    yield from _workers_with_main_core(conf, facts)
    yield from _named_twice(conf)


def machine_core_problems(conf: Conf, facts: ConfFacts, host: Host, release: Release) -> Iterator[Problem]:
    """Yield what a machine lacks for `cpu`; with `relative` that depends on who starts VPP."""
    if not host.usable_cpus or entry_at(conf, "cpu", "relative") is not None:
        return
    yield from _absent(conf, facts, host)
    yield from _too_few(conf, facts, host, release)
    cpus = worker_cpus(conf, facts, host)
    yield from _siblings(conf, facts, cpus, host)
    yield from _not_isolated(conf, cpus, host)
    for device in facts.devices:
        yield from _node(device, cpus, host)


def worker_cpus(conf: Conf, facts: ConfFacts, host: Host) -> tuple[int, ...]:
    """Return the CPUs of the workers, those that VPP chooses by itself too; none where they cannot be known."""
    if facts.worker_cpus is not None:
        return facts.worker_cpus
    if facts.main_core is None:
        return ()
    return free_cpus(conf, facts, host)[: facts.workers]


def free_cpus(conf: Conf, facts: ConfFacts, host: Host) -> tuple[int, ...]:
    """Return the CPUs that VPP chooses workers from, in its order: the lowest first, and CPU 0 last."""
    left = [cpu for cpu in _usable(host)[len(skipped_cpus(conf, host)) :] if cpu != facts.main_core]
    return tuple(sorted(left, key=lambda cpu: (cpu == 0, cpu)))


def skipped_cpus(conf: Conf, host: Host) -> tuple[int, ...]:
    """Return the CPUs that `skip-cores` takes away."""
    return tuple(_usable(host)[: _skipped(conf)])


def _usable(host: Host) -> list[int]:
    return sorted(cpu.id for cpu in host.usable_cpus)


def _skipped(conf: Conf) -> int:
    return number(entry_at(conf, "cpu", "skip-cores")) or 0


def _skipped_cores(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    """Find threads on the first CPUs, which `skip-cores` takes away.

    With `relative` the numbers count what the process may use, and so do the skipped ones in part of the releases.
    """
    skipped, relative = _skipped(conf), entry_at(conf, "cpu", "relative")
    workers = entry_at(conf, "cpu", "corelist-workers") or entry_at(conf, "cpu", "coremask-workers")
    named: list[tuple[ConfEntry | None, str, tuple[int | None, ...]]]
    named = [(entry_at(conf, "cpu", "main-core"), "the main thread", (facts.main_core,))]
    named.append((workers, "a worker", facts.worker_cpus or ()))
    for entry, thread, cpus in named:
        taken = next((cpu for cpu in cpus if cpu is not None and cpu < skipped), None)
        if entry is not None and taken is not None and relative is None:
            text = f"skip-cores {skipped} takes CPU {taken} away from {thread}, which stops VPP; remove skip-cores"
            yield problem("conf-skipped-core", entry, f"{text}, or name CPUs from {skipped} on")


def _workers_with_main_core(conf: Conf, facts: ConfFacts) -> Iterator[Problem]:
    entry = entry_at(conf, "cpu", "corelist-workers") or entry_at(conf, "cpu", "coremask-workers")
    if entry is not None and facts.worker_cpus is not None and facts.main_core in facts.worker_cpus:
        text = f"CPU {facts.main_core} is the main core and a worker's, which stops VPP; take it out of one of them"
        yield problem("conf-main-core-worker", entry, text)


def _named_twice(conf: Conf) -> Iterator[Problem]:
    """Find CPUs that a list has twice: VPP keeps a bitmap, and makes one worker of them (unformat_bitmap_list)."""
    entry = entry_at(conf, "cpu", "corelist-workers")
    seen: set[int] = set()
    twice: set[int] = set()
    for part in entry.arguments[0].strip(",").split(",") if entry is not None and entry.arguments else ():
        try:
            cpus = set(cpus_of(part))
        except ValueError:
            return
        twice |= seen & cpus
        seen |= cpus
    if entry is not None and twice:
        text = (
            f"the list names CPU {cpu_text(twice)} more than once, and VPP makes {numbered(len(seen), 'worker')} of it"
        )
        yield warning("conf-cpu-twice", entry, text)


def _absent(conf: Conf, facts: ConfFacts, host: Host) -> Iterator[Problem]:
    main, workers, usable = entry_at(conf, "cpu", "main-core"), workers_entry(conf), _usable(host)
    if main is not None and facts.main_core is not None and facts.main_core not in usable:
        text = f"this machine has no CPU {facts.main_core} for the main thread, which stops VPP"
        yield problem("conf-cpu", main, f"{text}; usable are {cpu_text(usable)}")
    missing = [cpu for cpu in facts.worker_cpus or () if cpu not in usable]
    if workers is not None and missing:
        text = f"this machine has no CPU {cpu_text(missing)} for workers, which stops VPP"
        yield problem("conf-cpu", workers, f"{text}; usable are {cpu_text(usable)}")


def _too_few(conf: Conf, facts: ConfFacts, host: Host, release: Release) -> Iterator[Problem]:
    """Find more workers than CPUs are left for them, and more skipped CPUs than there are."""
    usable, skipped, entry = _usable(host), _skipped(conf), workers_entry(conf)
    skipping = entry_at(conf, "cpu", "skip-cores")
    if skipping is not None and skipped >= len(usable):
        text = f"skip-cores {skipped} leaves none of {numbered(len(usable), 'CPU')} to VPP, which stops"
        yield problem("conf-cpu", skipping, text)
        return
    is_apart = facts.main_core in usable[skipped:] if facts.main_core is not None else release >= _MAIN_TAKES_A_CPU
    left = len(usable) - skipped - is_apart
    if entry is not None and facts.worker_cpus is None and facts.workers > left:
        taken = f" - {skipped} skipped" * bool(skipped) + " - 1 of the main thread" * is_apart
        there = f"{len(usable)} usable CPUs{taken} = {left}" if taken else f"{len(usable)} usable CPUs"
        text = f"{numbered(facts.workers, 'worker')} for {there}, which stops VPP; usable are {cpu_text(usable)}"
        yield problem("conf-cpu", entry, text)


def _siblings(conf: Conf, facts: ConfFacts, cpus: Sequence[int], host: Host) -> Iterator[Problem]:
    entry = workers_entry(conf)
    threads = [facts.main_core, *cpus] if facts.main_core is not None else cpus
    for index, cpu in enumerate(threads):
        found = host.cpu_by_id.get(cpu)
        others = set(found.siblings) - {cpu} if found is not None else set()
        for other in sorted(others.intersection(threads[:index])):
            if entry is not None:
                text = f"CPUs {other} and {cpu} are threads of one core and slow each other down"
                yield warning("conf-cpu-siblings", entry, text)


def _not_isolated(conf: Conf, cpus: Sequence[int], host: Host) -> Iterator[Problem]:
    """Find workers beside the CPUs that the kernel keeps free of other tasks."""
    isolated = {cpu.id for cpu in host.cpus if cpu.is_isolated}
    left_out, entry = [cpu for cpu in cpus if cpu not in isolated], workers_entry(conf)
    if entry is not None and isolated and left_out:
        text = (
            f"the kernel keeps CPU {cpu_text(isolated)} free of other tasks (isolcpus), and runs such tasks on CPU "
            f"{cpu_text(left_out)}, where a worker is"
        )
        yield notice("conf-cpu-isolated", entry, text)


def _node(device: DeviceFacts, cpus: Sequence[int], host: Host) -> Iterator[Problem]:
    nic = host.nic_by_address.get(device.address)
    nodes = {host.cpu_by_id[cpu].node for cpu in cpus if cpu in host.cpu_by_id}
    if nic is not None and nodes and host.node_of(nic) not in nodes:
        text = f"{device.address} is on NUMA node {host.node_of(nic)}, and all workers are on node {cpu_text(nodes)}"
        yield warning("conf-cpu-node", device.entry, text)
