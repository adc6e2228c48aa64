"""Predicts what goes into tunnels and comes out of them, from what `model/tunnel` has of their kinds.

Source: the nodes of each kind in src/plugins, such as encap.c and decap.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from vppcfg.common.packets import UDP
from vppcfg.model.interface import Interface, packet_features
from vppcfg.model.tunnel import Tunnel, TunnelPayload
from vppcfg.model.tunnel_neighbor import TunnelNeighbor
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.probe.frame import Frame, Inside, Packet, frame_bytes
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame, Reason, UndecidedError
from vppcfg.probe.stages import ComesIn, Journey, Routed, Switched, Wrapped, of_interface

_SURE_TO_FIT = 1000
"""Bytes that fit into whatever a tunnel goes over, encrypted too."""
ANY_PORT = 1025
"""The source port of what is sent unless it matters."""


def carries_frames(virtual: VirtualInterface) -> bool:
    """Return whether frames go into a tunnel and come out of it at the other end."""
    return isinstance(virtual, Tunnel) and virtual.payload is TunnelPayload.FRAMES


def of_another_tunnel(virtual: Tunnel, packet: Packet) -> Packet | None:
    """Return a packet like one of a tunnel, but with another key or VNI; None for a kind without any."""
    inside = packet.inside
    if inside is None or virtual.packet_key is None:
        return None
    return replace(packet, inside=replace(inside, key=inside.key ^ 0x800000))


def ends_of(network: Network, name: str, virtual: Tunnel) -> dict[str, Tunnel]:
    """Return a tunnel, or of one to many routers a tunnel to each, by the neighbour behind it."""
    if not virtual.is_multipoint:
        return {"": virtual}
    neighbors: Iterable[TunnelNeighbor] = network.state.of(TunnelNeighbor).values()
    return {
        each.peer: replace(virtual, remote=each.next_hop, encap_vrf=each.next_hop_table)
        for each in neighbors
        if each.interface == name
    }


def wrap(
    journey: Journey, name: str, frame: Frame | None, packet: Packet, *, is_routed: bool = False, neighbor: str = ""
) -> None:
    """Put a frame, or a packet to a neighbour, into the tunnel that an interface is.

    `is_routed`: whether this router made the frame.
    """
    virtual = journey.network.virtual_of(name)
    if not isinstance(virtual, Tunnel):
        raise UndecidedError("what it sends is not traced")
    if virtual.is_multipoint:
        virtual = ends_of(journey.network, name, virtual)[neighbor]
    if virtual.has_adjacency and frame is not None:
        if is_routed and _has_feature_out(journey.network.interface(name), packet):
            raise UndecidedError("VPP drops what is routed into such a tunnel behind an output feature")
        if len(frame_bytes(frame)) > journey.network.state.packet_mtu(name):
            return journey.drop(Reason.TOO_BIG, of_interface(name, "mtu"))
    outer = outer_packet(virtual, Inside(frame=frame) if frame is not None else Inside(packet=packet))
    journey.note("wrapped", name, of_tunnel(virtual, name))
    if name in journey.network.protected:
        if packet.length > _SURE_TO_FIT:
            raise UndecidedError("how long an encrypted packet is depends on its association")
        outer = replace(outer, is_encrypted=True)
    return journey.then(Wrapped(table=virtual.outer_table, packet=outer, tunnel=name))


def _has_feature_out(interface: Interface, packet: Packet) -> bool:
    """Return whether a packet meets a feature on its way out.

    Behind features, what leaves by an adjacency goes to tunnel-output, which follows the adjacency of the packet as if
    it was one of the tunnel (adj_midchain_tx_inline in src/vnet/adj/adj_midchain_node.c). With frames in the tunnel it
    is that of a neighbour, and leads nowhere.
    """
    return (
        interface.has_gso
        or bool(interface.acls.output)
        or any(each.applies_to(is_ipv6=packet.is_ipv6, is_output=True) for each in packet_features(interface))
    )


def outer_packet(virtual: Tunnel, inside: Inside, *, is_incoming: bool = False) -> Packet:
    """Return the packet of a tunnel, to the other router or from it."""
    source, destination = (virtual.remote, virtual.local) if is_incoming else (virtual.local, virtual.remote)
    ports = virtual.ports or (0, 0)
    return Packet(
        source=source,
        destination=destination,
        protocol=virtual.protocol(is_ipv6=_is_ipv6(inside)),
        ports=(ANY_PORT, ports[0]) if is_incoming and virtual.ports else ports,
        inside=replace(inside, key=virtual.packet_key or 0),
        ttl=64 if is_incoming else 255,
    )


def _is_ipv6(inside: Inside) -> bool:
    return inside.packet is not None and inside.packet.is_ipv6


def of_tunnel(virtual: Tunnel, name: str) -> Blame:
    """Return the blame for a tunnel."""
    return Blame(subject=f"{virtual.noun} {name}")


def unwrap(journey: Journey, table: int, packet: Packet) -> None:
    """Take what is in the packet of a tunnel out of it, by the tunnel with these ends."""
    inside = packet.inside
    if inside is None:
        raise UndecidedError("there is nothing in the packet")
    found = [
        (name, virtual)
        for name, virtual in journey.network.state.virtual.items()
        if isinstance(virtual, Tunnel) and _is_from(ends_of(journey.network, name, virtual), table, packet, inside)
    ]
    if not found and packet.protocol == UDP:
        raise UndecidedError("another program may listen on the port")
    if not found:
        return journey.drop(Reason.NO_TUNNEL, Blame(subject="tunnels"))
    (name, virtual), *others = found
    if others:
        raise UndecidedError("two tunnels have these ends")
    if name in journey.network.protected:
        raise UndecidedError("the tunnel is protected, and the frame is not")
    journey.note("unwrapped", name, of_tunnel(virtual, name))
    if virtual.is_switched:
        assert inside.frame is not None
        if not journey.network.interface(name).is_l2:
            raise UndecidedError("the tunnel's frames are not switched")
        return journey.then(Switched(interface=name, frame=inside.frame))
    if not journey.network.is_up(name):
        raise UndecidedError("the tunnel is down")
    if inside.frame is not None:
        return journey.then(ComesIn(port=name, frame=inside.frame))
    assert inside.packet is not None
    return journey.then(Routed(interface=name, packet=inside.packet))


def _is_from(ends: Mapping[str, Tunnel], table: int, packet: Packet, inside: Inside) -> bool:
    return any(end.outer_table == table and _is_of(end, packet, inside) for end in ends.values())


def _is_of(virtual: Tunnel, packet: Packet, inside: Inside) -> bool:
    """Return whether a packet from the other router belongs to a tunnel."""
    if (virtual.local, virtual.remote) != (packet.destination, packet.source) or not virtual.is_plain:
        return False
    carries = TunnelPayload.PACKETS if inside.frame is None else TunnelPayload.FRAMES
    port = None if virtual.ports is None else virtual.ports[0]
    return (
        virtual.payload is carries
        and packet.protocol == virtual.protocol(is_ipv6=_is_ipv6(inside))
        and inside.key == (virtual.packet_key or 0)
        and port in (None, packet.ports[1])
    )
