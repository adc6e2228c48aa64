"""Interface addresses as people write them, to the canonical text of the model."""

from __future__ import annotations

import ipaddress
import socket
from functools import lru_cache
from typing import Any

from vppcfg.model.address import AddressKey, address_key


def canonical_address(text: Any) -> str | None:
    """Return `text` as canonical `address/length`, a host without a length as /32 or /128; None when it is none."""
    return _canonical(text) if isinstance(text, str) else None


@lru_cache(maxsize=1 << 17)
def _canonical(text: str) -> str | None:
    _, slash, length = text.partition("/")
    if not slash or not (length.isascii() and length.isdigit()) or len(length) > 3:
        return _uncommon(text)
    try:
        key = address_key(text)
    except ValueError:
        return None
    return _text_of(key) if key.length <= key.width else None


def _text_of(key: AddressKey) -> str:
    family, size = (socket.AF_INET, 4) if key.family == 4 else (socket.AF_INET6, 16)
    return f"{socket.inet_ntop(family, key.value.to_bytes(size))}/{key.length}"


def _uncommon(text: str) -> str | None:
    """Read what else the public tool's files may hold: no length at all, or a netmask in its place."""
    try:
        address = ipaddress.ip_interface(text)
    except ValueError:
        return None
    if "%" in text:
        return None
    return _text_of(AddressKey(address.version, int(address.ip), address.network.prefixlen))
