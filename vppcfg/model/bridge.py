"""Bridge domains: their settings. Who belongs to one is an attribute of the interface."""

from __future__ import annotations

from collections.abc import Iterable

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
    filtered_macs: tuple[str, ...] = ()
    """MAC addresses to which it sends nothing, canonical and in order."""
    stray_macs: tuple[str, ...] = ()
    """MAC addresses that it sends to interfaces which are gone; the configuration never sets any."""


@record
class StaticMac:
    """A MAC address that a bridge domain sends to one interface, whatever it learns."""

    bd_id: int
    mac: str
    """Canonical."""


def macs_in_order(macs: Iterable[StaticMac]) -> tuple[StaticMac, ...]:
    """Return static MAC addresses in one order: by their bridge domain, then by themselves."""
    return tuple(sorted(macs, key=lambda each: (each.bd_id, each.mac)))
