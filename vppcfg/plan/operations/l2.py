"""What makes an interface switch rather than route."""

from __future__ import annotations

from vppcfg.model.interface import TagRewrite
from vppcfg.record import record


@record
class SetCrossConnect:
    """sw_interface_set_l2_xconnect: send what `interface` receives to `target`."""

    interface: str
    target: str


@record
class JoinBridge:
    """sw_interface_set_l2_bridge: make an interface a member of a bridge domain, or its BVI."""

    interface: str
    bd_id: int
    is_bvi: bool = False
    split_horizon_group: int = 0


@record
class LeaveL2:
    """sw_interface_set_l2_xconnect (disable): return an interface to L3, from a cross-connect or a bridge."""

    interface: str


@record
class SetTagRewrite:
    """l2_interface_vlan_tag_rewrite: how VLAN tags change between an L2 interface and the switch; None disables."""

    interface: str
    tag_rewrite: TagRewrite | None
