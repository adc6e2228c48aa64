"""The requests by which checks find whether an address answers (ping, ARP, neighbour solicitation), and the outcome."""

from __future__ import annotations

from vppcfg.record import record


@record
class EchoQuestion:
    """Does an address answer an ICMP echo request of VPP itself, in its default table?"""

    address: str


@record
class NeighborQuestion:
    """Does a host on an interface of VPP have an address: an ARP request, or a neighbour solicitation?"""

    interface: str
    address: str


@record
class LinuxEchoQuestion:
    """Does an address answer an ICMP echo request of Linux around VPP?"""

    address: str
    netns: str = ""
    """As VPP sees it; '' is VPP's own."""
    device: str = ""
    """The device that it leaves by; '' leaves that to the routes."""
    source: str = ""
    """The address that it comes from; '' leaves that to Linux."""
    table_id: int = 0
    """The table of the VRF device that it is sent in, where no device is named; 0 is none."""


Question = EchoQuestion | NeighborQuestion | LinuxEchoQuestion


@record
class AskOutcome:
    """The outcome of a question."""

    is_answered: bool = False
    mac: str = ""
    """Who answered, where that is known."""
    cannot_ask: str = ""
    """Why nothing was asked, as the end of a sentence; '' when it was."""
    is_unable: bool = False
    """Whether this dataplane cannot find out, so that another one may be asked."""
