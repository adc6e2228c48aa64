"""not-isolated: the kernel may run other programs on a worker's CPU, or on the other half of its core."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import ThreadLoad
from vppcfg.tune.reading import HostFacts
from vppcfg.tune.settings import isolate
from vppcfg.tune.situation import Situation

RULE = "not-isolated"
_PREEMPTED = 10
"""Ours: times that a worker was taken off its CPU from which on it is worth a word."""


def find(situation: Situation) -> Iterator[Finding]:
    """Yield one finding for all workers that are disturbed, or may be."""
    host = situation.load.reading.host
    if host is None or host.isolated is None:
        return
    workers = [worker for worker in situation.load.workers if worker.lcore is not None]
    exposed = [worker for worker in workers if worker.lcore not in host.isolated]
    paired = [worker for worker in workers if _partners(worker, situation, host)]
    if exposed or paired:
        yield _finding(exposed, paired, situation, host)


def _partners(worker: ThreadLoad, situation: Situation, host: HostFacts) -> list[str]:
    """Return the threads of VPP that share the core of a worker."""
    cores = [group for group in host.siblings if worker.lcore in group]
    shared = {cpu for group in cores for cpu in group} - {worker.lcore}
    return [thread.name for thread in situation.load.threads if thread.lcore in shared]


def _finding(exposed: list[ThreadLoad], paired: list[ThreadLoad], situation: Situation, host: HostFacts) -> Finding:
    counts = dict(host.preemptions)
    taken = {worker.name: counts[worker.name] for worker in exposed if counts.get(worker.name, 0) >= _PREEMPTED}
    names = ", ".join(worker.name for worker in exposed or paired)
    is_missing = bool(taken) and any(port.rx_miss_pps for port in situation.load.ports)
    return Finding(
        rule=RULE,
        severity=Severity.RISK if paired or is_missing else Severity.NOTICE,
        subject=names,
        verdict=f"the kernel may run other programs on the CPU of {names}"
        if exposed
        else f"{names} shares a core with another thread of VPP",
        evidence=tuple(_evidence(exposed, paired, taken, situation)),
        proposal=Proposal(
            text="isolate the CPUs of workers and their siblings on the kernel's command line (isolcpus, nohz_full, "
            "rcu_nocbs); needs a reboot",
            settings=(isolate(),) if exposed else (),
        ),
        expectation=Expectation(
            text="less jitter, and fewer packets missed in bursts; how many has not been measured", basis=Basis.GUESS
        ),
        disproof="nonvoluntary_ctxt_switches of the worker does not grow under load",
    )


def _evidence(
    exposed: list[ThreadLoad], paired: list[ThreadLoad], taken: dict[str, int], situation: Situation
) -> Iterator[Evidence]:
    reading = situation.load.reading
    isolated = sorted(reading.host.isolated or ()) if reading.host else []
    text = f"isolated CPUs: {', '.join(map(str, isolated)) or 'none'}"
    yield Evidence(text=text, source="/sys/devices/system/cpu/isolated")
    for worker in exposed:
        yield Evidence(text=f"{worker.name} runs on CPU {worker.lcore}", source=reading.source("places"))
    for name, count in taken.items():
        text = f"{name} was taken off its CPU {count} times between the readings"
        yield Evidence(text=text, source="/proc/PID/task/TID/status")
    for worker in paired:
        partners = ", ".join(_partners(worker, situation, reading.host)) if reading.host else ""
        text = f"{worker.name} shares its core with {partners}"
        yield Evidence(text=text, source="/sys/devices/system/cpu/cpuN/topology")
