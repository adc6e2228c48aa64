"""What a link can carry: speed and frame size in, packets per second out (IEEE 802.3)."""

from __future__ import annotations

import re

from vppcfg.errors import UsageError

OVERHEAD_BYTES = 20
"""Preamble, start of frame and the gap between frames."""
VLAN_TAG_BYTES = 4
CHECKSUM_BYTES = 4
"""The frame check sequence: part of a frame, but not of what VPP counts in bytes."""
SMALLEST_FRAME = 64
LARGEST_FRAME = 65535
_SPEED = re.compile(r"^(\d+(?:\.\d+)?)\s*([KMG])(?:bps|bit/s|b)?$", re.IGNORECASE)
_SCALE = {"K": 10**3, "M": 10**6, "G": 10**9}


def line_rate_pps(link_bps: float, frame_bytes: float, vlan_tags: int = 0) -> float:
    """Return frames per second at line rate; `frame_bytes` counts the checksum but not the `vlan_tags`."""
    return link_bps / ((frame_bytes + vlan_tags * VLAN_TAG_BYTES + OVERHEAD_BYTES) * 8)


def parse_speed(text: str) -> int:
    """Return bits per second of a speed such as `1G`, `2.5G` or `100M`. Raise UsageError."""
    match = _SPEED.match(text.strip())
    if match is None or float(match[1]) == 0:
        raise UsageError(f"{text!r} is no link speed", "write 100M, 1G, 2.5G, 10G and so on")
    return round(float(match[1]) * _SCALE[match[2].upper()])
