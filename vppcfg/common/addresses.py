"""Addresses of interfaces, prefixes, hosts and Ethernet: canonical text from what people write, order, conflicts."""

from __future__ import annotations

import ipaddress
import re
from _socket import AF_INET, AF_INET6, inet_ntop, inet_pton  # `socket` itself takes 6 ms of each start
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import methodcaller
from typing import Any, NamedTuple

MAC_FORMS = (
    re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}"),
    re.compile(r"(?:[0-9a-f]{2}-){5}[0-9a-f]{2}"),
    re.compile(r"(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}"),
    re.compile(r"[0-9a-f]{12}"),
)
"""How a MAC address is written, in lower case."""


class AddressKey(NamedTuple):
    """An address as numbers; sorts IPv4 before IPv6, then by value."""

    family: int
    """4 or 6."""
    value: int
    length: int
    """Prefix length in bits."""

    @property
    def width(self) -> int:
        """Return the number of bits in an address of this family."""
        return 32 if self.family == 4 else 128

    @property
    def network(self) -> int:
        """Return the leading `length` bits as a number."""
        return self.value >> (self.width - self.length)


def is_station(mac: str) -> bool:
    """Return whether a canonical MAC address is that of one station: of no group, and not all zeros."""
    return mac != "00:00:00:00:00:00" and not int(mac[:2], 16) & 1


@lru_cache(maxsize=1 << 17)
def address_key(address: str) -> AddressKey:
    """Return the numbers of a canonical `address/length`. Raise ValueError when it is not one."""
    host, _, length = address.partition("/")
    family = 6 if ":" in host else 4
    try:
        packed = inet_pton(AF_INET6 if family == 6 else AF_INET, host)
        return AddressKey(family, int.from_bytes(packed), int(length))
    except (OSError, ValueError) as error:
        raise ValueError(f"{address!r} is not an address with a prefix length") from error


def order_of(addresses: Sequence[str]) -> tuple[str, ...]:
    """Return canonical addresses as they come, IPv4 before IPv6; nothing when that is the order of their values."""
    by_family = sorted(addresses, key=methodcaller("__contains__", ":"))  # no call of Python for each address
    return () if by_family == sorted(by_family, key=address_key) else tuple(by_family)


class AddressIndex:
    """The interface addresses of one FIB, indexed so that finding a conflict does not grow with their number.

    VPP refuses an address whose prefix equals, contains or is contained in one that is there already, but for
    another host part with the same length on the same interface (vnet/ip/ip4_forward.c, ip6_forward.c).
    """

    def __init__(self) -> None:
        self._networks: dict[tuple[int, int], dict[int, dict[AddressKey, str]]] = {}
        """(family, length) -> network -> address -> interface."""
        self._covering: dict[tuple[int, int, int], dict[int, int]] = {}
        """(family, shorter length, length) -> shorter network -> how many networks of `length` lie in it."""

    def add(self, interface: str, address: str) -> None:
        """Enter an address that does not conflict."""
        key = address_key(address)
        hosts = self._networks.setdefault((key.family, key.length), {}).setdefault(key.network, {})
        if not hosts:
            self._count(key, 1)
        hosts[key] = interface

    def remove(self, address: str) -> None:
        """Take out an address that was entered."""
        key = address_key(address)
        networks = self._networks[key.family, key.length]
        del networks[key.network][key]
        if not networks[key.network]:
            del networks[key.network]
            self._count(key, -1)

    def conflict(self, interface: str, address: str) -> str | None:
        """Return the name of an interface with an address that forbids entering this one, or None."""
        key = address_key(address)
        for (family, length), networks in self._networks.items():
            if family != key.family or not networks:
                continue
            if length <= key.length:
                hosts = networks.get(key.value >> (key.width - length))
                for other, owner in (hosts or {}).items():
                    if length < key.length or owner != interface or other == key:
                        return owner
            elif self._covered(key, length):
                return self._owner_within(key, length)
        return None

    def holders(self, host: str) -> Iterator[str]:
        """Yield the interfaces that have the address `host`, whatever its length."""
        family, value, _ = address_key(f"{host}/0")
        for (other, length), networks in self._networks.items():
            if other == family:
                key = AddressKey(family, value, length)
                owner = networks.get(key.network, {}).get(key)
                if owner is not None:
                    yield owner

    def _count(self, key: AddressKey, step: int) -> None:
        for (family, shorter, longer), counts in self._covering.items():
            if family == key.family and longer == key.length:
                network = key.value >> (key.width - shorter)
                counts[network] = counts.get(network, 0) + step

    def _covered(self, key: AddressKey, longer: int) -> bool:
        """Return whether any network of the `longer` length lies within the network of `key`."""
        which = (key.family, key.length, longer)
        if which not in self._covering:
            counts: dict[int, int] = {}
            for network in self._networks[key.family, longer]:
                shorter = network >> (longer - key.length)
                counts[shorter] = counts.get(shorter, 0) + 1
            self._covering[which] = counts
        return self._covering[which].get(key.network, 0) > 0

    def _owner_within(self, key: AddressKey, longer: int) -> str:
        for network, hosts in self._networks[key.family, longer].items():
            if network >> (longer - key.length) == key.network:
                return next(iter(hosts.values()))
        raise AssertionError("a counted network is missing")


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
    return f"{address_text(key.value.to_bytes(key.width // 8))}/{key.length}"


