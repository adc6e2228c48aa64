"""PCI addresses, and the names that VPP gives to the interfaces at them."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"([0-9a-fA-F]{4,5}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")
_NAME = re.compile(r"[A-Za-z]*Ethernet-?(?:([0-9a-f]{1,5})/)?([0-9a-f]{1,2})/([0-9a-f]{1,2})/([0-7])")


def canonical_pci(text: object) -> str | None:
    """Return a PCI address in lower case, None when it is none."""
    match = _ADDRESS.fullmatch(text) if isinstance(text, str) else None
    return match[0].lower() if match and int(match[3], 16) < 32 else None


def interface_tail(address: str) -> str:
    """Return the numbers in VPP's name of the interface at `address`: bus/slot/function (dpdk/device/init.c)."""
    domain, bus, rest = address.split(":")
    slot, function = rest.split(".")
    numbers = [int(bus, 16), int(slot, 16), int(function, 16)]
    if int(domain, 16):
        numbers.insert(0, int(domain, 16))
    return "/".join(f"{number:x}" for number in numbers)


def address_of_interface(name: str) -> str | None:
    """Return the PCI address that VPP's own name of a DPDK interface tells, None for any other name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    domain, bus, slot, function = (int(part or "0", 16) for part in match.groups())
    return f"{domain:04x}:{bus:02x}:{slot:02x}.{function}" if slot < 32 else None
