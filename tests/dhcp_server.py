"""A DHCPv4 server with one address for everybody: `python -m tests.dhcp_server DEVICE OWN_ADDRESS ADDRESS/LENGTH`.

As much of RFC 2131 as it takes for a client to get a lease: an offer for a discovery, an acknowledgement for a request.
"""

import socket
import struct
import sys
from ipaddress import IPv4Address, IPv4Interface

_COOKIE = 0x63825363
_FIXED = 240
"""Where the options begin, behind the cookie."""
_DISCOVER, _OFFER, _REQUEST, _ACKNOWLEDGEMENT = 1, 2, 3, 5
_LEASE_S = 3600


def kind_of(packet: bytes) -> int:
    """Return what kind of message a client sends, by its option 53."""
    place = _FIXED
    while place + 1 < len(packet) and packet[place] != 255:
        if packet[place] == 53:
            return packet[place + 2]
        place += 1 if packet[place] == 0 else 2 + packet[place + 1]
    return 0


def answer(packet: bytes, kind: int, own: IPv4Address, leased: IPv4Interface) -> bytes:
    """Return an answer to a client, with its transaction and its MAC address."""
    head = b"\x02" + packet[1:16] + leased.ip.packed + own.packed + bytes(4) + packet[28:44] + bytes(192)
    options = (
        bytes([53, 1, kind, 54, 4])
        + own.packed
        + struct.pack(">BBI", 51, 4, _LEASE_S)
        + bytes([1, 4])
        + leased.netmask.packed
        + b"\xff"
    )
    return head + struct.pack(">I", _COOKIE) + options


def main(device: str, own: str, leased: str) -> None:
    """Serve until somebody ends it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
        server.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        server.bind(("", 67))
        while True:
            packet = server.recv(4096)
            kind = {_DISCOVER: _OFFER, _REQUEST: _ACKNOWLEDGEMENT}.get(kind_of(packet))
            if kind is not None:
                said = answer(packet, kind, IPv4Address(own), IPv4Interface(leased))
                server.sendto(said, ("255.255.255.255", 68))


if __name__ == "__main__":
    main(*sys.argv[1:])
