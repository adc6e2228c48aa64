"""Whether settings, machine and file go together. A check takes a Case and yields problems; it never raises.

A new check is a function in the module of its subject, an entry here and one in schema/rules.yaml.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vppcfg.model.problem import Problem
from vppcfg.startup.checks import cpu, device, machine, memory, queue
from vppcfg.startup.checks.case import Case

Check = Callable[[Case], Iterator[Problem]]

CHECKS: tuple[Check, ...] = (
    cpu.cpus_available,
    cpu.cpu_zero,
    cpu.cpu_siblings,
    cpu.workers_fit,
    cpu.workers_near_devices,
    cpu.isolation,
    cpu.main_thread_sleeps,
    device.devices_exist,
    device.devices_free,
    device.devices_placed,
    device.slots,
    queue.rx_queues,
    queue.queue_workers,
    queue.idle_workers,
    queue.shared_tx_queues,
    queue.descriptors,
    memory.buffers,
    memory.buffer_size,
    memory.main_heap,
    memory.statseg,
    memory.hugepages,
    memory.memory_fits,
    machine.group_exists,
    machine.plugins_of_release,
    machine.inside_container,
)


def check(case: Case) -> list[Problem]:
    """Return what all checks find, without line and column."""
    return [problem for one in CHECKS for problem in one(case)]
