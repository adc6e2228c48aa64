"""State, MTU, MAC and tag of any interface."""

from __future__ import annotations

from vppcfg.record import record


@record
class SetAdminState:
    """sw_interface_set_flags: bring an interface up or down."""

    interface: str
    is_up: bool


@record
class SetLinkMtu:
    """hw_interface_set_mtu: set a port's link MTU; a change overwrites the packet MTU of it and of all below it."""

    interface: str
    mtu: int


@record
class SetPacketMtu:
    """sw_interface_set_mtu: set the packet MTU, and those of IPv4, IPv6 and MPLS, where 0 means the same."""

    interface: str
    mtu: int
    protocol_mtus: tuple[int, int, int] = (0, 0, 0)


@record
class SetMac:
    """sw_interface_set_mac_address: give an interface another MAC address."""

    interface: str
    mac: str


@record
class SetTag:
    """sw_interface_tag_add_del: write the tag that marks an interface as ours; '' clears it."""

    interface: str
    tag: str
