"""What an interface has that looks at its packets and is more than on or off."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from vppcfg.record import record


class UrpfMode(Enum):
    """How VPP looks for a route back to where a packet claims to come from; the values are those of the file."""

    LOOSE = "loose"
    """By whatever interface."""
    STRICT = "strict"
    """By the interface that the packet is on."""


@record
class UrpfCheck:
    """Packets of one family in one direction that must come from where there is a route to."""

    mode: UrpfMode
    is_ipv6: bool = False
    is_output: bool = False
    table_id: int | None = None
    """The FIB table that is asked; None for that of the interface, which the configuration always wants."""


def urpf_in_order(checks: Iterable[UrpfCheck]) -> tuple[UrpfCheck, ...]:
    """Return checks in one order: what comes in before what goes out, IPv4 before IPv6."""
    return tuple(sorted(checks, key=lambda each: (each.is_output, each.is_ipv6)))


class TrafficDirection(Enum):
    """Which packets of an interface are meant; the values are those of the file."""

    INPUT = "input"
    OUTPUT = "output"
    BOTH = "both"


@record
class MssLimit:
    """The largest segment that TCP connections of one family may agree upon, in bytes."""

    mss: int
    is_ipv6: bool = False
    direction: TrafficDirection = TrafficDirection.BOTH
