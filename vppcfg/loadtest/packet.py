"""Frames to send: UDP in IPv4 in Ethernet, built byte by byte (RFC 768, RFC 791, IEEE 802.3)."""

from __future__ import annotations

import struct
from ipaddress import IPv4Address

MAC_OF_SINK = bytes.fromhex("000000010000")
MAC_OF_SOURCE = bytes.fromhex("000000020000")
"""What stands in a frame where the generator puts the addresses of its own configuration."""
HEADERS_BYTES = 14 + 20 + 8
IP_OFFSET = 14
SOURCE_OFFSET = 26
DESTINATION_OFFSET = 30
CHECKSUM_OFFSET = 24
_UDP = 17
_FILL = b"x"


def udp_frame(
    source: tuple[IPv4Address, int], destination: tuple[IPv4Address, int], length: int, *, has_checksum: bool = False
) -> bytes:
    """Return a frame of `length` bytes without its check sequence, between two addresses with ports.

    Without a UDP checksum addresses can be changed on the way out. A frame is never shorter than its headers.
    """
    payload = _FILL * max(length - HEADERS_BYTES, 0)
    udp = struct.pack("!HHHH", source[1], destination[1], 8 + len(payload), 0)
    if has_checksum:
        pseudo = source[0].packed + destination[0].packed + struct.pack("!BBH", 0, _UDP, 8 + len(payload))
        udp = udp[:6] + struct.pack("!H", checksum(pseudo + udp + payload) or 0xFFFF)
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 28 + len(payload), 1, 0, 64, _UDP, 0)
    ip += source[0].packed + destination[0].packed
    ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    return MAC_OF_SINK + MAC_OF_SOURCE + b"\x08\x00" + ip + udp + payload


def checksum(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071)."""
    padded = data + b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF
