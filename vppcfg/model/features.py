"""Features of an interface that are more than on or off, such as reverse path checks, mirrors and LLDP."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from vppcfg.common.addresses import address_key
from vppcfg.common.names import natural_key
from vppcfg.record import record

DELETED = "DELETED"
"""What stands for an interface that is gone, to which another one sends frames or from which it borrows; VPP's word."""


class TrafficDirection(Enum):
    """Which packets of an interface are meant; the values are those of the file."""

    INPUT = "input"
    OUTPUT = "output"
    BOTH = "both"

    def includes(self, *, is_output: bool) -> bool:
        """Return whether packets that go out are meant, or those that come in."""
        return self is not (TrafficDirection.INPUT if is_output else TrafficDirection.OUTPUT)


@record
class PacketFeature:
    """What an interface does with packets of one family that come in, go out, or both."""

    def applies_to(self, *, is_ipv6: bool, is_output: bool) -> bool:
        """Return whether it looks at packets of a family that go out, or come in."""
        raise NotImplementedError(type(self).__name__)


class UrpfMode(Enum):
    """How VPP looks for a route back to where a packet claims to come from; the values are those of the file."""

    LOOSE = "loose"
    """By whatever interface."""
    STRICT = "strict"
    """By the interface that the packet is on."""


@record
class UrpfCheck(PacketFeature):
    """Packets of one family in one direction that must come from where there is a route to."""

    mode: UrpfMode
    is_ipv6: bool = False
    is_output: bool = False
    table_id: int | None = None
    """The FIB table that is asked; None for that of the interface, which the configuration always sets."""

    def applies_to(self, *, is_ipv6: bool, is_output: bool) -> bool:
        return (self.is_ipv6, self.is_output) == (is_ipv6, is_output)


def urpf_in_order(checks: Iterable[UrpfCheck]) -> tuple[UrpfCheck, ...]:
    """Return checks in one order: what comes in before what goes out, IPv4 before IPv6."""
    return tuple(sorted(checks, key=lambda each: (each.is_output, each.is_ipv6)))


@record
class MssLimit(PacketFeature):
    """The largest segment that TCP connections of one family may agree upon, in bytes."""

    mss: int
    is_ipv6: bool = False
    direction: TrafficDirection = TrafficDirection.BOTH

    def applies_to(self, *, is_ipv6: bool, is_output: bool) -> bool:
        return self.is_ipv6 is is_ipv6 and self.direction.includes(is_output=is_output)


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
class ProxyArp:
    """IPv4 addresses of others for which VPP answers ARP, on the interfaces of a table that have it turned on."""

    first: str
    last: str
    """The last one is among them."""
    table_id: int = 0

    @property
    def order(self) -> tuple[object, ...]:
        """Return a key that sorts ranges by their table and their addresses."""
        return self.table_id, address_key(f"{self.first}/32"), address_key(f"{self.last}/32")


@record
class DhcpClient:
    """How an interface asks for an IPv4 address (plugins/dhcp). The one that it gets is no part of a state."""

    hostname: str = ""
    """Sent to the server; '' for none."""
    is_broadcast: bool = True
    """Whether the server is to broadcast its answers, rather than send them to the offered address."""
    dscp: int = 0
    """Of what the client sends; the configuration has none, so it is read and taken out."""


@record
class Lldp:
    """What a port announces to its neighbour (plugins/lldp)."""

    description: str = ""
    ipv4: str = ""
    """Canonical management address, '' for none."""
    ipv6: str = ""
    oid: str = ""
    """SNMP's number for the port; the configuration has none, so it is read and taken out."""


@record
class RaPrefix:
    """A prefix that router advertisements name."""

    prefix: str
    """As VPP has it, with its length."""
    is_on_link: bool = True
    """Whether hosts reach the addresses of the prefix without a router."""
    is_autonomous: bool = True
    """Whether hosts make themselves addresses of the prefix."""
    is_lasting: bool = True
    """Whether it stays as it is. VPP counts any other lifetime down to nothing (vnet/ip6-nd/ip6_ra.c)."""
    is_named: bool = True
    """False for one that VPP knows and does not send."""


def ra_prefixes_in_order(prefixes: Iterable[RaPrefix]) -> tuple[RaPrefix, ...]:
    """Return prefixes in the order of their addresses."""
    return tuple(sorted(prefixes, key=lambda each: address_key(each.prefix)))


@record
class RouterAdvertisements:
    """What an interface advertises to the hosts on its link as a router (RFC 4861)."""

    is_sent: bool = True
    is_managed: bool = False
    """Whether hosts are to ask for their addresses by DHCPv6."""
    has_other: bool = False
    """Whether hosts are to ask for other things by DHCPv6."""
    is_unicast: bool = False
    """Whether who asks gets an answer of its own."""
    lifetime_s: int = 600
    """How long hosts may use the router without hearing of it; 0 for not at all."""
    max_interval_s: int = 200
    min_interval_s: int = 150
    has_link_layer_address: bool = True
    is_ending: bool = False
    """Whether VPP is to send some last ones and then no more."""
    initial_count: int = 3
    initial_interval_s: int = 16
    prefixes: tuple[RaPrefix, ...] = ()
    """In the order of their addresses."""

    def may_become(self, other: RouterAdvertisements) -> bool:
        """Return whether VPP can advertise as in `other` without going back to the default in between.

        A message turns on what it names and leaves the rest as it is (ip6_ra_config in vnet/ip6-nd/ip6_ra.c).
        """
        turned_off = (
            self.is_managed > other.is_managed,
            self.has_other > other.has_other,
            self.is_unicast > other.is_unicast,
            self.has_link_layer_address < other.has_link_layer_address,
            self.is_ending > other.is_ending,
        )
        initial = (self.initial_count, self.initial_interval_s) == (other.initial_count, other.initial_interval_s)
        return initial and not any(turned_off)


NO_ADVERTISEMENTS = RouterAdvertisements(is_sent=False)
"""What VPP has of an interface with IPv6 without a configuration of its own."""
