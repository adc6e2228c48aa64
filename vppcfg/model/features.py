"""What an interface has that looks at its packets and is more than on or off."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from vppcfg.common.names import natural_key
from vppcfg.record import record

DELETED_TARGET = "DELETED"
"""What stands for an interface that is gone and to which another one goes on sending copies, as VPP prints it."""


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


@record
class Mirror:
    """Frames of an interface of which another one sends a copy (SPAN)."""

    target: str
    direction: TrafficDirection = TrafficDirection.BOTH
    is_l2: bool = False
    """Whether they are taken where the interface switches, rather than at the port itself."""


def mirrors_in_order(mirrors: Iterable[Mirror]) -> tuple[Mirror, ...]:
    """Return mirrors in one order: those of the port before those of L2 mode, by their targets."""
    return tuple(sorted(mirrors, key=lambda each: (each.is_l2, natural_key(each.target))))


@record
class Lldp:
    """What a port tells its neighbour of itself (plugins/lldp)."""

    description: str = ""
    ipv4: str = ""
    """Canonical management address, '' for none."""
    ipv6: str = ""
    oid: str = ""
    """SNMP's number for the port; the configuration says none, so it is read and taken out."""
