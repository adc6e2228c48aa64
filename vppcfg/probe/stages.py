"""The stages of a frame's way through VPP, and the journey on which a prediction notes what happens.

What each stage does stands in a module of its own; `forwarding` runs them.
"""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.model.route import Route
from vppcfg.probe.frame import Frame, Packet, Tag
from vppcfg.probe.network import Network, NextStep
from vppcfg.probe.outcome import Blame, Fate, FrameEnd, Milestone, Reason
from vppcfg.record import record


@record
class ComesIn:
    """A frame comes in by a port from the wire, or out of a tunnel that carries frames."""

    port: str
    frame: Frame


@record
class Switched:
    """A frame is switched, having come in by an interface of a bridge domain or of a cross-connect."""

    interface: str
    frame: Frame


@record
class Routed:
    """A packet is routed, having come in by an interface."""

    interface: str
    packet: Packet
    frame: Frame | None = None
    """The frame that it was in; None of what came without Ethernet."""


@record
class Asked:
    """An ARP request has come in by an interface."""

    interface: str
    frame: Frame


@record
class Wrapped:
    """The packet of a tunnel looks for its way, having been made here."""

    table: int
    packet: Packet
    tunnel: str


@record
class Translated:
    """A packet that NAT has translated is looked up in a table."""

    interface: str
    table: int
    packet: Packet
    blame: Blame
    """What it is translated by."""


@record
class Leaves:
    """A frame leaves by an interface. `is_switched` shows whether a switch sends it, whose tags are its own."""

    interface: str
    frame: Frame | None
    packet: Packet
    is_switched: bool = False
    blame: Blame | None = None
    """What sends it there, where that is not the interface itself."""
    neighbor: str = ""
    """The address of the neighbour that a packet without a frame is for."""


@record
class Directed:
    """A packet goes to a neighbour, as a look-up has found."""

    step: NextStep
    packet: Packet


Stage = ComesIn | Asked | Switched | Routed | Translated | Wrapped | Directed | Leaves


class Journey:
    """What has been predicted so far of the way of a frame, and the stages that are still to come."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.steps: list[Milestone] = []
        self.ends: list[tuple[FrameEnd, Blame]] = []
        self.ahead: list[Stage] = []
        self.taker = ""
        """The first interface that takes the frame, a sub-interface perhaps; '' before one does."""
        self.packet_class: int | None = None
        """The QoS class that VPP has noted for the packet, as a value of the byte of IP with DSCP in it.

        None where VPP has noted none, or the file leaves open which one.
        """
        self.others: list[Journey] = []
        """Those that part from this one where VPP chooses a next hop or drops; what is still ahead of them is open."""
        self.translation: Blame | None = None
        """What NAT has translated the packet by."""

    def part(self, stages: Iterable[Stage]) -> None:
        """Go on with one of some stages: with the first here, with each of the rest in a journey like this one."""
        first, *rest = stages
        for stage in rest:
            self._parted().then(stage)
        self.then(first)

    def may_drop(self, reason: Reason, blame: Blame) -> None:
        """Go on, and have a journey like this one end here."""
        self._parted().drop(reason, blame)

    def _parted(self) -> Journey:
        other = Journey(self.network)
        other.steps, other.ends, other.taker = list(self.steps), list(self.ends), self.taker
        other.packet_class, other.ahead, other.translation = self.packet_class, list(self.ahead), self.translation
        self.others.append(other)
        return other

    def note(self, kind: str, subject: str, blame: Blame, detail: str = "") -> None:
        """Note something that VPP's trace of the frame is to show."""
        self.steps.append(Milestone(kind=kind, subject=subject, detail=detail, blame=blame))

    def then(self, stage: Stage) -> None:
        """Go on with a stage."""
        self.ahead.append(stage)

    def end(self, end: FrameEnd, blame: Blame) -> None:
        """Note that a copy of the frame ends here."""
        self.ends.append((end, blame))

    def drop(self, reason: Reason, blame: Blame) -> None:
        """Note that a copy of the frame is dropped here."""
        self.end(FrameEnd(fate=Fate.DROPPED, reason=reason), blame)


def of_interface(name: str, aspect: str = "") -> Blame:
    """Return the blame for an interface."""
    return Blame(subject=f"interface {name}", aspect=aspect)


def of_route(route: Route) -> Blame:
    """Return the blame for a static route."""
    return Blame(subject=f"route {route.name}")


def of_bridge(bd_id: int, aspect: str = "") -> Blame:
    """Return the blame for a bridge domain."""
    return Blame(subject=f"bridge domain bd{bd_id}", aspect=aspect)


def with_tags(frame: Frame, tags: tuple[Tag, ...]) -> Frame:
    """Return the frame with other tags."""
    return Frame(destination=frame.destination, source=frame.source, packet=frame.packet, tags=tags)
