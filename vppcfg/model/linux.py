"""What Linux has at the other end of LCP pairs and TAPs: network devices, bridges, network namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vppcfg.record import record

LONGEST_NAME = 15
"""Characters in the name of a network device (linux/if.h, IFNAMSIZ less the NUL)."""


LEAST_IPV6_MTU = 1280
"""Bytes; with less, Linux takes IPv6 off a device (include/uapi/linux/ipv6.h, IPV6_MIN_MTU)."""


@record
class LinuxDevice:
    """A network device as Linux shows it."""

    mtu: int
    """Bytes."""
    is_up: bool
    bridge: str = ""
    """The Linux bridge that the device of a TAP is a port of; '' for none, and of LCP pairs: others choose theirs."""


@record
class LinkSetting:
    """What a network device is to be."""

    name: str
    mtu: int
    """Bytes."""
    is_up: bool


@record
class LinkOutcome:
    """The outcome of settings, by their positions; one that is in neither was not tried."""

    done: tuple[int, ...] = ()
    refused: Mapping[int, str] = field(default_factory=dict)
    """Why, in a line."""


@record
class LinuxSide:
    """What Linux has that belongs to a VPP."""

    devices: dict[tuple[str, str], LinuxDevice]
    """By namespace ('' is VPP's own) and name, those that were asked for and exist."""
    namespaces: frozenset[str]
    """Names of all network namespaces."""
    bridges: frozenset[tuple[str, str]]
    """Namespace and name of every bridge in the namespaces that were asked about."""
    others: frozenset[tuple[str, str]] = frozenset()
    """Namespace and name of the devices there that were not asked for."""
    neighbors: frozenset[tuple[tuple[str, str], str, str]] = frozenset()
    """Device, as in `devices`, address and MAC address of the neighbours that never age."""
    udp_ports: frozenset[int] = frozenset()
    """Ports that programs in these namespaces listen on, of IPv4 and IPv6."""
