"""Numbers and rates as people read and type them (`1.48 Mpps`, `1.48M`), and what a link carries (IEEE 802.3)."""

from __future__ import annotations

import math
import re

from vppcfg.errors import UsageError

_FIGURE = re.compile(r"^(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d+))?\s*([kKMGT]?)$")
_FIGURE_SCALE = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
OVERHEAD_BYTES = 20
"""Preamble, start of frame and the gap between frames."""
VLAN_TAG_BYTES = 4
CHECKSUM_BYTES = 4
"""The frame check sequence: part of a frame, but not of what VPP counts in bytes."""
SMALLEST_FRAME = 64
LARGEST_FRAME = 65535
_SPEED = re.compile(r"^(\d+(?:\.\d+)?)\s*([KMG])(?:bps|bit/s|b)?$", re.IGNORECASE)
_MOST_OF_A_UNIT = 1e9
_SPEED_SCALE = {"K": 10**3, "M": 10**6, "G": 10**9}


def pps(rate: float) -> str:
    """Return a rate such as `1.488 Mpps`."""
    return f"{short(rate)}pps"


def short(value: float) -> str:
    """Return a number and the letter of its thousands, such as `76.6 k`; millions have four digits."""
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * limit:
            return f"{_digits(value / limit, 4 if limit > 1e3 else 3)} {letter}"
    return f"{_digits(value, 3)} "


def percent(share: float) -> str:
    """Return a share of 1 as a percentage that never hides a small one."""
    value = 100 * share
    if abs(value) >= 10:
        return f"{value:.1f} %"
    if abs(value) >= 0.1 or value == 0:
        return f"{value:.2f} %"
    return f"{value:.1e} %"


def count(value: float) -> str:
    """Return a whole number with separated thousands."""
    return f"{round(value):,}"


def packets(value: float) -> str:
    """Return how many packets there are, such as 1 packet or 2,000 packets."""
    return f"{count(value)} packet{'' if round(value) == 1 else 's'}"


def parse_figure(text: str) -> float:
    """Return a number such as `1.48M`. Raise UsageError when it is none."""
    match = _FIGURE.match(text.strip())
    value = float(f"{match[1]}e{match[2] or 0}") * _FIGURE_SCALE[match[3]] if match is not None else math.inf
    if not math.isfinite(value):
        raise UsageError(f"{text!r} is not a number", "write 1480000, 1.48e6 or 1.48M")
    return value


def _digits(value: float, digits: int) -> str:
    if value == int(value) and abs(value) < 1000:
        return f"{value:.0f}"
    before = len(str(int(abs(value))))
    return f"{value:.{max(digits - before, 0)}f}"


def line_rate_pps(link_bps: float, frame_bytes: float, vlan_tags: int = 0) -> float:
    """Return frames per second at line rate; `frame_bytes` counts the checksum but not the `vlan_tags`."""
    return link_bps / ((frame_bytes + vlan_tags * VLAN_TAG_BYTES + OVERHEAD_BYTES) * 8)


def parse_speed(text: str) -> int:
    """Return bits per second of a speed such as `1G`, `2.5G` or `100M`. Raise UsageError."""
    match = _SPEED.match(text.strip())
    if match is None or not 0 < float(match[1]) < _MOST_OF_A_UNIT:
        raise UsageError(f"{text!r} is no link speed", "write 100M, 1G, 2.5G, 10G and so on")
    return round(float(match[1]) * _SPEED_SCALE[match[2].upper()])


def bit_rate(rate_bps: float) -> str:
    """Return a rate such as `100 Mbit/s`."""
    return f"{short(rate_bps)}bit/s"


def with_letter(value: int) -> str:
    """Return a whole number with the largest letter that leaves it whole, such as `100M`; `parse_figure` reads it."""
    for letter in ("G", "M", "k"):
        scale = int(_FIGURE_SCALE[letter])
        if value and value % scale == 0:
            return f"{value // scale}{letter}"
    return str(value)
