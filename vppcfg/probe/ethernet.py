"""Predicts where frames come in and leave: which sub-interface has the tags, whose MAC address it is, who is up.

Sources: src/vnet/ethernet/node.c and ethernet.h (eth_identify_subint), src/vnet/bonding/node.c,
src/vnet/interface_output.c.
"""

from __future__ import annotations

from vppcfg.model.features import TrafficDirection
from vppcfg.model.interface import Encapsulation
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.probe.frame import ARP, Frame, Tag
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, FrameEnd, Reason, UndecidedError
from vppcfg.probe.stages import Asked, ComesIn, Journey, Leaves, Routed, Switched, of_interface
from vppcfg.probe.tunnels import carries_frames, wrap


def comes_in(journey: Journey, stage: ComesIn) -> None:
    """Find which interface takes a frame from the wire, and hand the frame to the stage that follows.

    The first interface that takes it is noted as its taker. Raise UndecidedError where the file does not decide it.
    """
    network, port, frame = journey.network, stage.port, stage.frame
    if not network.is_up(port):
        return journey.drop(Reason.DOWN, of_interface(port, "state"))
    _mirror(journey, port, TrafficDirection.INPUT)
    if port in network.bonds:
        journey.note("bonded", network.bonds[port], of_interface(network.bonds[port], f"member {port}"))
        port = network.bonds[port]
        if not network.is_up(port):
            raise UndecidedError("the bond is down")
    name = _taker(journey, port, frame)
    if name is None:
        return None
    journey.taker = journey.taker or name
    if frame.packet.protocol == ARP:
        return journey.then(Asked(interface=name, frame=frame))
    if network.interface(name).is_l2:
        return journey.then(Switched(interface=name, frame=frame))
    mac = network.mac_of(name)
    if not frame.is_for_many and frame.destination != mac:
        if any(each.is_l2 for each in network.sub_interfaces(port)):
            raise UndecidedError("some of the port is switched, and VPP may take frames for others")
        return journey.drop(Reason.OTHER_MAC, of_interface(port, "mac"))
    match = network.interface(name).encapsulation
    if isinstance(match, Encapsulation) and not match.is_exact:
        raise UndecidedError("a sub-interface that takes more tags than its own cannot be routed to")
    return journey.then(Routed(interface=name, packet=frame.packet, frame=frame))


def _taker(journey: Journey, port: str, frame: Frame) -> str | None:
    """Return the interface that takes the frame; None when it is dropped."""
    network = journey.network
    if not frame.tags:
        return port
    if network.has_other_matches(port):
        raise UndecidedError("a sub-interface matches tags in a way that no file can express")
    if len(frame.tags) > 2 or any(tag.is_dot1ad for tag in frame.tags[1:]):
        raise UndecidedError("VPP looks at two tags, and takes the inner one for 802.1Q")
    outer, inner = frame.tags[0], frame.tags[1].vlan if len(frame.tags) > 1 else None
    found = network.matching(port, outer.vlan, inner, is_dot1ad=outer.is_dot1ad)
    if found is None:
        if network.interface(port).is_l2:
            return port
        journey.drop(Reason.NO_VLAN, of_interface(port, "sub-interfaces"))
        return None
    if not network.is_up(found.name):
        journey.drop(Reason.DOWN, of_interface(found.name, "state"))
        return None
    return found.name


def leave(journey: Journey, stage: Leaves) -> None:
    """Send a frame out, or into the tunnel that the interface is.

    VPP looks whether the port is up; a sub-interface that is down takes nothing, and sends all the same.
    """
    network, name, packet = journey.network, stage.interface, stage.packet
    port = network.port_of(name)
    virtual = network.virtual_of(port)
    if virtual is not None and virtual.own_end is not None:
        return _into_tunnel(journey, stage, virtual)
    blame = stage.blame or journey.translation or of_interface(name, "reached")
    journey.note("sent", name, blame)
    if not network.is_up(port):
        return journey.drop(Reason.DOWN, of_interface(port, "state"))
    if not network.has_link(name):
        return journey.drop(Reason.DOWN, of_interface(name, "link"))
    _mirror(journey, name, TrafficDirection.OUTPUT)
    frame = stage.frame
    end = FrameEnd(
        fate=Fate.SENT,
        interface=name,
        tags=None if frame is None else _tags_sent(network, stage, frame),
        destination_mac=frame.destination if frame is not None else "",
        source=packet.source,
        destination=packet.destination,
        ttl=packet.ttl if packet.inside is None else 0,  # the TTL of what a tunnel sends is not compared
        is_encrypted=packet.is_encrypted,
    )
    return journey.end(end, blame)


def _into_tunnel(journey: Journey, stage: Leaves, virtual: VirtualInterface) -> None:
    """Wrap what leaves by a tunnel; VPP does so at once, without looking whether the tunnel is up.

    A tunnel with Ethernet wraps whole frames, any other wraps packets. `is_routed` says that this
    router made the frame, and the tunnel itself sends it, not a sub-interface.
    """
    frame, port = stage.frame, journey.network.port_of(stage.interface)
    if frame is None:
        return wrap(journey, port, None, stage.packet, neighbor=stage.neighbor)
    if not carries_frames(virtual):
        raise UndecidedError("what such a tunnel sends is not followed")
    tags = _tags_sent(journey.network, stage, frame)
    whole = Frame(destination=frame.destination, source=frame.source, packet=stage.packet, tags=tags)
    is_routed = stage.interface == port and not stage.is_switched
    return wrap(journey, port, whole, stage.packet, is_routed=is_routed)


def _tags_sent(network: Network, stage: Leaves, frame: Frame) -> tuple[Tag, ...]:
    """Return the tags that a frame leaves with: its own where it was switched, those of the interface where routed."""
    return frame.tags if stage.is_switched else own_tags(network, stage.interface)


def own_tags(network: Network, name: str) -> tuple[Tag, ...]:
    """Return the tags that routed packets leave an interface with."""
    match = network.interface(name).encapsulation
    if match is None:
        return ()
    if not isinstance(match, Encapsulation):
        raise UndecidedError("the interface has no tags of its own")
    outer = Tag(vlan=match.outer, is_dot1ad=match.is_dot1ad)
    return (outer,) if match.inner is None else (outer, Tag(vlan=match.inner))


def _mirror(journey: Journey, name: str, direction: TrafficDirection) -> None:
    """Note the copies that mirrors send of what passes a port."""
    for mirror in journey.network.interface(name).mirrors:
        if not mirror.is_l2 and mirror.direction in (direction, TrafficDirection.BOTH):
            journey.note("mirrored", name, of_interface(name, f"mirror to {mirror.target}"), mirror.target)
