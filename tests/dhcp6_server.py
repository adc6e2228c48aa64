"""A DHCPv6 server with one address and one prefix for everybody: `python -m tests.dhcp6_server DEVICE ADDRESS PREFIX`.

As much of RFC 8415 as it takes for a client to get both: an advertisement for a solicitation, a reply for a request.
It sends frames, for its device may have no address.
"""

import socket
import struct
import sys
from collections.abc import Iterator

_IPV6, _UDP, _SERVER_PORT, _CLIENT_PORT = 0x86DD, 17, 547, 546
_SOLICIT, _ADVERTISE, _REPLY = 1, 2, 7
_CLIENT_ID, _SERVER_ID, _ADDRESSES, _ADDRESS, _PREFERENCE, _PREFIXES, _PREFIX = 1, 2, 3, 5, 7, 25, 26
_MAC = bytes.fromhex("02fe00000098")
_OWN = socket.inet_pton(socket.AF_INET6, "fe80::98")
_HEAD = 62
"""Where the message begins in its frame."""


def options(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the options of a message with their codes."""
    while len(data) >= 4:
        code, length = struct.unpack_from("!HH", data)
        yield code, data[4 : 4 + length]
        data = data[4 + length :]


def option(code: int, data: bytes) -> bytes:
    return struct.pack("!HH", code, len(data)) + data


def answer(message: bytes, address: bytes, prefix: bytes) -> bytes:
    """Return the answer to a client; `prefix` is its length and its bytes."""
    asked = list(options(message[4:]))
    client = next((data for code, data in asked if code == _CLIENT_ID), b"")
    body = option(_CLIENT_ID, client) + option(_SERVER_ID, b"\0\3\0\1" + _MAC) + option(_PREFERENCE, b"\xff")
    for code, data in asked:
        if code == _ADDRESSES:
            inner = option(_ADDRESS, address + struct.pack("!II", 3600, 7200))
        elif code == _PREFIXES:
            inner = option(_PREFIX, struct.pack("!II", 3600, 7200) + prefix)
        else:
            continue
        body += option(code, data[:4] + struct.pack("!II", 1800, 2880) + inner)
    return bytes([_ADVERTISE if message[0] == _SOLICIT else _REPLY]) + message[1:4] + body


def frame(target_mac: bytes, target: bytes, data: bytes) -> bytes:
    """Return the frame that brings an answer to a client."""
    length = 8 + len(data)
    padded = struct.pack("!HHHH", _SERVER_PORT, _CLIENT_PORT, length, 0) + data + b"\0" * (length % 2)
    words = _OWN + target + struct.pack("!II", length, _UDP) + padded
    total = sum(struct.unpack(f"!{len(words) // 2}H", words))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    udp = struct.pack("!HHHH", _SERVER_PORT, _CLIENT_PORT, length, (~total & 0xFFFF) or 0xFFFF) + data
    header = struct.pack("!IHBB", 6 << 28, length, _UDP, 64) + _OWN + target
    return target_mac + _MAC + struct.pack("!H", _IPV6) + header + udp


def main(device: str, address: str, prefix: str) -> None:
    """Serve until somebody ends it."""
    leased = socket.inet_pton(socket.AF_INET6, address)
    host, _, length = prefix.partition("/")
    delegated = bytes([int(length)]) + socket.inet_pton(socket.AF_INET6, host)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_IPV6)) as server:
        server.bind((device, 0))
        while True:
            heard = server.recv(4096)
            if heard[20] == _UDP and heard[56:58] == struct.pack("!H", _SERVER_PORT):
                server.send(frame(heard[6:12], heard[22:38], answer(heard[_HEAD:], leased, delegated)))


if __name__ == "__main__":
    main(*sys.argv[1:])
