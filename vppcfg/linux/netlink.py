"""A question to the kernel about network devices, and the messages that answer it; not what is in them."""

from __future__ import annotations

import errno
import os
import socket
import struct
from collections.abc import Iterator

_HEADER = struct.Struct("=IHHII")
"""struct nlmsghdr (linux/netlink.h): length, type, flags, sequence number, port."""
_INFO = struct.Struct("=BxHiII")
"""struct ifinfomsg (linux/rtnetlink.h): family, type, index, flags, change mask."""
_ATTRIBUTE = struct.Struct("=HH")
_NUMBER = struct.Struct("=I")
_CODE = struct.Struct("=i")
_RTM_NEWLINK, _RTM_GETLINK = 16, 18
_NLMSG_ERROR, _NLMSG_DONE = 2, 3
_NLM_F_REQUEST, _NLM_F_ACK, _NLM_F_DUMP, _NLM_F_DUMP_INTR = 0x1, 0x4, 0x300, 0x10
_IFLA_IFNAME, _IFLA_EXT_MASK = 3, 29
_SKIP_STATS = 0x8
_TIMEOUT_S = 10.0
_BUFFER_BYTES = 1 << 18

Span = tuple[int, int]
"""Where something starts and ends in the data that it stands in."""


def ask_links(name: str = "", index: int = 0) -> tuple[list[tuple[bytes, Span]], bool]:
    """Return where the message of each device stands, behind its header, and whether all are of one moment.

    It asks about the namespace that the calling thread is in: all devices, or the one with `name` or `index`.
    Raise OSError.
    """
    attributes = _attribute(_IFLA_EXT_MASK, _NUMBER.pack(_SKIP_STATS))
    if name:
        attributes += _attribute(_IFLA_IFNAME, name.encode() + b"\0")
    body = _INFO.pack(socket.AF_UNSPEC, 0, index, 0, 0) + attributes
    flags = _NLM_F_REQUEST | (_NLM_F_ACK if name or index else _NLM_F_DUMP)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        sock.settimeout(_TIMEOUT_S)
        sock.sendto(_HEADER.pack(_HEADER.size + len(body), _RTM_GETLINK, flags, 1, 0) + body, (0, 0))
        found = list(receive_links(sock))
    return [(data, span) for data, span, _ in found], not any(flags & _NLM_F_DUMP_INTR for _, _, flags in found)


def receive_links(sock: socket.socket) -> Iterator[tuple[bytes, Span, int]]:
    """Yield each device's message and its flags, until the kernel says that there are no more. Raise OSError."""
    while True:
        data = sock.recv(_BUFFER_BYTES)
        start = 0
        while start + _HEADER.size <= len(data):
            length, kind, flags, _, _ = _HEADER.unpack_from(data, start)
            span = (start + _HEADER.size, start + length)
            if kind in (_NLMSG_ERROR, _NLMSG_DONE):
                _require_success(data, span)
                return
            if length < _HEADER.size:
                raise _garbled()
            if kind == _RTM_NEWLINK:
                yield data, span, flags
            start += _aligned(length)


def attributes_of(data: bytes, span: Span) -> Iterator[tuple[int, Span]]:
    """Yield the type of each attribute (its flags are part of it) and where its value stands."""
    start, end = span
    while start + _ATTRIBUTE.size <= end:
        length, kind = _ATTRIBUTE.unpack_from(data, start)
        if length < _ATTRIBUTE.size:
            raise _garbled()
        yield kind, (start + _ATTRIBUTE.size, start + length)
        start += _aligned(length)


def _require_success(data: bytes, span: Span) -> None:
    """Raise OSError when the message at the end of an answer has a code; only the end of some dumps has none."""
    code = -_CODE.unpack_from(data, span[0])[0] if span[1] - span[0] >= _CODE.size else 0
    if code > 0:
        raise OSError(code, os.strerror(code))


def _garbled() -> OSError:
    return OSError(errno.EBADMSG, os.strerror(errno.EBADMSG))


def _attribute(kind: int, value: bytes) -> bytes:
    length = _ATTRIBUTE.size + len(value)
    return _ATTRIBUTE.pack(length, kind) + value.ljust(_aligned(len(value)), b"\0")


def _aligned(length: int) -> int:
    return length + 3 & ~3
