"""The types that all of the simulator uses: clients, messages as values by field, and strings as VPP packs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NONE = 0xFFFFFFFF
"""VPP's ~0: no index."""

Value = int | bytes | Sequence[int | bytes | tuple[int | bytes, ...]]
"""What one field holds: a number, bytes, or the rows of a list."""
Values = Mapping[str, Any]
"""The values of a message by the names of its fields."""
Outgoing = tuple[str, Values]
"""A message to send: its name and its values; fields that are not named are zero."""


@dataclass(slots=True, kw_only=True)
class Client:
    """One connection as VPP knows it."""

    handle: int
    """What the client calls itself in its messages (client_index)."""
    is_subscribed: bool = False
    pid: int = 0
    is_leaving: bool = False
    """It ended the session: close it once all replies are sent."""


def cstring(value: bytes) -> str:
    """Return the text of a string field of fixed length: up to the first NUL, and never its last byte."""
    return value[:-1].split(b"\0", 1)[0].decode(errors="surrogateescape")


def to_bytes(text: str) -> bytes:
    """Return a text as VPP stores it."""
    return text.encode(errors="surrogateescape")


def fixed(text: str, size: int) -> bytes:
    """Return the bytes of a text for a string field of `size` bytes, cut so that a NUL fits behind it."""
    return text.encode(errors="surrogateescape")[: size - 1]
