"""Hosts and prefixes as people write them in lists and tunnels, to canonical text; the host bits are dropped."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import Any

from vppcfg.config.address import canonical_address


def canonical_prefix(value: Any) -> str | None:
    """Return a host, a prefix or host/length as the prefix that it lies in; None when it is none of these."""
    text = canonical_address(value)
    return None if text is None else _network_of(text)


def canonical_host(value: Any) -> str | None:
    """Return an address without a length in its canonical form; None when it is none."""
    text = canonical_address(value) if isinstance(value, str) and "/" not in value else None
    return None if text is None else text.partition("/")[0]


def is_unicast(address: str) -> bool:
    """Return whether a canonical address without a length is one that a single host may have."""
    parsed = ipaddress.ip_address(address)
    return not (parsed.is_multicast or parsed.is_unspecified or address == "255.255.255.255")


@lru_cache(maxsize=1 << 17)
def _network_of(address: str) -> str:
    return str(ipaddress.ip_network(address, strict=False))
