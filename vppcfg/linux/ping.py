"""Echo requests of Linux (ICMP, RFC 792 and RFC 4443), from the network namespace that the calling thread is in."""

from __future__ import annotations

import os
import select
import socket
import struct
import time

from vppcfg.linux.device import netlink
from vppcfg.linux.refusal import refusal_of

_WAIT_S = 1.0
_HEAD = struct.Struct("!BBHHH")
"""Type, code, checksum, identifier, sequence number."""
_REQUEST, _REPLY = {False: 8, True: 128}, {False: 0, True: 129}
"""By whether it is IPv6."""
_LEAST_HEADER = 20
_TOKEN_BYTES = 16


def echo(address: str, *, source: str = "", device: str = "", wait_s: float = _WAIT_S) -> bool:
    """Return whether an address answers one request in time. Raise LinuxError, as without the right to raw sockets."""
    is_ip6 = ":" in address
    try:
        with _socket(is_ip6) as sock:
            if device:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode() + b"\0")
            if source:
                sock.bind(_end(source, device))
            token = os.urandom(_TOKEN_BYTES)
            try:
                sock.sendto(_request(is_ip6, token), _end(address, device))
            except OSError as error:
                if isinstance(error, PermissionError):
                    raise
                return False  # no route, or the device is down
            return _is_answered(sock, is_ip6, token, time.monotonic() + wait_s)
    except OSError as error:
        raise refusal_of(f"ping {address}", error) from error


def _socket(is_ip6: bool) -> socket.socket:
    if is_ip6:
        return socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)


def _end(address: str, device: str) -> tuple[str, int] | tuple[str, int, int, int]:
    """Return where a socket leads; a link-local address needs the device that it is on."""
    if ":" not in address:
        return address, 0
    return address, 0, 0, socket.if_nametoindex(device) if device else 0


def _request(is_ip6: bool, token: bytes) -> bytes:
    head = _HEAD.pack(_REQUEST[is_ip6], 0, 0, 0, 1)
    if is_ip6:  # Linux fills in the checksum (RFC 3542, 3.1)
        return head + token
    return _HEAD.pack(_REQUEST[is_ip6], 0, _checksum(head + token), 0, 1) + token


def _is_answered(sock: socket.socket, is_ip6: bool, token: bytes, until_s: float) -> bool:
    while (remaining_s := until_s - time.monotonic()) > 0:
        if not select.select([sock], [], [], remaining_s)[0]:
            break
        data = sock.recv(2048)
        if not is_ip6:  # a raw socket of IPv4 has the header too
            data = data[max(_LEAST_HEADER, (data[0] & 0x0F) * 4) :] if data else b""
        if data[:1] == bytes([_REPLY[is_ip6]]) and data[_HEAD.size :] == token:
            return True
    return False


def _checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return int(~total & 0xFFFF)


def vrf_device(table_id: int) -> str:
    """Return the VRF device of a routing table, '' when there is none. Raise LinuxError."""
    with netlink("list VRF devices") as route:
        for link in route.get_links(kind="vrf"):
            info = link.get_attr("IFLA_LINKINFO")
            data = info.get_attr("IFLA_INFO_DATA") if info is not None else None
            if data is not None and data.get_attr("IFLA_VRF_TABLE") == table_id:
                return str(link.get_attr("IFLA_IFNAME"))
    return ""
