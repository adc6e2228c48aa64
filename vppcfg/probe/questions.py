"""Frames that prove what VPP answers or relays (ARP of bridge domains and VRRP, DHCP), and what becomes of them.

Sources: src/vnet/l2/l2_arp_term.c (arp_term_l2bd), src/plugins/vrrp/node.c (vrrp_arp_nd_next),
src/plugins/dhcp/dhcp4_proxy_node.c (dhcp_proxy_to_server_input).
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.packets import UDP
from vppcfg.model.bridge import bridge_name
from vppcfg.model.bridge_arp import BridgeArp
from vppcfg.model.dhcp_relay import DhcpRelay
from vppcfg.model.interface import Interface
from vppcfg.model.virtual_router import VirtualRouter, VrrpState
from vppcfg.probe.ethernet import own_tags
from vppcfg.probe.frame import ARP, BROADCAST, Frame, Packet, Tag
from vppcfg.probe.ingress import STRANGER, Candidate, entry, entry_to, framed, neighbor_of
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame, Fate, FrameEnd, UndecidedError
from vppcfg.probe.stages import Asked, Journey, Wrapped, of_bridge

_BROADCAST, _UNSPECIFIED = "255.255.255.255", "0.0.0.0"
_CLIENT, _SERVER = 68, 67
_VIRTUAL_MAC = "00:00:5e:00:01:{:02x}"
"""Of IPv4 (RFC 5798, 7.3)."""
_SMALLEST_BOOTP = 300
"""Bytes (RFC 951)."""


def requests(network: Network) -> Iterator[Candidate]:
    """Yield the frames that prove ARP entries, virtual routers and relays of IPv4."""
    for entry_of_bridge in network.state.of(BridgeArp).values():
        if ":" not in entry_of_bridge.address:
            yield from _about_entry(network, entry_of_bridge)
    for router in network.state.of(VirtualRouter).values():
        if not router.is_ipv6:
            yield from _about_router(network, router)
    for number, relay in enumerate(network.state.of(DhcpRelay).values(), start=1):
        found = None if relay.is_ipv6 else entry_to(network, relay.table_id, is_ipv6=False)
        if found is not None:
            packet = Packet(
                source=_UNSPECIFIED, destination=_BROADCAST, ports=(_CLIENT, _SERVER), payload=_discover(number)
            )
            frame = framed(found[1], packet, mac=BROADCAST)
            about, purpose = Blame(subject=relay.label), "what a DHCP client asks is handed to the server"
            yield Candidate(port=found[1].port, frame=frame, about=about, purpose=purpose)


def _about_entry(network: Network, item: BridgeArp) -> Iterator[Candidate]:
    """Ask by one member of the bridge domain, the first that can."""
    for member in network.bridge_members(item.bd_id):
        ingress = entry(network, member.name)
        if ingress is not None and network.is_up(member.name) and not member.split_horizon_group:
            packet = Packet(source=STRANGER[False], destination=item.address, protocol=ARP)
            frame = framed(ingress, packet, mac=BROADCAST)
            about, purpose = Blame(subject=item.label), "the bridge domain answers by itself"
            yield Candidate(port=ingress.port, frame=frame, about=about, purpose=purpose)
            return


def _about_router(network: Network, router: VirtualRouter) -> Iterator[Candidate]:
    ingress = entry(network, router.interface)
    if ingress is None:
        return
    source = neighbor_of(network, router.interface, is_ipv6=False)
    for address in router.addresses:
        packet = Packet(source=source, destination=address, protocol=ARP)
        about, purpose = Blame(subject=router.label), "the master answers with its virtual MAC address"
        yield Candidate(port=ingress.port, frame=framed(ingress, packet, mac=BROADCAST), about=about, purpose=purpose)


def _discover(number: int) -> bytes:
    """Return a DHCPDISCOVER (RFC 2131) of a client that nothing else has."""
    head = bytes([1, 1, 6, 0]) + number.to_bytes(4) + bytes(20)
    client = bytes.fromhex("02005e005399").ljust(16, b"\0")
    options = bytes([53, 1, 1, 255])
    return (head + client + bytes(192) + bytes.fromhex("63825363") + options).ljust(_SMALLEST_BOOTP, b"\0")


def answer(journey: Journey, stage: Asked) -> None:
    """Answer an ARP request by the interface that it came in by; raise UndecidedError where others may answer."""
    interface = journey.network.interface(stage.interface)
    if interface.mirrors or interface.macip is not None or interface.acls.input or interface.acls.output:
        raise UndecidedError("lists and mirrors may have to do with ARP")
    if interface.is_l2:
        return _by_bridge(journey, interface, stage.frame)
    address = stage.frame.packet.destination
    routers = journey.network.state.of(VirtualRouter).values()
    router = next((each for each in routers if each.interface == interface.name and address in each.addresses), None)
    if router is None or router.state is not VrrpState.MASTER:
        raise UndecidedError("no virtual router that is the master has the address")
    mac = _VIRTUAL_MAC.format(router.vr_id)
    return _reply(journey, interface, stage.frame, mac, own_tags(journey.network, interface.name), router.label)


def _by_bridge(journey: Journey, interface: Interface, frame: Frame) -> None:
    network, bd_id = journey.network, interface.bridge
    bridge = network.state.bridges.get(bridge_name(bd_id)) if bd_id is not None else None
    found = (each for each in network.state.of(BridgeArp).values() if each.bd_id == bd_id)
    item = next((each for each in found if each.address == frame.packet.destination), None)
    if bridge is None or item is None or not bridge.settings.arp_termination or interface.split_horizon_group:
        raise UndecidedError("the bridge domain does not answer by itself")
    journey.note("switched", interface.name, of_bridge(bridge.bd_id, f"member {interface.name}"))
    return _reply(journey, interface, frame, item.mac, frame.tags, item.label)


def _reply(journey: Journey, interface: Interface, frame: Frame, mac: str, tags: tuple[Tag, ...], subject: str) -> None:
    if not journey.network.has_link(interface.name):
        raise UndecidedError("nothing is plugged in")
    blame = Blame(subject=subject)
    journey.note("answered", "", blame, f"{frame.packet.destination} {mac}")
    journey.note("sent", interface.name, blame)
    end = FrameEnd(fate=Fate.SENT, interface=interface.name, tags=tags, destination_mac=frame.source)
    return journey.end(end, blame)


def is_for_relay(packet: Packet) -> bool:
    """Return whether a packet is a DHCP client's, to whatever server there is."""
    return packet.protocol == UDP and packet.destination == _BROADCAST and packet.ports == (_CLIENT, _SERVER)


def hand_over(journey: Journey, table: int, packet: Packet) -> None:
    """Send a client's request on to each server of its table; raise UndecidedError where one is not reached."""
    network = journey.network
    relays = [each for each in network.state.of(DhcpRelay).values() if (each.table_id, each.is_ipv6) == (table, False)]
    if not relays:
        raise UndecidedError("no relay takes it")
    for relay in relays:
        if (relay.server_table_id, relay.server) in network.own or not network.ways_to(
            relay.server_table_id, relay.server
        ):
            raise UndecidedError("the server of a relay is not reached")
    journey.note("received", "", Blame(subject=relays[0].label))
    for relay in relays:
        blame = Blame(subject=relay.label)
        journey.note("relayed", "", blame, f"{relay.server} from {relay.source}")
        journey.note("looked up", "4", blame, str(relay.server_table_id))
        onward = Packet(source=relay.source, destination=relay.server, ttl=packet.ttl, ports=packet.ports)
        journey.then(Wrapped(table=relay.server_table_id, packet=onward, tunnel=""))
