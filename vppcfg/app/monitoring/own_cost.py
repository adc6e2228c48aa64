"""Metrics of this process itself, CPU time and memory, under Prometheus's names for every process."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

from vppcfg.render.exposition import metric


def own_cost_lines() -> Iterator[str]:
    """Yield CPU time and memory of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    text = "CPU time that the process has used."
    yield from metric("process_cpu_seconds_total", "counter", text, [((), used.ru_utime + used.ru_stime)])
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    text = "Memory of the process that is in use."
    yield from metric("process_resident_memory_bytes", "gauge", text, [((), pages * os.sysconf("SC_PAGE_SIZE"))])
