"""`show memory` in, heaps and their use out (VPP: vppinfra/mem_dlmalloc.c)."""

from __future__ import annotations

import re

from vppcfg.tune.reading import Heap
from vppcfg.tune.show.lines import Unread, clean_lines

_NAME = re.compile(r"^base .*name '([^']*)'$")
_USE = re.compile(r"^total: ([\d.]+)([KMGT]?), used: ([\d.]+)([KMGT]?),", re.IGNORECASE)
_SCALE = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_memory(text: str) -> tuple[tuple[Heap, ...], Unread]:
    """Return the heaps; there is much else in the text that nothing here needs, so nothing counts as unread."""
    heaps: list[Heap] = []
    name = ""
    for line in clean_lines(text):
        if match := _NAME.match(line):
            name = match[1]
        elif match := _USE.match(line):
            total, used = _bytes(match[1], match[2]), _bytes(match[3], match[4])
            heaps.append(Heap(name=name or "main heap", total_bytes=total, used_bytes=used))
    return tuple(heaps), ()


def _bytes(figure: str, unit: str) -> int:
    return int(float(figure) * _SCALE[unit.upper()])
