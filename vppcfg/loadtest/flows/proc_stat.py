"""/proc/stat in, load per core out (proc(5))."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vppcfg.errors import EngineError
from vppcfg.loadtest.flows.outcome import CoreLoad
from vppcfg.record import record

_LINE = re.compile(r"^cpu(\d+) (.*)$", re.MULTILINE)
_IDLE, _IOWAIT, _SOFTIRQ = 3, 4, 6
_COUNTED = 8
"""user nice system idle iowait irq softirq steal; guest time is part of user."""


@record
class CoreTicks:
    """What a core has done since it started, in ticks."""

    softirq: int
    idle: int
    """Waiting for a disk is idle too."""
    total: int


def ticks_by_core(text: str) -> dict[int, CoreTicks]:
    """Return the cores of /proc/stat. Raise EngineError when it has none."""
    cores = {int(match[1]): _ticks(match[2]) for match in _LINE.finditer(text)}
    if not cores:
        raise EngineError("/proc/stat of the router names no CPU", "its first lines should be cpu, cpu0, cpu1, ...")
    return cores


def loads_between(former: Mapping[int, CoreTicks], later: Mapping[int, CoreTicks]) -> tuple[CoreLoad, ...]:
    """Return the load of every core that both looks have and that has ticked between them."""
    return tuple(
        CoreLoad(
            core=core,
            softirq=(later[core].softirq - before.softirq) / passed,
            idle=(later[core].idle - before.idle) / passed,
        )
        for core, before in sorted(former.items())
        if core in later and (passed := later[core].total - before.total) > 0
    )


def _ticks(text: str) -> CoreTicks:
    values = [int(word) for word in text.split()[:_COUNTED]]
    return CoreTicks(softirq=values[_SOFTIRQ], idle=values[_IDLE] + values[_IOWAIT], total=sum(values))
