"""Bridge domains and their settings (vnet/l2/l2_bd.c). Joining and leaving one is an operation on the interface."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from vppcfg.model.bridge import Bridge, BridgeSettings, bridge_name
from vppcfg.model.vpp_object import Reference, Referent
from vppcfg.plan.operation import Operation
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record


@record
class BridgeOperation(Operation):
    """An operation on a bridge domain."""

    bd_id: int

    @property
    def subject(self) -> str:
        """Return the name that a configuration gives to the bridge domain."""
        return bridge_name(self.bd_id)


@record
class CreateBridge(BridgeOperation):
    """bridge_domain_add_del: make a bridge domain."""

    settings: BridgeSettings
    tag: str

    def _refusal(self, draft: WorkingState) -> str | None:
        return f"bridge domain {self.bd_id} exists" if bridge_name(self.bd_id) in draft.bridges else None

    def apply_to(self, draft: WorkingState) -> None:
        """Enter the bridge domain."""
        draft.bridges[bridge_name(self.bd_id)] = Bridge(bd_id=self.bd_id, settings=self.settings, tag=self.tag)


@record
class DeleteBridge(BridgeOperation):
    """bridge_domain_add_del: remove a bridge domain that has no members."""

    def _refusal(self, draft: WorkingState) -> str | None:
        if draft.bridge_members.get(self.bd_id):
            return f"bridge domain {self.bd_id} has members"
        if missing := missing_bridge(self.bd_id, draft):
            return missing
        bridge = draft.bridges[bridge_name(self.bd_id)]
        if bridge.filtered_macs or bridge.stray_macs or draft.static_macs.get(self.bd_id):
            return f"bridge domain {self.bd_id} has MAC addresses of its own, which the next one would inherit"
        others = draft.referring.get(Reference(Referent.BRIDGE, bridge_name(self.bd_id)))
        return f"{min(others)} is in bridge domain {self.bd_id}" if others else None

    def apply_to(self, draft: WorkingState) -> None:
        """Take the bridge domain out."""
        del draft.bridges[bridge_name(self.bd_id)]


class BridgeFlag(Enum):
    """A switch of a bridge domain; the value is the attribute of BridgeSettings."""

    LEARN = "learn"
    UNICAST_FLOOD = "unicast_flood"
    UNKNOWN_UNICAST_FLOOD = "unknown_unicast_flood"
    UNICAST_FORWARD = "unicast_forward"
    ARP_TERMINATION = "arp_termination"
    ARP_UNICAST_FORWARD = "arp_unicast_forward"


@record
class SetBridgeFlag(BridgeOperation):
    """bridge_flags: turn one switch of a bridge domain."""

    flag: BridgeFlag
    is_on: bool

    def _refusal(self, draft: WorkingState) -> str | None:
        return missing_bridge(self.bd_id, draft)

    def apply_to(self, draft: WorkingState) -> None:
        """Turn the switch."""
        _set(self.bd_id, draft, **{self.flag.value: self.is_on})


@record
class SetBridgeMacAge(BridgeOperation):
    """bridge_domain_set_mac_age: how long learned addresses stay."""

    minutes: int

    def _refusal(self, draft: WorkingState) -> str | None:
        return missing_bridge(self.bd_id, draft)

    def apply_to(self, draft: WorkingState) -> None:
        """Set the age."""
        _set(self.bd_id, draft, mac_age_minutes=self.minutes)


@record
class FilterMac(BridgeOperation):
    """l2fib_add_del: drop frames from and to a MAC address (vnet/l2/l2_fib.c).

    VPP goes on with it in the next bridge domain with the same index.
    """

    mac: str

    def _refusal(self, draft: WorkingState) -> str | None:
        if missing := missing_bridge(self.bd_id, draft):
            return missing
        holder = draft.static_macs.get(self.bd_id, {}).get(self.mac)
        return f"{holder} has the MAC address {self.mac} in bridge domain {self.bd_id}" if holder else None

    def apply_to(self, draft: WorkingState) -> None:
        """Filter it."""
        bridge = draft.bridges[bridge_name(self.bd_id)]
        filtered = tuple(sorted({*bridge.filtered_macs, self.mac}))
        draft.bridges[bridge_name(self.bd_id)] = replace(bridge, filtered_macs=filtered)


@record
class ForgetMac(BridgeOperation):
    """l2fib_add_del: no longer filter a MAC address, or send it to an interface that is gone."""

    mac: str

    def _refusal(self, draft: WorkingState) -> str | None:
        if missing := missing_bridge(self.bd_id, draft):
            return missing
        bridge = draft.bridges[bridge_name(self.bd_id)]
        if self.mac in (*bridge.filtered_macs, *bridge.stray_macs):
            return None
        return f"bridge domain {self.bd_id} has no such entry for {self.mac}"

    def apply_to(self, draft: WorkingState) -> None:
        """Forget it."""
        bridge = draft.bridges[bridge_name(self.bd_id)]
        filtered, stray = (
            tuple(mac for mac in macs if mac != self.mac) for macs in (bridge.filtered_macs, bridge.stray_macs)
        )
        draft.bridges[bridge_name(self.bd_id)] = replace(bridge, filtered_macs=filtered, stray_macs=stray)


def missing_bridge(bd_id: int, draft: WorkingState) -> str | None:
    """Return that there is no such bridge domain, None when there is."""
    return None if bridge_name(bd_id) in draft.bridges else f"bridge domain {bd_id} does not exist"


def _set(bd_id: int, draft: WorkingState, **settings: int | bool) -> None:
    bridge = draft.bridges[bridge_name(bd_id)]
    changed = replace(bridge.settings, **settings)  # type: ignore[arg-type]
    draft.bridges[bridge_name(bd_id)] = replace(bridge, settings=changed)
