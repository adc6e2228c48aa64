"""Lists of CPU ids as the kernel and VPP write them, `1-3,5`, to tuples and back."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIGHEST_CPU = 8191
"""The largest number of CPUs that a kernel is built for (CONFIG_NR_CPUS on x86-64) is 8192."""

_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")


def cpus_of(text: str) -> tuple[int, ...]:
    """Return the ids in `text`, ascending and each once. Raise ValueError when it is no list of CPUs."""
    cpus: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        match = _RANGE.fullmatch(part.strip())
        first = int(match[1]) if match else 0
        last = int(match[2] or match[1]) if match else -1
        if first > last or last > HIGHEST_CPU:
            raise ValueError(f"{text.strip()!r} is no list of CPUs such as 1-3,5")
        cpus.update(range(first, last + 1))
    return tuple(sorted(cpus))


def cpu_text(cpus: Iterable[int]) -> str:
    """Return ids as a list with ranges and without spaces (vppinfra/bitmap.c, unformat_bitmap_list)."""
    runs: list[tuple[int, int]] = []
    for cpu in sorted(set(cpus)):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], cpu)
        else:
            runs.append((cpu, cpu))
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
