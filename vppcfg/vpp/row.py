"""One interface as VPP describes it in the list of all."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One interface in sw_interface_details, as VPP reports it."""

    sw_if_index: int
    parent_index: int
    mac: bytes
    flags: int
    type: int
    link_mtu: int
    packet_mtu: int
    ip4_mtu: int
    ip6_mtu: int
    mpls_mtu: int
    sub_id: int
    outer: int
    inner: int
    sub_flags: int
    vtr_operation: int
    vtr_push_dot1q: int
    vtr_tag1: int
    vtr_tag2: int
    name: str
    device_class: str
    tag: str


SIGNED_IDS = 1 << 31
"""From this on VPP has shown the id of a sub-interface with a sign."""


def unsigned(name: str) -> str:
    """Return the name of an interface as VPP 26.06 and later have it, with the id of a sub-interface as it is.

    Before, VPP wrote an id of 2147483648 and more with a sign, -1 for 4294967295 (vnet/interface_format.c,
    ca681ca829d).
    """
    parent, has_sign, number = name.rpartition(".-")
    if not (has_sign and number.isdecimal() and 0 < int(number) <= SIGNED_IDS):
        return name
    return f"{parent}.{(1 << 32) - int(number)}"
