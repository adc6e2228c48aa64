"""What goes into tunnels and comes out of them: GRE, IPIP and VXLAN.

Sources: src/plugins/gre/node.c, src/plugins/ipip/node.c, src/plugins/vxlan/encap.c and decap.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from vppcfg.common.packets import GRE, IPIP, IPV6_IN_IP, UDP
from vppcfg.model.features import TrafficDirection
from vppcfg.model.interface import Interface
from vppcfg.model.ipfix import FlowVariant
from vppcfg.model.tunnel import Gre, GreMode, Ipip, Tunnel, Vxlan
from vppcfg.model.tunnel_neighbor import TunnelNeighbor
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.probe.frame import Frame, Inside, Packet, frame_bytes
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame, Reason, UndecidedError
from vppcfg.probe.stages import ComesIn, Journey, Routed, Switched, Wrapped, of_interface

ANY_PORT = 1025
"""The source port of what is sent unless it matters."""


def carries_frames(virtual: VirtualInterface) -> bool:
    """Return whether frames go into a tunnel and come out of it at the other end."""
    return isinstance(virtual, Vxlan) or (isinstance(virtual, Gre) and virtual.mode is GreMode.TEB)


def of_another_tunnel(virtual: Tunnel, packet: Packet) -> Packet | None:
    """Return a packet like one of a tunnel, but with another key or VNI; None for a kind without any."""
    inside = packet.inside
    if inside is None or isinstance(virtual, Ipip):
        return None
    if inside.vni is not None:
        return replace(packet, inside=replace(inside, vni=inside.vni ^ 0x800000))
    return replace(packet, inside=replace(inside, key=inside.key ^ 0x40000000))


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

    Frames that go into a GRE tunnel, their headers counted, are dropped where they are larger than its MTU
    (adj_l2_rewrite_inline in src/vnet/adj/adj_l2.c).
    """
    virtual = journey.network.virtual_of(name)
    if not isinstance(virtual, Tunnel):
        raise UndecidedError("what it sends is not traced")
    if virtual.is_multipoint:
        virtual = ends_of(journey.network, name, virtual)[neighbor]
    if isinstance(virtual, Gre) and frame is not None:
        if is_routed and _has_feature_out(journey.network.interface(name), packet):
            raise UndecidedError("VPP drops what is routed into such a tunnel behind an output feature")
        if len(frame_bytes(frame)) > journey.network.state.packet_mtu(name):
            return journey.drop(Reason.TOO_BIG, of_interface(name, "mtu"))
    outer = outer_packet(virtual, Inside(frame=frame) if frame is not None else Inside(packet=packet))
    journey.note("wrapped", name, of_tunnel(virtual, name))
    return journey.then(Wrapped(table=virtual.outer_table, packet=outer, tunnel=name))


def _has_feature_out(interface: Interface, packet: Packet) -> bool:
    """Return whether a packet meets a feature on its way out.

    Behind features, what leaves by a GRE tunnel goes to tunnel-output, which follows the adjacency of the packet as if
    it was one of the tunnel (vnet_gre_tunnel_add in src/plugins/gre/interface.c, adj_midchain_tx_inline in
    src/vnet/adj/adj_midchain_node.c). With frames in the tunnel it is that of a neighbour, and leads nowhere.
    """
    outputs = (TrafficDirection.OUTPUT, TrafficDirection.BOTH)
    records, family = interface.flow_records, FlowVariant.IP6 if packet.is_ipv6 else FlowVariant.IP4
    return (
        interface.has_gso
        or bool(interface.acls.output)
        or any(check.is_output and check.is_ipv6 == packet.is_ipv6 for check in interface.urpf)
        or any(limit.is_ipv6 == packet.is_ipv6 and limit.direction in outputs for limit in interface.mss_clamp)
        or (records is not None and records.variant is family and records.direction in outputs)
    )


def outer_packet(virtual: Tunnel, inside: Inside, *, is_incoming: bool = False) -> Packet:
    """Return the packet of a tunnel, to the other router or from it."""
    ends = (virtual.remote, virtual.local) if is_incoming else (virtual.local, virtual.remote)
    protocol, ports = _protocol(virtual, inside)
    if is_incoming and isinstance(virtual, Vxlan):
        ports = (ANY_PORT, virtual.source_port)
    key = virtual.key if isinstance(virtual, Gre) else 0
    carried = Inside(
        packet=inside.packet, frame=inside.frame, key=key, vni=virtual.vni if isinstance(virtual, Vxlan) else None
    )
    ttl = 64 if is_incoming else 255
    return Packet(source=ends[0], destination=ends[1], protocol=protocol, ports=ports, inside=carried, ttl=ttl)


def _protocol(virtual: Tunnel, inside: Inside) -> tuple[int, tuple[int, int]]:
    if isinstance(virtual, Vxlan):
        return UDP, (virtual.source_port, virtual.destination_port)
    if isinstance(virtual, Gre):
        return GRE, (0, 0)
    is_ipv6 = inside.packet is not None and inside.packet.is_ipv6
    return (IPV6_IN_IP if is_ipv6 else IPIP), (0, 0)


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
    journey.note("unwrapped", name, of_tunnel(virtual, name))
    if isinstance(virtual, Vxlan):
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
    if isinstance(virtual, Vxlan):
        return packet.protocol == UDP and inside.vni == virtual.vni and packet.ports[1] == virtual.source_port
    if isinstance(virtual, Gre):
        mode = GreMode.L3 if inside.frame is None else GreMode.TEB
        return packet.protocol == GRE and (virtual.mode, virtual.key) == (mode, inside.key)
    return isinstance(virtual, Ipip) and packet.protocol in (IPIP, IPV6_IN_IP)
