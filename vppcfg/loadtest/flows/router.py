"""The machine whose cores are watched, this one or one behind ssh, and their load by /proc/stat (proc(5))."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from typing import Protocol

from vppcfg.errors import EngineError
from vppcfg.linux.inside import command_inside
from vppcfg.loadtest.flows.outcome import CoreLoad
from vppcfg.record import record

_TIMEOUT_S = 15.0
_LINE = re.compile(r"^cpu(\d+) (.*)$", re.MULTILINE)
_IDLE, _IOWAIT, _SOFTIRQ = 3, 4, 6
_COUNTED = 8
"""user nice system idle iowait irq softirq steal; guest time is part of user."""


class RouterMachine(Protocol):
    """A machine that answers commands."""

    def run(self, command: Sequence[str]) -> str:
        """Return what a command prints. Raise EngineError when it fails."""


@record
class LocalRouter:
    """This machine, in the namespace that has the router's ports."""

    netns: str = ""

    def run(self, command: Sequence[str]) -> str:
        """Return what a command prints. Raise EngineError when it fails."""
        return _output(command_inside(self.netns, command), "this machine")


@record
class SshRouter:
    """A machine that ssh reaches without asking for a password."""

    host: str

    def run(self, command: Sequence[str]) -> str:
        """Return what a command prints. Raise EngineError when it fails."""
        options = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]
        return _output(["ssh", *options, "--", self.host, *command], self.host)


def _output(command: Sequence[str], where: str) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, timeout=_TIMEOUT_S
        )
    except FileNotFoundError as error:
        raise EngineError(f"there is no program {error.filename}") from None
    except subprocess.TimeoutExpired:
        raise EngineError(f"{where} takes longer than {_TIMEOUT_S:g} seconds to answer `{command[-1]}`") from None
    if done.returncode:
        raise EngineError(f"{where} cannot do `{' '.join(command)}`: {done.stderr.strip()}")
    return done.stdout


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
    """Return the load of every core between two looks; cores that only one of them has are left out."""
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
