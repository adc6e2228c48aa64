"""Whether settings, machine and file go together. A check takes a Case and yields problems; it never raises.

A new check is a function in the module of its subject, an entry here and one in schema/rules.yaml.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vppcfg.model.problem import Problem
from vppcfg.startup.checks import cpu, devices, machine
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
    devices.devices_exist,
    devices.devices_free,
    devices.devices_placed,
    devices.slots,
    devices.rx_queues,
    devices.queue_workers,
    devices.idle_workers,
    devices.shared_tx_queues,
    devices.descriptors,
    machine.buffers,
    machine.buffer_size,
    machine.main_heap,
    machine.statseg,
    machine.hugepages,
    machine.memory_fits,
    machine.group_exists,
    machine.plugins_of_release,
    machine.drivers_of_release,
    machine.inside_container,
)


def check(case: Case) -> list[Problem]:
    """Return what all checks find, without line and column."""
    return [problem for one in CHECKS for problem in one(case)]
