"""Packets and frames byte by byte: Ethernet (IEEE 802.3, 802.1Q), IPv4 (RFC 791), IPv6 (RFC 8200), UDP, TCP, ICMP."""

from __future__ import annotations

import struct
from ipaddress import IPv4Address, IPv6Address

ETHERTYPE_IPV4, ETHERTYPE_ARP, ETHERTYPE_IPV6 = 0x0800, 0x0806, 0x86DD
DOT1Q, DOT1AD = 0x8100, 0x88A8
IPIP, TCP, UDP, IPV6_IN_IP, GRE, ICMP6, ICMP = 4, 6, 17, 41, 47, 58, 1
TUNNELLED = (GRE, IPIP, IPV6_IN_IP)
"""Protocols whose packets have another packet in them."""
_DONT_FRAGMENT = 0x4000

Address = IPv4Address | IPv6Address


def checksum(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071)."""
    padded = data + b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ipv4_packet(
    source: Address,
    destination: Address,
    protocol: int,
    payload: bytes,
    *,
    ttl: int = 64,
    has_df: bool = False,
    traffic_class: int = 0,
) -> bytes:
    """Return an IPv4 packet without options; the traffic class is its whole byte of DSCP and ECN."""
    fragment = _DONT_FRAGMENT if has_df else 0
    header = struct.pack("!BBHHHBBH", 0x45, traffic_class, 20 + len(payload), 1, fragment, ttl, protocol, 0)
    header += source.packed + destination.packed
    return header[:10] + struct.pack("!H", checksum(header)) + header[12:] + payload


def ipv6_packet(
    source: Address, destination: Address, protocol: int, payload: bytes, *, ttl: int = 64, traffic_class: int = 0
) -> bytes:
    """Return an IPv6 packet without extension headers."""
    first = 6 << 28 | traffic_class << 20
    return struct.pack("!IHBB", first, len(payload), protocol, ttl) + source.packed + destination.packed + payload


def udp_segment(source: tuple[Address, int], destination: tuple[Address, int], payload: bytes) -> bytes:
    """Return a UDP datagram with its checksum, between two addresses with ports."""
    udp = struct.pack("!HHHH", source[1], destination[1], 8 + len(payload), 0) + payload
    value = checksum(_pseudo_header(source[0], destination[0], UDP, len(udp)) + udp) or 0xFFFF
    return udp[:6] + struct.pack("!H", value) + udp[8:]


def tcp_segment(source: tuple[Address, int], destination: tuple[Address, int], flags: int, payload: bytes) -> bytes:
    """Return a TCP segment without options, between two addresses with ports."""
    tcp = struct.pack("!HHIIBBHHH", source[1], destination[1], 1, 0, 5 << 4, flags, 8192, 0, 0) + payload
    value = checksum(_pseudo_header(source[0], destination[0], TCP, len(tcp)) + tcp)
    return tcp[:16] + struct.pack("!H", value) + tcp[18:]


def icmp_message(source: Address, destination: Address, kind: int, code: int, payload: bytes) -> bytes:
    """Return an ICMP message of the family of the addresses, with the id and the number 1."""
    icmp = struct.pack("!BBHHH", kind, code, 0, 1, 1) + payload
    pseudo = b"" if source.version == 4 else _pseudo_header(source, destination, ICMP6, len(icmp))
    return icmp[:2] + struct.pack("!H", checksum(pseudo + icmp)) + icmp[4:]


def _pseudo_header(source: Address, destination: Address, protocol: int, length: int) -> bytes:
    form = "!BBH" if source.version == 4 else "!IHBB"
    values = (0, protocol, length) if source.version == 4 else (length, 0, 0, protocol)
    return source.packed + destination.packed + struct.pack(form, *values)
