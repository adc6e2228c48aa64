"""Frames of VPP's stream sockets: a header with a length before every message (vlibapi/api_common.h)."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from struct import Struct

_HEADER = Struct(">QII")
"""A pointer of VPP's own, the length of the message, a mark of VPP's own."""
_MAX_MESSAGE_BYTES = 1 << 20
"""A longer message is no message."""


def framed(message: bytes) -> bytes:
    """Return a message behind its header."""
    return _HEADER.pack(0, len(message), 0) + message


def take_messages(buffer: bytearray) -> Iterator[bytes]:
    """Take every whole message off the start of `buffer`; raise OSError for one that is longer than any can be.

    Like VPP, this looks at a message of no bytes only once something follows it.
    """
    start = 0
    try:
        while len(buffer) - start > _HEADER.size:
            _, length, _ = _HEADER.unpack_from(buffer, start)
            if length > _MAX_MESSAGE_BYTES:
                raise OSError(errno.EMSGSIZE, f"a message of {length} bytes")
            end = start + _HEADER.size + length
            if end > len(buffer):
                return
            message = bytes(buffer[start + _HEADER.size : end])
            start = end
            yield message
    finally:
        del buffer[:start]
