"""What a running VPP shows about how it was set up, as it says it: nothing is interpreted here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vppcfg.record import record


@record
class Thread:
    """One thread of VPP."""

    id: int
    """0 is the main thread."""
    name: str
    cpu: int


@record
class RunningVpp:
    """One VPP at one time."""

    version: str
    threads: tuple[Thread, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    """What it shows, by command, such as `show buffers`."""
