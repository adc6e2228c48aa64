"""How a test frame can reach an interface: by which port, with which tags and MAC address, between which hosts."""

from __future__ import annotations

from ipaddress import ip_interface

from vppcfg.model.interface import Encapsulation, InterfaceKind
from vppcfg.model.tunnel import Tunnel
from vppcfg.probe.filters import checks_source
from vppcfg.probe.frame import Frame, Packet, Tag
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame
from vppcfg.probe.tunnels import ends_of
from vppcfg.record import record

STRANGER = {False: "198.51.100.77", True: "2001:db8:ffff:77::77"}
"""Documentation addresses (RFC 5737, RFC 3849) that stand for remote hosts."""
NOWHERE = {False: "198.18.7.77", True: "2001:db8:ffff:78::78"}
"""A network without hosts (RFC 2544)."""


@record
class Candidate:
    """A frame that is to prove something; whether it can is not known yet."""

    port: str
    frame: Frame
    about: Blame
    purpose: str


@record
class Ingress:
    """How a frame gets to an interface: by which port, with which tags, to which MAC address."""

    port: str
    tags: tuple[Tag, ...]
    mac: str


def entry(network: Network, name: str) -> Ingress | None:
    """Return how a frame comes in by an interface from the wire; None where none can."""
    interface = network.interface(name)
    port = network.port_of(name)
    kind = network.interface(port).kind
    if kind is InterfaceKind.LOOPBACK or isinstance(network.virtual_of(port), Tunnel):
        return None
    if not network.has_ethernet(port) or not network.mac_of(port):
        return None
    if port in network.bonds and port == name:
        return None
    tags: tuple[Tag, ...] = ()
    if interface.parent is not None:
        match = interface.encapsulation
        if not isinstance(match, Encapsulation):
            return None
        tags = (Tag(vlan=match.outer, is_dot1ad=match.is_dot1ad),)
        tags += () if match.inner is None else (Tag(vlan=match.inner),)
    members = sorted(member for member, bond in network.bonds.items() if bond == port and network.is_up(member))
    return Ingress(port=members[0] if members else port, tags=tags, mac=network.mac_of(port))


def framed(ingress: Ingress, packet: Packet, mac: str | None = None, tags: tuple[Tag, ...] | None = None) -> Frame:
    """Return the frame in which a packet comes in, whose sender is still open."""
    return Frame(
        destination=ingress.mac if mac is None else mac,
        source="",
        packet=packet,
        tags=ingress.tags if tags is None else tags,
    )


def entry_to(network: Network, table: int, is_ipv6: bool) -> tuple[str, Ingress] | None:
    """Return an interface that routes by a table, and how frames come in by it; None where there is none."""
    for name, interface in network.state.interfaces.items():
        is_routed = interface.l2xc is None and interface.bridge is None and network.is_up(name)
        if is_routed and network.is_enabled(name, is_ipv6=is_ipv6):
            ingress = entry(network, name)
            is_checked = any(checks_source(interface, is_ipv6=is_ipv6, is_output=out) for out in (False, True))
            if ingress is not None and network.table_of(name, is_ipv6=is_ipv6) == table and not is_checked:
                return name, ingress
    return None


def neighbor_of(network: Network, name: str, *, is_ipv6: bool) -> str:
    """Return an address of a host on the link of an interface, or of a remote host where it has no prefix."""
    for text in sorted(network.addresses(name)):
        own = ip_interface(text)
        if (own.version == 6) == is_ipv6 and (host := other_host(network, name, text)) is not None:
            return host
    return STRANGER[is_ipv6]


def other_host(network: Network, name: str, text: str) -> str | None:
    """Return a host of a prefix that is not the router itself: a known neighbour, else one of the last ones."""
    own = ip_interface(text)
    table = network.table_of(name, is_ipv6=own.version == 6)
    made = network.virtual_of(name)
    known = [each.address for each in network.interface(name).neighbors]
    known += sorted(ends_of(network, name, made)) if isinstance(made, Tunnel) and made.is_multipoint else []
    for address in known:
        if ip_interface(address).ip in own.network:
            return address
    return free_host(network, table, text)


def free_host(network: Network, table: int, text: str) -> str | None:
    """Return an address of a prefix that the router itself does not have; None where there is none."""
    net = ip_interface(text).network
    if net.num_addresses < 2:
        return None
    edge = 0 if net.num_addresses == 2 else 1
    first, last = int(net.network_address) + edge, int(net.broadcast_address) - edge
    for number in range(last, max(first, last - 8) - 1, -1):
        host = str(type(net.network_address)(number))
        if (table, host) not in network.own:
            return host
    return None
