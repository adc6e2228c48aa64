"""The operations that VPP really has: one is one API message and one CLI line.

They name objects by name, never by index; how each is written as CLI text or sent to VPP is known elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from vppcfg.model.interface import Encapsulation, OtherMatch, TagRewrite


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAdminState:
    """sw_interface_set_flags: bring an interface up or down."""

    interface: str
    is_up: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateSubInterface:
    """create_subif: make `PARENT.ID`, born down, with its parent's packet MTU."""

    interface: str
    parent: str
    sub_id: int
    encapsulation: Encapsulation | OtherMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteSubInterface:
    """delete_subif: remove a sub-interface."""

    interface: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLinkMtu:
    """hw_interface_set_mtu: set a port's link MTU; a change overwrites the packet MTU of it and of all below it."""

    interface: str
    mtu: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPacketMtu:
    """sw_interface_set_mtu: set the packet MTU, and those of IPv4, IPv6 and MPLS, where 0 means the same."""

    interface: str
    mtu: int
    protocol_mtus: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAddress:
    """sw_interface_add_del_address: put an address on an interface."""

    interface: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveAddress:
    """sw_interface_add_del_address: take an address off an interface."""

    interface: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateLcpPair:
    """lcp_itf_pair_add_del: mirror an interface as a Linux device."""

    interface: str
    host_name: str
    netns: str
    is_default_netns: bool
    """Whether `netns` is the one that VPP takes unasked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteLcpPair:
    """lcp_itf_pair_add_del: remove the Linux device of an interface."""

    interface: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCrossConnect:
    """sw_interface_set_l2_xconnect: send what `interface` receives to `target`."""

    interface: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveL2:
    """sw_interface_set_l2_xconnect (disable): return an interface to L3, from a cross-connect or a bridge."""

    interface: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTagRewrite:
    """l2_interface_vlan_tag_rewrite: how VLAN tags change between an L2 interface and the switch; None disables."""

    interface: str
    tag_rewrite: TagRewrite | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTag:
    """sw_interface_tag_add_del: write the tag that marks an interface as ours; '' clears it."""

    interface: str
    tag: str


Operation = (
    SetAdminState
    | CreateSubInterface
    | DeleteSubInterface
    | SetLinkMtu
    | SetPacketMtu
    | AddAddress
    | RemoveAddress
    | CreateLcpPair
    | DeleteLcpPair
    | SetCrossConnect
    | LeaveL2
    | SetTagRewrite
    | SetTag
)
