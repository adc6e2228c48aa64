"""Addresses and prefixes as VPP's messages have them (vnet/ip/ip_types.api)."""

from __future__ import annotations

from _socket import AF_INET, AF_INET6, inet_pton  # see common.addresses

from vppcfg.common.addresses import address_text
from vppcfg.operations.request import Value


def address_values(path: str, address: str) -> dict[str, Value]:
    """Return the values of an address of VPP's type `address` at `path`: its family and its bytes."""
    family, raw = family_and_bytes(address)
    return {f"{path}.af": family, f"{path}.un": raw}


def family_and_bytes(address: str) -> tuple[int, bytes]:
    """Return the family (vnet/ip/ip_types.api) and the bytes of an address."""
    is_ip6 = ":" in address
    return int(is_ip6), inet_pton(AF_INET6 if is_ip6 else AF_INET, address)


def prefix_values(path: str, prefix: str) -> dict[str, Value]:
    """Return the values of an address with its length, of VPP's type `prefix` at `path`."""
    text, _, length = prefix.partition("/")
    return {**address_values(f"{path}.address", text), f"{path}.len": int(length)}


def text_of_address(family: int, raw: bytes) -> str:
    """Return an address of a message: `family` is 0 for IPv4, for which it has twelve bytes more than are used."""
    return address_text(raw if family else raw[:4])


def text_of_prefix(family: int, raw: bytes, length: int) -> str:
    """Return the prefix of a route in a message: VPP keeps the bits behind the length that were typed at its prompt."""
    address = raw if family else raw[:4]
    behind = 8 * len(address) - length
    network = int.from_bytes(address) >> behind << behind
    return f"{address_text(network.to_bytes(len(address)))}/{length}"


def mac_bytes(mac: str) -> bytes:
    """Return a colon-separated MAC address as VPP's mac_address; '' as zeros."""
    return bytes.fromhex(mac.replace(":", "")) if mac else bytes(6)
