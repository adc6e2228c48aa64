"""Bridge domains."""

from __future__ import annotations

from enum import Enum

from vppcfg.model.bridge import BridgeSettings
from vppcfg.record import record


@record
class CreateBridge:
    """bridge_domain_add_del: make a bridge domain."""

    bd_id: int
    settings: BridgeSettings
    tag: str


@record
class DeleteBridge:
    """bridge_domain_add_del: remove a bridge domain that has no members."""

    bd_id: int


class BridgeFlag(Enum):
    """A switch of a bridge domain; the value is the attribute of BridgeSettings."""

    LEARN = "learn"
    UNICAST_FLOOD = "unicast_flood"
    UNKNOWN_UNICAST_FLOOD = "unknown_unicast_flood"
    UNICAST_FORWARD = "unicast_forward"
    ARP_TERMINATION = "arp_termination"
    ARP_UNICAST_FORWARD = "arp_unicast_forward"


@record
class SetBridgeFlag:
    """bridge_flags: turn one switch of a bridge domain."""

    bd_id: int
    flag: BridgeFlag
    is_on: bool


@record
class SetBridgeMacAge:
    """bridge_domain_set_mac_age: how long learned addresses stay."""

    bd_id: int
    minutes: int
