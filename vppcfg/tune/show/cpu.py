"""`show cpu` in, the processor out (VPP: vlib/cli.c)."""

from __future__ import annotations

import re

from vppcfg.tune.reading import Cpu
from vppcfg.tune.show.lines import Unread, clean_lines

_FREQUENCY = re.compile(r"^Base frequency: ([\d.]+) GHz$")


def parse_cpu(text: str) -> tuple[Cpu | None, Unread]:
    """Return the processor, None when the text does not describe one, and what could not be read."""
    model, base_hz = "", None
    unread: list[str] = []
    for line in clean_lines(text):
        if line.startswith("Model name:"):
            model = line.partition(":")[2].strip()
        elif match := _FREQUENCY.match(line):
            base_hz = float(match[1]) * 1e9
        elif not line.startswith(("Microarch", "Flags:", "NUMA", "Cache")):
            unread.append(line)
    return (Cpu(model=model, base_hz=base_hz) if model or base_hz else None), tuple(unread)
