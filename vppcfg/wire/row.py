"""One interface as VPP describes it in the list of all."""

from __future__ import annotations

from typing import NamedTuple

from vppcfg.common.numbers import whole_number
from vppcfg.model.interface import Encapsulation, OtherMatch, TagRewrite, encapsulation_of
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.wire.reading import Replies, VppReader, text_of


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

    @property
    def encapsulation(self) -> Encapsulation | OtherMatch:
        """Return the VLAN tags that it matches, if it is a sub-interface."""
        return encapsulation_of(self.sub_flags, self.outer, self.inner)

    @property
    def tag_rewrite(self) -> TagRewrite | None:
        """Return how it rewrites tags."""
        if not self.vtr_operation:
            return None
        push_dot1q = self.vtr_push_dot1q
        return TagRewrite(operation=self.vtr_operation, push_dot1q=push_dot1q, tag1=self.vtr_tag1, tag2=self.vtr_tag2)


ADMIN_UP = 1
"""IF_STATUS_API_FLAG_ADMIN_UP, in the flags of interfaces (vnet/interface_types.api)."""
_PATHS = (
    "sw_if_index",
    "sup_sw_if_index",
    "l2_address",
    "flags",
    "type",
    "link_mtu",
    "mtu.0",
    "mtu.1",
    "mtu.2",
    "mtu.3",
    "sub_id",
    "sub_outer_vlan_id",
    "sub_inner_vlan_id",
    "sub_if_flags",
    "vtr_op",
    "vtr_push_dot1q",
    "vtr_tag1",
    "vtr_tag2",
    "interface_name",
    "interface_dev_type",
    "tag",
)
"""The fields of sw_interface_details that make a Row, in its order."""
_SUB_ID = _PATHS.index("sub_id")
SIGNED_IDS = 1 << 31
"""From this on VPP has shown the id of a sub-interface with a sign."""


def request_interfaces(connection: VppReader) -> list[bytes]:
    """Return the request for all interfaces (sw_interface_dump), for which no worker stops."""
    return [connection.request("sw_interface_dump", {"sw_if_index": ALL_INDEXES})[1]]


def read_interfaces(connection: VppReader, replies: Replies) -> list[Row]:
    """Return the interfaces in `replies`, in VPP's order."""
    return [
        Row._make((*values, name_of(name, values[_SUB_ID]), text_of(device_class), text_of(tag)))
        for *values, name, device_class, tag in connection.rows(replies, "sw_interface_details", *_PATHS)
    ]


def name_of(raw: bytes, sub_id: int) -> str:
    """Return the name of an interface from its bytes in a message; VPP has given large ids of sub-interfaces a sign."""
    name = text_of(raw)
    return unsigned(name) if sub_id >= SIGNED_IDS else name


def unsigned(name: str) -> str:
    """Return the name of an interface as VPP 26.06 and later have it, with the id of a sub-interface as it is.

    Before, VPP wrote an id of 2147483648 and more with a sign, -1 for 4294967295 (vnet/interface_format.c,
    ca681ca829d).
    """
    parent, has_sign, number = name.rpartition(".-")
    if not has_sign or not 0 < (whole_number(number) or 0) <= SIGNED_IDS:
        return name
    return f"{parent}.{(1 << 32) - int(number)}"