def address_text(raw: bytes) -> str:
    """Return an address of 4 or 16 bytes as Python's ipaddress writes it: inet_ntop differs for embedded IPv4."""
    if len(raw) == 4:
        return inet_ntop(AF_INET, raw)
    text = inet_ntop(AF_INET6, raw)
    return str(ipaddress.IPv6Address(raw)) if "." in text else text


def _uncommon(text: str) -> str | None:
    """Read what else the public tool's files may hold: no length at all, or a netmask in its place."""
    try:
        address = ipaddress.ip_interface(text)
    except ValueError:
        return None
    if "%" in text or is_wildcard(text):
        return None
    return _text_of(AddressKey(address.version, int(address.ip), address.network.prefixlen))


def is_wildcard(text: str) -> bool:
    """Return whether a text is an IPv4 address with a wildcard mask, such as 0.0.0.255, which has ones for hosts."""
    _, _, mask = text.partition("/")
    if mask.count(".") != 3:
        return False
    try:
        bits = int(ipaddress.IPv4Address(mask))
    except ValueError:
        return False
    return bits not in (0, 0xFFFFFFFF) and bits & (bits + 1) == 0


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


def canonical_mac(value: Any) -> str | None:
    """Return a MAC address in any of its forms as colon-separated lower case; None when it is none."""
    if not isinstance(value, str):
        return None
    text = value.lower()
    if not any(form.fullmatch(text) for form in MAC_FORMS):
        return None
    digits = re.sub(r"[^0-9a-f]", "", text)
    return ":".join(digits[start : start + 2] for start in range(0, 12, 2))


def link_local_of(mac: str) -> str:
    """Return the IPv6 link-local address that VPP makes of a MAC address, colon-separated (vnet/ip/ip6_link.c)."""
    raw = bytes.fromhex(mac.replace(":", ""))
    return str(ipaddress.IPv6Address(b"\xfe\x80" + bytes(6) + bytes([raw[0] ^ 2]) + raw[1:3] + b"\xff\xfe" + raw[3:]))


def is_link_local_of_mac(address: str) -> bool:
    """Return whether an IPv6 link-local address has the form of those that are made of MAC addresses (EUI-64)."""
    return inet_pton(AF_INET6, address)[11:13] == b"\xff\xfe"


def is_link_local(address: str) -> bool:
    """Return whether a canonical address, with or without a length, is an IPv6 link-local one (fe80::/10)."""
    return address.startswith(("fe8", "fe9", "fea", "feb")) and address[4:5] == ":"


def why_unfit(address: str) -> str | None:
    """Return what an address with its length is that no host may have, None for one that a host may have.

    Sources: RFC 1122 3.2.1.3, RFC 3021, RFC 4291 2.5.2 and 2.7.
    """
    key = address_key(address)
    if key.value == 0:
        return "the unspecified address"
    if (key.family == 4 and key.value >> 28 == 0xE) or (key.family == 6 and key.value >> 120 == 0xFF):
        return "a multicast address"
    if key.family == 4 and key.value == 0xFFFFFFFF:
        return "the broadcast address"
    if key.family == 6 or key.length >= key.width - 1:
        return None
    mask = (1 << (key.width - key.length)) - 1
    if key.value & mask == 0:
        return "the address of the network itself; use another one in it"
    if key.value & mask == mask:
        return "the broadcast address of its network; use another one in it"
    return None
