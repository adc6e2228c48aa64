"""Frames to and from the ports of a real VPP, made and read byte by byte: hosts on both sides of a NAT."""

import ctypes
import os
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tests.real_vpp import RealVpp

TCP, UDP, ICMP = 6, 17, 1
SYN, SYN_ACK = 0x02, 0x12
_ECHO, _ECHO_REPLY = 8, 0
_CLONE_NEWNET = 0x40000000
_ETHERNET, _IP = struct.Struct("!6s6sH"), struct.Struct("!BBHHHBBH4s4s")


class Packet(NamedTuple):
    """What of a packet NAT44 may change; of ICMP both ports are the identifier."""

    protocol: int
    source: str
    source_port: int
    destination: str
    destination_port: int
    flags: int = 0
    """Of TCP."""

    def answer(self, flags: int = 0) -> "Packet":
        """Return the packet that the other end sends back."""
        return Packet(
            self.protocol, self.destination, self.destination_port, self.source, self.source_port, flags or self.flags
        )


class Wire:
    """The other end of a port of VPP."""

    def __init__(self, own: socket.socket, mac: bytes) -> None:
        self._socket = own
        self._mac = mac

    def send(self, packet: Packet, *, is_reply: bool = False) -> None:
        """Send a packet to VPP."""
        self._socket.send(_ETHERNET.pack(self._mac, b"\2\0\0\0\0\xaa", 0x0800) + _bytes_of(packet, is_reply=is_reply))

    def receive(self, wanted: Callable[[Packet], bool] = lambda _: True, within_s: float = 2.0) -> Packet | None:
        """Return the next packet that VPP sends out of the port and that is wanted; None when none comes in time."""
        deadline = time.monotonic() + within_s
        while (left := deadline - time.monotonic()) > 0:
            self._socket.settimeout(left)
            try:
                frame, (_, _, kind, *_) = self._socket.recvfrom(2048)
            except TimeoutError:
                return None
            packet = _packet_of(frame) if kind != socket.PACKET_OUTGOING else None
            if packet is not None and wanted(packet):
                return packet
        return None

    def close(self) -> None:
        self._socket.close()


@contextmanager
def wires(vpp: RealVpp, count: int) -> Iterator[list[Wire]]:
    """Return the other ends of the first ports of a VPP, in the order of these."""
    set_namespace = ctypes.CDLL(None, use_errno=True).setns
    made = []
    with open("/proc/self/ns/net", "rb") as own, open(f"/proc/{vpp.pid}/ns/net", "rb") as other:
        assert set_namespace(other.fileno(), _CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
        try:
            for number in range(count):
                end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
                end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
                end.bind((f"veth{number}-peer", 0x0800))
                made.append(Wire(end, bytes([2, 0, 0, 0, 0, number + 1])))
        finally:
            assert set_namespace(own.fileno(), _CLONE_NEWNET) == 0
    try:
        yield made
    finally:
        for wire in made:
            wire.close()


def _bytes_of(packet: Packet, *, is_reply: bool) -> bytes:
    source, destination = socket.inet_aton(packet.source), socket.inet_aton(packet.destination)
    ports = (packet.source_port, packet.destination_port)
    if packet.protocol == ICMP:
        kind = _ECHO_REPLY if is_reply else _ECHO
        body = struct.pack("!BBHHH", kind, 0, 0, packet.source_port, 1) + b"nat44"
        body = body[:2] + struct.pack("!H", _checksum(body)) + body[4:]
    elif packet.protocol == UDP:
        body = struct.pack("!HHHH", *ports, 8 + 5, 0) + b"nat44"
        body = body[:6] + struct.pack("!H", _checksum(_pseudo(source, destination, UDP, body) + body)) + body[8:]
    else:
        body = struct.pack("!HHIIBBHHH", *ports, 1, 0, 5 << 4, packet.flags or SYN, 1024, 0, 0)
        body = body[:16] + struct.pack("!H", _checksum(_pseudo(source, destination, TCP, body) + body)) + body[18:]
    head = _IP.pack(0x45, 0, 20 + len(body), 1, 0, 64, packet.protocol, 0, source, destination)
    return head[:10] + struct.pack("!H", _checksum(head)) + head[12:] + body


def _pseudo(source: bytes, destination: bytes, protocol: int, body: bytes) -> bytes:
    return source + destination + struct.pack("!BBH", 0, protocol, len(body))


def _checksum(data: bytes) -> int:
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF


def _packet_of(frame: bytes) -> Packet | None:
    """Return what a frame holds, None for another kind; every checksum of it must be right."""
    if len(frame) < 34 or frame[12:14] != b"\x08\0":
        return None
    ip = frame[14:]
    _, _, length, _, _, _, protocol, _, source, destination = _IP.unpack_from(ip)
    assert _checksum(ip[:20]) == 0, "the checksum of the IP header"
    body, flags = ip[20:length], 0
    if protocol == ICMP:
        assert _checksum(body) == 0, "the checksum of ICMP"
        ports = struct.unpack_from("!H", body, 4) * 2 if body[0] in (_ECHO, _ECHO_REPLY) else (0, 0)
    elif protocol in (TCP, UDP):
        assert _checksum(_pseudo(source, destination, protocol, body) + body) == 0, "the checksum of TCP or UDP"
        ports = struct.unpack_from("!HH", body)
        flags = body[13] if protocol == TCP else 0
    else:
        return None
    return Packet(protocol, socket.inet_ntoa(source), ports[0], socket.inet_ntoa(destination), ports[1], flags)
