"""TAPs (plugins/tap/tap.h)."""

from __future__ import annotations

from dataclasses import dataclass, field

from vppcfg.simulator.pool import Pool


@dataclass(slots=True, kw_only=True)
class TapRow:
    """One TAP or TUN (tap_if_t): what it was asked to be, and the Linux device that came of it."""

    index: int
    number: int
    """The N of tapN."""
    device_name: str
    netns: str = ""
    """Where the Linux device is."""
    host_name: str = ""
    """As asked for; Linux cuts it to 15 characters."""
    host_mac: bytes = bytes(6)
    host_mtu: int = 0
    host_bridge: str = ""
    rx_ring_size: int = 256
    tx_ring_size: int = 256
    flags: int = 0
    sw_if_index: int = 0


@dataclass(slots=True, kw_only=True)
class TapMain:
    """All TAPs, those of LCP pairs included."""

    taps: Pool[TapRow] = field(default_factory=Pool)
    by_hw: dict[int, int] = field(default_factory=dict)
    """Index of a TAP by its port."""
    numbers: set[int] = field(default_factory=set)
