# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""Sends ICMP echo requests of one size, which nobody on the way may cut into pieces, until one is answered.

`python echo.py ADDRESS BYTES` counts the IP header in; exit code 1 when five of them remain without an answer.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import time

IP_MTU_DISCOVER, IP_PMTUDISC_PROBE = 10, 3
"""Set DF, and do not cut packets to an MTU that was learnt (linux/in.h)."""
HEADERS_BYTES, TRIES, WAIT_S = 28, 5, 1.0


def main() -> int:
    """Ask, and listen."""
    address, size_bytes = sys.argv[1], int(sys.argv[2])
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as sock:
        sock.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)
        for sequence in range(TRIES):
            sock.sendto(request(os.getpid() & 0xFFFF, sequence, size_bytes - HEADERS_BYTES), (address, 0))
            if is_answered(sock, address, size_bytes):
                return 0
    return 1


def is_answered(sock: socket.socket, address: str, size_bytes: int) -> bool:
    """Return whether an answer of the same size comes in time."""
    deadline = time.monotonic() + WAIT_S
    while (left_s := deadline - time.monotonic()) > 0:
        sock.settimeout(left_s)
        try:
            packet, sender = sock.recvfrom(65535)
        except TimeoutError:
            return False
        is_ours = struct.unpack_from("!H", packet, 24)[0] == os.getpid() & 0xFFFF
        if sender[0] == address and packet[20] == 0 and is_ours and len(packet) == size_bytes:
            return True
    return False


def request(identifier: int, sequence: int, payload_bytes: int) -> bytes:
    """Return an echo request."""
    payload = bytes(payload_bytes)
    total = sum(struct.unpack("!4H", head := struct.pack("!BBHHH", 8, 0, 0, identifier, sequence)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return head[:2] + struct.pack("!H", ~total & 0xFFFF) + head[4:] + payload


if __name__ == "__main__":
    sys.exit(main())
