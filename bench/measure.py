"""A command in, what its process cost out: CPU time, wall time, peak memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from vppcfg.record import record

_LAUNCHER = Path(__file__).with_name("launch.py")
_KILLED = -9


class FailedError(Exception):
    """A command ended as it should not have."""


@record
class Cost:
    """What one process took, from its start to its end."""

    cpu_s: float
    wall_s: float
    peak_bytes: int


def measure(command: Sequence[str], *, output: Path, timeout_s: float, codes: frozenset[int] = frozenset({0})) -> Cost:
    """Run a command with its output in a file. Raise FailedError when it exits with none of `codes`, or too late."""
    launch = [sys.executable, "-I", "-S", str(_LAUNCHER), str(timeout_s), str(output)]
    finished = subprocess.run([*launch, *command], stdout=subprocess.PIPE, check=True)
    cost = json.loads(finished.stdout)
    status = cost.pop("status")
    if status == _KILLED:
        raise FailedError(f"{' '.join(command)} did not end in {timeout_s:g} seconds")
    if status not in codes:
        raise FailedError(f"{' '.join(command)} exited with {status}: {_end_of(output)}")
    return Cost(**cost)


def least(costs: Sequence[Cost]) -> Cost:
    """Return the least of each figure of several runs: what disturbs a run only adds to it."""
    return Cost(
        cpu_s=min(cost.cpu_s for cost in costs),
        wall_s=min(cost.wall_s for cost in costs),
        peak_bytes=min(cost.peak_bytes for cost in costs),
    )


def _end_of(output: Path) -> str:
    return output.read_text(errors="replace")[-500:].strip()
