"""The base of interfaces that VPP makes on demand, such as tunnels: what each is made with, and how it looks then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Self

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.secret_key import RequiredKey
from vppcfg.model.vrf import table_key
from vppcfg.record import record

NO_PEERS: Mapping[str, frozenset[str]] = {}
VIRTUAL_INTERFACE_OF: dict[InterfaceKind, type[VirtualInterface]] = {}
"""Every class that is a kind, by what its interfaces are: each enters itself where it is declared."""


@record
class VirtualInterface:
    """What one interface is made with. A class of these is a kind, with what all of that kind share.

    Loopbacks and sub-interfaces are none: `Interface` has all that they are created with.
    """

    kind: ClassVar[InterfaceKind]
    noun: ClassVar[str]
    """What an operator calls one, such as `VXLAN tunnel`."""
    table: ClassVar[str]
    """The key of a state document under which they stand."""
    recreate_on_change: ClassVar[tuple[str, ...]]
    """Attributes that VPP cannot change in place, in the order in which a difference is named."""
    is_owned_by_mark: ClassVar[bool] = False
    """Whether other programs create interfaces of the kind too. One without vppcfg's mark in its tag is then treated
    as a port, which a plan configures and never removes."""
    encrypts: ClassVar[bool] = False
    """Whether a crypto engine has to encrypt what it carries."""
    is_up_as_created: ClassVar[bool] = False
    link_mtu_as_created: ClassVar[int | None] = None
    """Bytes; None for a kind that refuses a link MTU."""
    packet_mtu_as_created: ClassVar[int] = 9000
    """Bytes; what most get (vnet/ethernet/interface.c)."""

    def __init_subclass__(cls) -> None:
        """Enter a kind; what several kinds have alike is none."""
        if "kind" in cls.__dict__:
            VIRTUAL_INTERFACE_OF[cls.kind] = cls

    def merge_observed(self, there: VirtualInterface | None) -> Self:
        """Return it with what VPP changes by itself, or what is left open, as it is where VPP has `there`."""
        return self

    def with_names_of(self, other: VirtualInterface | None) -> Self:
        """Return it with what it lacks of the names that only a configuration has, as far as `other` has them."""
        return self

    @property
    def link_mtu_when_created(self) -> int | None:
        """Return the link MTU in bytes of this one in the moment in which VPP makes it; None where there is none."""
        return self.link_mtu_as_created

    @property
    def packet_mtu_when_created(self) -> int:
        """Return the packet MTU in bytes of this one in the moment in which VPP makes it."""
        return self.packet_mtu_as_created

    @property
    def unique_key(self) -> tuple[object, ...] | None:
        """Return what VPP takes only one interface of the kind with; None where it takes any number that are alike."""
        return None

    @property
    def other_end(self) -> str | None:
        """Return the canonical address, in its outer table, that a tunnel leads to; None for anything else."""
        return None

    @property
    def has_ethernet(self) -> bool:
        """Return whether it carries Ethernet frames; an interface that does not has no MAC address."""
        return True

    @property
    def peer_prefixes(self) -> Mapping[str, frozenset[str]]:
        """Return the prefixes that are behind each peer of a tunnel with more than one, by the peer's key."""
        return NO_PEERS

    def required_keys(self, name: str) -> Iterator[RequiredKey]:
        """Yield the secrets without which VPP cannot create the interface `name`."""
        yield from ()

    @property
    def own_end(self) -> str | None:
        """Return the own address, without a length, on which a tunnel stands; None for what is no tunnel."""
        return None

    @property
    def outer_table(self) -> int:
        """Return the id of the FIB table that the ends of a tunnel are in."""
        return 0

    @property
    def needed_table(self) -> str | None:
        """Return the key of the outer table, None for the default one and for what is no tunnel."""
        if not self.outer_table or self.own_end is None:
            return None
        return table_key(self.outer_table, is_ipv6=":" in self.own_end)
