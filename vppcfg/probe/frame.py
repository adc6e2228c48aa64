"""Frames and packets as they are sent into VPP, and as they are followed through it."""

from __future__ import annotations

from ipaddress import ip_address

from vppcfg.common.packets import (
    DOT1AD,
    DOT1Q,
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    GRE,
    ICMP,
    ICMP6,
    IPIP,
    IPV6_IN_IP,
    TCP,
    UDP,
    Address,
    icmp_message,
    ipv4_packet,
    ipv6_packet,
    tcp_segment,
    udp_segment,
)
from vppcfg.record import record

BROADCAST = "ff:ff:ff:ff:ff:ff"
UNUSED_PROTOCOL = 253
"""A protocol of IP for experiments (RFC 3692), which no part of VPP takes."""
ARP = 0x0806
"""In place of a protocol of IP: the packet is a request for the MAC address of its destination (RFC 826)."""
_ARP_REQUEST = bytes.fromhex("0001 0800 06 04 0001")
SMALLEST = 60
"""Bytes of an Ethernet frame without its check sequence."""
_TRANSPARENT_ETHERNET = 0x6558
_VXLAN_FLAGS = 0x08000000
_KEY_PRESENT = 0x2000
_NAMES = {TCP: "TCP", UDP: "UDP", ICMP: "ICMP", ICMP6: "ICMPv6", GRE: "GRE", IPIP: "IP in IP", IPV6_IN_IP: "IP in IP"}


@record
class Tag:
    """One VLAN tag."""

    vlan: int
    is_dot1ad: bool = False


@record
class Inside:
    """What a packet of a tunnel carries, and what stands between."""

    packet: Packet | None = None
    frame: Frame | None = None
    key: int = 0
    """What distinguishes tunnels with the same ends: of UDP a VNI, of GRE a key, 0 for none."""


@record
class Packet:
    """An IP packet."""

    source: str
    destination: str
    protocol: int = UDP
    ports: tuple[int, int] = (1025, 9)
    """Source and destination, or the type and the code of ICMP."""
    tcp_flags: int = 0
    ttl: int = 64
    size: int = 0
    """Bytes with the IP header; 0 for as few as there can be."""
    has_df: bool = False
    """Whether it must not be fragmented; always of IPv6."""
    traffic_class: int = 0
    """The byte with DSCP and ECN."""
    inside: Inside | None = None
    payload: bytes = b""
    """What UDP carries, where it is no tunnel."""
    is_encrypted: bool = False
    """Whether a tunnel has encrypted what is inside."""

    @property
    def is_ipv6(self) -> bool:
        """Return whether it is IPv6."""
        return ":" in self.destination

    @property
    def length(self) -> int:
        """Return its size in bytes with the IP header."""
        return len(packet_bytes(self))


@record
class Frame:
    """An Ethernet frame with an IP packet."""

    destination: str
    source: str
    packet: Packet
    tags: tuple[Tag, ...] = ()
    """Outside first."""

    @property
    def is_for_many(self) -> bool:
        """Return whether it goes to a group of stations, or to all."""
        return bool(int(self.destination[:2], 16) & 1)


def frame_bytes(frame: Frame) -> bytes:
    """Return the frame without its check sequence, padded to the smallest size."""
    data = _mac(frame.destination) + _mac(frame.source)
    for tag in frame.tags:
        data += (DOT1AD if tag.is_dot1ad else DOT1Q).to_bytes(2) + tag.vlan.to_bytes(2)
    if frame.packet.protocol == ARP:
        return (data + ARP.to_bytes(2) + _arp_request(frame)).ljust(SMALLEST, b"\0")
    kind = ETHERTYPE_IPV6 if frame.packet.is_ipv6 else ETHERTYPE_IPV4
    return (data + kind.to_bytes(2) + packet_bytes(frame.packet)).ljust(SMALLEST, b"\0")


def _arp_request(frame: Frame) -> bytes:
    source, target = (ip_address(each).packed for each in (frame.packet.source, frame.packet.destination))
    return _ARP_REQUEST + _mac(frame.source) + source + bytes(6) + target


def packet_bytes(packet: Packet) -> bytes:
    """Return the packet with its headers."""
    source, destination = ip_address(packet.source), ip_address(packet.destination)
    header = 40 if packet.is_ipv6 else 20
    segment = _segment(packet, source, destination, packet.payload)
    if packet.size > header + len(segment):
        segment = _segment(packet, source, destination, b"x" * (packet.size - header - len(segment)))
    head, bits = (source, destination, packet.protocol, segment), packet.traffic_class
    if packet.is_ipv6:
        return ipv6_packet(*head, ttl=packet.ttl, traffic_class=bits)
    return ipv4_packet(*head, ttl=packet.ttl, has_df=packet.has_df, traffic_class=bits)


def _segment(packet: Packet, source: Address, destination: Address, payload: bytes) -> bytes:
    if packet.inside is not None:
        payload = _inner(packet.inside, packet.protocol)
    if packet.protocol == UDP:
        return udp_segment((source, packet.ports[0]), (destination, packet.ports[1]), payload)
    if packet.protocol == TCP:
        return tcp_segment((source, packet.ports[0]), (destination, packet.ports[1]), packet.tcp_flags, payload)
    if packet.protocol in (ICMP, ICMP6):
        return icmp_message(source, destination, *packet.ports, payload)
    return payload


def _inner(inside: Inside, protocol: int) -> bytes:
    """Return what is behind the outer IP header, or behind its UDP header."""
    if inside.frame is not None:
        carried, kind = frame_bytes(inside.frame), _TRANSPARENT_ETHERNET
    else:
        assert inside.packet is not None
        carried, kind = packet_bytes(inside.packet), ETHERTYPE_IPV6 if inside.packet.is_ipv6 else ETHERTYPE_IPV4
    if protocol == UDP:
        return _VXLAN_FLAGS.to_bytes(4) + (inside.key << 8).to_bytes(4) + carried
    if protocol != GRE:
        return carried
    key = inside.key.to_bytes(4) if inside.key else b""
    return (_KEY_PRESENT if inside.key else 0).to_bytes(2) + kind.to_bytes(2) + key + carried


def frame_text(frame: Frame) -> str:
    """Return what a frame is, in words."""
    tags = "".join(f"{'802.1ad' if tag.is_dot1ad else '802.1Q'} {tag.vlan}, " for tag in frame.tags)
    return f"{tags}{packet_text(frame.packet)} to {frame.destination}"


def packet_text(packet: Packet) -> str:
    """Return what a packet is, in words."""
    if packet.protocol == ARP:
        return f"ARP request of {packet.source} for {packet.destination}"
    name = _NAMES.get(packet.protocol, f"protocol {packet.protocol}")
    if packet.protocol in (TCP, UDP):
        ports = f" port {packet.ports[1]}"
    elif packet.protocol in (ICMP, ICMP6):
        ports = f" type {packet.ports[0]}"
    else:
        ports = ""
    ttl = "" if packet.ttl == 64 else f", TTL {packet.ttl}"
    size = f", {packet.size} bytes" if packet.size else ""
    whole = ", not to be cut" if packet.has_df else ""
    bits = f", class {packet.traffic_class}" if packet.traffic_class else ""
    return f"{name} {packet.source} > {packet.destination}{ports}{ttl}{size}{whole}{bits}"


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))
