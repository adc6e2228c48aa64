"""Sizes in bytes as people, VPP and the kernel write them: 64M, 1G."""

from __future__ import annotations

import re

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30

_UNITS = {"": 1, "K": KIB, "M": MIB, "G": GIB, "T": 1 << 40}
_SIZE = re.compile(r"([0-9]{1,18})([KMGT]?)", re.IGNORECASE)


def bytes_of(text: str) -> int:
    """Return the size in `text`, such as 64M. Raise ValueError when it is none."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no size such as 64M or 1G")
    return int(match[1]) * _UNITS[match[2].upper()]


def size_text(size_bytes: int) -> str:
    """Return a size with the largest unit that leaves it whole (vppinfra/std-formats.c, unformat_memory_size)."""
    for unit in ("G", "M", "K"):
        if size_bytes and size_bytes % _UNITS[unit] == 0:
            return f"{size_bytes // _UNITS[unit]}{unit}"
    return str(size_bytes)


def round_up(number: int, step: int) -> int:
    """Return the smallest multiple of `step` that is not below `number`."""
    return -(-number // step) * step
