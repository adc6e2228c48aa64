"""The frames that prove NAT44 and DET44: what leaves by which address, what comes in, and what nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network

from vppcfg.common.packets import TCP, UDP
from vppcfg.model.det44 import Det44Map, Det44Side
from vppcfg.model.nat44 import NatExemption, NatMapping, NatProtocol, NatSide
from vppcfg.probe.frame import Packet
from vppcfg.probe.ingress import STRANGER, Candidate, Ingress, entry, framed, neighbor_of
from vppcfg.probe.nat import SYN
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame
from vppcfg.probe.stages import of_interface
from vppcfg.probe.tunnels import ANY_PORT

_UNUSED_PORT = 9
_OUTSIDE = frozenset({NatSide.OUTSIDE, Det44Side.OUTSIDE})
_INSIDE = frozenset({NatSide.INSIDE, Det44Side.INSIDE})


def nat_cases(network: Network) -> Iterator[Candidate]:
    """Yield the frames that prove the NAT of a state."""
    outside, inside = (dict(_entries(network, sides)) for sides in (_OUTSIDE, _INSIDE))
    for name, ingress in inside.items():
        packet = Packet(source=neighbor_of(network, name, is_ipv6=False), destination="")
        yield from _outwards(network, ingress, packet, outside, of_interface(name, "nat"), "what a host inside sends")
    for name, ingress in list(outside.items())[:1]:
        yield from _inwards(network, name, ingress)
    for mapping in network.state.of(NatMapping).values():
        yield from _from_mapped(network, mapping, inside, outside)
    for det44 in network.state.of(Det44Map).values():
        yield from _from_map(network, det44, inside, outside)


def _entries(network: Network, sides: frozenset[object]) -> Iterator[tuple[str, Ingress]]:
    """Yield the interfaces that are on one of some sides and route IPv4, each with how frames come in by it."""
    for name, interface in network.state.interfaces.items():
        if interface.nat44 not in sides and interface.det44 not in sides:
            continue
        ingress = entry(network, name)
        if ingress is not None and network.is_up(name) and network.is_enabled(name, is_ipv6=False):
            yield name, ingress


def _outwards(
    network: Network, ingress: Ingress, packet: Packet, outside: dict[str, Ingress], about: Blame, whose: str
) -> Iterator[Candidate]:
    """Send a packet to a host on the link of each interface outside."""
    for name in outside:
        target = neighbor_of(network, name, is_ipv6=False)
        frame = framed(ingress, replace(packet, destination=target))
        yield Candidate(port=ingress.port, frame=frame, about=about, purpose=f"{whose} is translated")


def _inwards(network: Network, name: str, ingress: Ingress) -> Iterator[Candidate]:
    """Send from outside to each mapping, and to addresses that nobody inside has used."""
    source = neighbor_of(network, name, is_ipv6=False)
    for mapping in network.state.of(NatMapping).values():
        for address in network.nat.outer_addresses(mapping):
            packet = _of_protocol(source, address, mapping.protocol, to=mapping.external_port)
            about, purpose = Blame(subject=mapping.label), "what comes to its outer end reaches the host inside"
            yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=about, purpose=purpose)
    for exemption in network.state.of(NatExemption).values():
        for address in network.nat.outer_addresses(exemption):
            packet = _of_protocol(source, address, exemption.protocol, to=exemption.port)
            about, purpose = Blame(subject=exemption.label), "what comes to it is not translated"
            yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=about, purpose=purpose)
    unasked = [(each.label, each.address) for each in network.nat.pool]
    unasked += [(each.label, each.outside.partition("/")[0]) for each in network.state.of(Det44Map).values()]
    for label, address in unasked:
        packet = Packet(source=STRANGER[False], destination=address)
        about, purpose = Blame(subject=label), "what no host inside has asked for is dropped"
        yield Candidate(port=ingress.port, frame=framed(ingress, packet), about=about, purpose=purpose)


def _from_mapped(
    network: Network, mapping: NatMapping, inside: dict[str, Ingress], outside: dict[str, Ingress]
) -> Iterator[Candidate]:
    """Send from the host of a mapping, by the interface inside that it is on."""
    host = IPv4Address(mapping.local)
    links = (each for each in network.connected if each.table == mapping.table_id and host in each.network)
    name = next((each.interface for each in links), "")
    if name in inside:
        packet = _of_protocol(mapping.local, "", mapping.protocol, by=mapping.local_port)
        about = Blame(subject=mapping.label)
        yield from _outwards(network, inside[name], packet, outside, about, "what its host sends")


def _from_map(
    network: Network, det44: Det44Map, inside: dict[str, Ingress], outside: dict[str, Ingress]
) -> Iterator[Candidate]:
    """Send from a host of a map of DET44, one on a link if there is one."""
    hosts = IPv4Network(det44.inside)
    for name, ingress in inside.items():
        neighbor = neighbor_of(network, name, is_ipv6=False)
        source = neighbor if IPv4Address(neighbor) in hosts else str(hosts[-2] if hosts.num_addresses > 2 else hosts[0])
        about, packet = Blame(subject=det44.label), Packet(source=source, destination="")
        yield from _outwards(network, ingress, packet, outside, about, "what a host of it sends")


def _of_protocol(source: str, destination: str, protocol: NatProtocol | None, *, by: int = 0, to: int = 0) -> Packet:
    """Return a packet that begins a connection; `by` and `to` are its ports, 0 for any."""
    is_tcp = protocol is NatProtocol.TCP
    return Packet(
        source=source,
        destination=destination,
        protocol=TCP if is_tcp else UDP,
        ports=(by or ANY_PORT, to or _UNUSED_PORT),
        tcp_flags=SYN if is_tcp else 0,
    )
