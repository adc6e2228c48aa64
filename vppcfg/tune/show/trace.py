"""`show trace` in, whether packets are being traced out (VPP: vlib/trace.c)."""

from __future__ import annotations

from vppcfg.tune.show.lines import Unread, clean_lines


def parse_trace(text: str) -> tuple[bool, Unread]:
    """Return whether any thread has traced packets."""
    return any(line.startswith("Packet ") for line in clean_lines(text)), ()
