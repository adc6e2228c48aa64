"""Rate limits: policers, and the classify tables that send the packets of interfaces to them (vnet/classify).

A policer is a bucket of its own for each place where the file uses one. A table of the classifier looks at some bits
of a packet, one after the other along a chain of tables, and what it finds there, a rate limit, names a policer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import ClassVar, NamedTuple

from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.record import record

MARK = "vppcfg:"
"""What the name of each of our policers begins with in VPP."""
TABLE_MARK, IPV6_BIT, LAST_TABLE = 0x76600000, 1 << 19, (1 << 19) - 1
"""What becomes of packets that no session of a table is for: the mark, the family and the number of the table.

VPP takes what is no next node for the way on (policer_classify_inline), and shows it.
"""
NAME_BYTES = 63
"""VPP keeps 64 bytes of a policer's name, the last one NUL (policer.api)."""
_DIGEST_DIGITS = 10


@record
class Policer(VppObject):
    """A bucket of tokens: what it holds passes, and what is above it is dropped or marked."""

    noun = "policer"
    table = "policers"
    is_always_ours = True
    impact_verbs: ClassVar[Mapping[str, tuple[str, str]]] = {
        "limits": ("limits traffic from now on", "limit traffic from now on"),
        "less": ("lets less traffic pass", "let less traffic pass"),
    }

    policer: str
    """What the file calls the rate."""
    user: str
    """Whose packets it counts, as far as the name in VPP has room for it."""
    rate_kbps: int
    burst_bytes: int
    dscp: int | None = None
    """What packets above the rate are marked with; None drops them."""
    is_plain: bool = True
    """Whether it lets pass what is within one rate in bit/s, and does the same to all else: so does each of a file."""

    @property
    def name(self) -> str:
        """Return what VPP calls it, without the mark."""
        return f"{self.policer}:{self.user}"


def user_of(policer: str, user: str) -> str:
    """Return the words for who uses a policer that fit into its name in VPP, different for different users."""
    room = NAME_BYTES - len(f"{MARK}{policer}:")
    if len(user) <= room:
        return user
    digest = sha256(user.encode()).hexdigest()[:_DIGEST_DIGITS]
    return f"{user[: room - _DIGEST_DIGITS - 1]}~{digest}"


class TableShape(NamedTuple):
    """What a table looks at."""

    is_ipv6: bool
    offset: int
    length: int


EVERY_PACKET = TableShape(False, 0, 0)


@record
class LimitTable(VppObject):
    """A table of the classifier that looks at one prefix of an address, or at nothing, so that it takes every packet.

    VPP numbers tables as it likes; the number here is ours, and stands where VPP keeps what becomes of other packets.
    """

    noun = "table of rate limits"
    table = "limit_tables"
    is_always_ours = True
    carries_traffic = False

    number: int
    is_ipv6: bool = False
    offset: int = 0
    """How many bytes of a frame are before the address."""
    length: int = 0
    """How many bits of the address it looks at; with none of them it takes every packet."""
    next: int | None = None
    """The number of the table that looks at the packets of which this one knows nothing."""

    @property
    def name(self) -> str:
        return str(self.number)

    @property
    def shape(self) -> TableShape:
        """Return what it looks at."""
        return TableShape(self.is_ipv6, self.offset, self.length)


@record
class RateLimit(VppObject):
    """The packets that a table sends to a policer."""

    noun = "rate limit"
    table = "rate_limits"
    is_always_ours = True
    carries_traffic = False

    number: int
    """Of the table."""
    prefix: str
    """The addresses; '' for every packet."""
    policer: str
    """The name of the policer."""
    offset: int = 0
    """How many bytes of a frame are before the address."""

    @property
    def name(self) -> str:
        """Return whose packets it is, and by which table."""
        return f"{self.prefix or 'any'} in {self.number}"

    def references(self) -> Iterator[Reference]:
        yield Reference(Referent.OBJECT, f"{LimitTable.noun} {self.number}")
        yield Reference(Referent.OBJECT, f"{Policer.noun} {self.policer}")


@record
class LimitedInterface(VppObject):
    """An interface whose packets of a family, or whose frames in L2 mode, a table looks at as they come in."""

    noun = "limited interface"
    table = "limited_interfaces"
    is_always_ours = True
    is_replaceable = False
    carries_traffic = False

    interface: str
    """Its name; `DELETED` and an index where it was deleted with the table, which the next one with the index gets."""
    layer: str
    """One of `LAYERS`."""
    number: int | None
    """Of the table; None for one of another program."""
    is_on: bool = True
    """Whether packets come there: not on an interface that was deleted, whose index another one has now."""

    @property
    def is_deleted(self) -> bool:
        """Return whether the interface is gone. VPP takes the table off the next one with its index alone."""
        return self.interface.startswith(DELETED)

    @property
    def name(self) -> str:
        """Return the interface, and what of it."""
        return f"{self.interface} {self.layer}"

    @property
    def scope(self) -> str:
        return self.interface

    def references(self) -> Iterator[Reference]:
        """Yield the interface and the table; nothing of another program's, which goes and comes as an attachment."""
        if self.number is not None and not self.is_deleted:
            yield Reference(Referent.INTERFACE, self.interface)
            yield Reference(Referent.OBJECT, f"{LimitTable.noun} {self.number}")


DELETED = "deleted "
LAYERS = ("ipv4", "ipv6", "frames")
"""What VPP has a table for on each interface, by its number (policer_classify_table, vnet/classify/classify.api)."""


def chain(tables: Mapping[str, LimitTable], head: int | None) -> Iterator[LimitTable]:
    """Yield the tables that look at packets one after the other, from that with the number `head` on."""
    seen: set[int] = set()
    while head is not None and head not in seen and (table := tables.get(str(head))) is not None:
        yield table
        seen.add(head)
        head = table.next
