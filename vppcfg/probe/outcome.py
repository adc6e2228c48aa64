"""The outcome of a frame: how its ways end, the steps on them, and the object of the file behind each."""

from __future__ import annotations

from enum import Enum

from vppcfg.probe.frame import Frame, Tag
from vppcfg.record import record


class Fate(Enum):
    """How the way of a frame, or of a copy of it, ends."""

    SENT = "leaves"
    """It leaves by an interface."""
    KEPT = "is for the router itself"
    PUNTED = "is handed to Linux"
    """By the LCP pair of the interface that it came in by."""
    ASKED = "waits for a neighbour"
    """VPP asks who has the address, and drops what it cannot send yet."""
    ANSWERED = "is answered with an ICMP error"
    REFUSED = "is dropped, or answered with an ICMP error"
    """As VPP limits how often it answers, which of both is open (src/vnet/dpo/ip_null_dpo.c)."""
    DROPPED = "is dropped"


class Reason(Enum):
    """Why a frame is dropped, or answered with an error."""

    DOWN = "the interface is down"
    NO_VLAN = "no sub-interface has these VLAN tags"
    OTHER_MAC = "its MAC address is not that of the interface"
    NOT_ENABLED = "the interface has no address of this family"
    ACL = "an access list denies it"
    STATION = "a MACIP access list denies it"
    NO_WAY_BACK = "there is no route back to its source"
    NO_ROUTE = "there is no route"
    UNREACHABLE = "its route is `unreachable`"
    PROHIBITED = "its route is `prohibit`"
    FILTERED = "its MAC address is filtered"
    NOWHERE = "nothing else is there to send it to"
    TAGS = "it has too few VLAN tags to take off"
    GROUP = "it would stay in its split-horizon group"
    REFLECTED = "it would go back to where it came from"
    NO_TUNNEL = "no tunnel has these ends"
    RATE = "it is above its rate limit"
    NO_TRANSLATION = "NAT has no translation for it"
    EXPIRED = "its TTL is used up"
    TOO_BIG = "it is larger than the MTU"
    OTHER = "another reason"


@record
class Blame:
    """An object of the file, and what of it is meant."""

    subject: str
    """As in the file: `interface NAME`, `bridge domain bdN`, `access list NAME`."""
    aspect: str = ""

    @property
    def text(self) -> str:
        """Return the object and its part in words."""
        return f"{self.subject}: {self.aspect}" if self.aspect else self.subject


@record
class FrameEnd:
    """Where one way ends; of two ends that are equal, VPP shows no difference."""

    fate: Fate
    interface: str = ""
    """By which it is sent, or on which a neighbour is asked for."""
    reason: Reason | None = None
    tags: tuple[Tag, ...] | None = None
    """The VLAN tags that it leaves with; None where it has no Ethernet header."""
    destination_mac: str = ""
    source: str = ""
    """Addresses of the outermost IP header of what is sent."""
    destination: str = ""
    ttl: int = 0
    """0 where it does not matter: of what a tunnel sends."""
    is_encrypted: bool = False
    """Whether it leaves as ESP (RFC 4303)."""


@record
class Milestone:
    """A step of the frame through VPP that a trace shows."""

    kind: str
    """What happens: `routed`, `looked up`, `switched`, `filtered`, `sent`."""
    subject: str = ""
    """Where: an interface, or the number of a table; '' where a trace does not show it."""
    detail: str = ""
    blame: Blame | None = None

    @property
    def seen(self) -> tuple[str, str, str]:
        """Return what a trace shows of it."""
        return self.kind, self.subject, self.detail


@record
class Prediction:
    """What happens to a frame by the file."""

    steps: tuple[Milestone, ...]
    ends: tuple[tuple[FrameEnd, Blame], ...]
    """Each with the object that has it end so."""
    taker: str = ""
    """The interface that takes the frame from the wire, a sub-interface perhaps; '' where none does."""
    others: tuple[Prediction, ...] = ()
    """What may become of it as well, where VPP chooses between next hops; these have no others."""

    @property
    def choices(self) -> tuple[Prediction, ...]:
        """Return all that may become of it, each on its own."""
        return (self, *self.others)


@record
class FrameProbe:
    """A frame, where it comes in, and what it is to show."""

    name: str
    port: str
    """The interface by which the frame comes in, as if from the wire."""
    frame: Frame
    about: Blame
    """What it is made to prove."""
    purpose: str
    """In words, such as `a packet of the largest size passes`."""
    prediction: Prediction


@record
class Unproved:
    """An object of the file that some frame would have been about, and why that cannot be sent."""

    about: Blame
    purpose: str
    why: str


class UndecidedError(Exception):
    """What happens to a frame depends on more than the file, such as something learnt; such a frame is not sent."""
