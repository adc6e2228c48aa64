"""The checks of a router, run before and after a change: pings, ARP requests and commands."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from vppcfg.record import record

DEFAULT_WITHIN_S = 10
LEAST_WITHIN_S, MOST_WITHIN_S = 1, 600
"""Bounds of the deadline of a check, and of how long it must stay good."""


@record
class PingCheck:
    """An address answers an ICMP echo request."""

    address: str
    source: str = ""
    """An interface of VPP, or an address; '' leaves the choice to the sender."""
    vrf: str = ""
    """The VRF of the file in which it is sent; '' is the default one, or that of the source."""
    netns: str = ""
    """The namespace of Linux that sends it; '' is VPP itself or, where it cannot, the namespace of its LCP pairs."""
    within_s: int = DEFAULT_WITHIN_S
    for_s: int = 0
    """How long at least it must stay good after a change."""

    @property
    def text(self) -> str:
        """Return it in the words of the file."""
        named = (("from", self.source), ("vrf", self.vrf), ("netns", self.netns))
        return f"ping {self.address}" + "".join(f" {key} {value}" for key, value in named if value)


@record
class ArpCheck:
    """A host on an interface has an address: it answers an ARP request, or a neighbour solicitation."""

    address: str
    interface: str
    within_s: int = DEFAULT_WITHIN_S
    for_s: int = 0

    @property
    def text(self) -> str:
        """Return it in the words of the file."""
        return f"arp {self.address} interface {self.interface}"


@record
class CommandCheck:
    """A command ends with exit code 0 and prints what it must print."""

    command: tuple[str, ...]
    """A program, by its path or by its name in the usual folders, and its arguments."""
    contains: str = ""
    """What its output must contain; '' is anything."""
    netns: str = ""
    """The namespace of Linux that it runs in; '' is that of vppcfg."""
    within_s: int = DEFAULT_WITHIN_S
    for_s: int = 0

    @property
    def text(self) -> str:
        """Return it in the words of the file."""
        condition = f" contains {self.contains!r}" if self.contains else ""
        where = f" netns {self.netns}" if self.netns else ""
        return f"command {shlex.join(self.command)}{condition}{where}"


Check = PingCheck | ArpCheck | CommandCheck


def longest_s(checks: Sequence[Check]) -> int:
    """Return how many seconds checks may take, whose times run together, and must stay good after that."""
    return max(check.within_s + check.for_s for check in checks)
