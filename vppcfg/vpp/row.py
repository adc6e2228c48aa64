"""One interface as VPP describes it in the list of all."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """What sw_interface_details says of one interface, as VPP says it."""

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
