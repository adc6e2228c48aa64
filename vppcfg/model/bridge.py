"""Bridge domains: their settings. Who belongs to one is an attribute of the interface."""

from __future__ import annotations

from vppcfg.record import record


def bridge_name(bd_id: int) -> str:
    """Return the name that a configuration gives to bridge domain `bd_id`."""
    return f"bd{bd_id}"


@record
class BridgeSettings:
    """What can be changed on a bridge domain at any time (vnet/l2/l2.api)."""

    learn: bool = True
    unicast_flood: bool = True
    unknown_unicast_flood: bool = True
    unicast_forward: bool = True
    arp_termination: bool = False
    arp_unicast_forward: bool = False
    mac_age_minutes: int = 0
    """0: learned addresses stay for ever."""


@record
class Bridge:
    """One bridge domain."""

    bd_id: int
    settings: BridgeSettings = BridgeSettings()
    tag: str = ""
    """Set when it is made and never after."""
