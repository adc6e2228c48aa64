"""Numbers as people, VPP and the kernel write them: lists of CPUs (1-3,5), sizes (64M) and PCI addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIGHEST_CPU = 8191
"""The largest number of CPUs that a kernel is built for (CONFIG_NR_CPUS on x86-64) is 8192."""

_MOST_DIGITS = 18
_DIGITS = "0123456789"
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")

DSCP_NAMES = {
    **{f"cs{number}": 8 * number for number in range(8)},
    **{f"af{number}{drop}": 8 * number + 2 * drop for number in (1, 2, 3, 4) for drop in (1, 2, 3)},
    "ef": 46,
}
"""The usual names of values of the DSCP (RFC 2474, 2597, 3246)."""
LAST_DSCP = 63


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


def cpus_of_mask(text: str) -> tuple[int, ...]:
    """Return the ids in a hexadecimal mask of CPUs, ascending. Raise ValueError when it is none."""
    mask = int(text, 16)
    return tuple(cpu for cpu in range(mask.bit_length()) if mask >> cpu & 1)


def list_of_words(words: Iterable[str]) -> tuple[str, int]:
    """Return the list that words begin with as one word, and how many of them it takes.

    VPP skips blanks in a list, and reads `1, 2`, `1 2` and `1 - 2` (vppinfra/bitmap.c, unformat_bitmap_list).
    """
    text, count = "", 0
    for word in words:
        is_apart = text[-1:] not in ("", ",", "-")
        if text and not (text[0] in _DIGITS and (word[0] in _DIGITS or (is_apart and word[0] in ",-"))):
            break
        text += f",{word}" if is_apart and word[0] in _DIGITS else word
        count += 1
    return text, count


def cpu_text(cpus: Iterable[int]) -> str:
    """Return ids as a list with ranges and without spaces (vppinfra/bitmap.c, unformat_bitmap_list)."""
    runs: list[tuple[int, int]] = []
    for cpu in sorted(set(cpus)):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], cpu)
        else:
            runs.append((cpu, cpu))
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def whole_number(text: str) -> int | None:
    """Return a number of up to 18 ASCII digits; None for any other text, however long."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None


def numbered(number: int, noun: str) -> str:
    """Return how many there are of something, such as 1 worker or 2 workers."""
    many = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{number} {noun if number == 1 else many}"


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


def rounded_size(size_bytes: int) -> str:
    """Return a size for people, such as `1.5 GB`."""
    if size_bytes >= 1e9:
        return f"{size_bytes / 1e9:.1f} GB"
    return f"{size_bytes / 1e6:.0f} MB"


def round_up(number: int, step: int) -> int:
    """Return the smallest multiple of `step` that is not below `number`."""
    return -(-number // step) * step


_ADDRESS = re.compile(r"([0-9a-fA-F]{4,5}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")
_NAME = re.compile(r"[A-Za-z]*Ethernet-?(?:([0-9a-f]{1,5})/)?([0-9a-f]{1,2})/([0-9a-f]{1,2})/([0-7])")


def canonical_pci(text: object) -> str | None:
    """Return a PCI address in lower case, None when it is none."""
    match = _ADDRESS.fullmatch(text) if isinstance(text, str) else None
    return match[0].lower() if match and int(match[3], 16) < 32 else None


def interface_tail(address: str) -> str:
    """Return the numbers in VPP's name of the interface at `address`: bus/slot/function (dpdk/device/init.c)."""
    domain, bus, rest = address.split(":")
    slot, function = rest.split(".")
    numbers = [int(bus, 16), int(slot, 16), int(function, 16)]
    if int(domain, 16):
        numbers.insert(0, int(domain, 16))
    return "/".join(f"{number:x}" for number in numbers)


def address_of_interface(name: str) -> str | None:
    """Return the PCI address in VPP's own name of a DPDK interface, None for any other name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    domain, bus, slot, function = (int(part or "0", 16) for part in match.groups())
    return f"{domain:04x}:{bus:02x}:{slot:02x}.{function}" if slot < 32 else None
