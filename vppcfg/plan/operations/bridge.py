"""Bridge domains and their settings (vnet/l2/l2_bd.c). Joining and leaving one is an operation on the interface."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from vppcfg.model.bridge import Bridge, BridgeSettings, bridge_name
from vppcfg.plan.draft import Draft
from vppcfg.plan.operations.operation import Operation
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

    def _refusal(self, draft: Draft) -> str | None:
        return f"bridge domain {self.bd_id} exists" if bridge_name(self.bd_id) in draft.bridges else None

    def carry_out(self, draft: Draft) -> None:
        """Enter the bridge domain."""
        draft.bridges[bridge_name(self.bd_id)] = Bridge(bd_id=self.bd_id, settings=self.settings, tag=self.tag)


@record
class DeleteBridge(BridgeOperation):
    """bridge_domain_add_del: remove a bridge domain that has no members."""

    def _refusal(self, draft: Draft) -> str | None:
        if draft.bridge_members.get(self.bd_id):
            return f"bridge domain {self.bd_id} has members"
        return missing_bridge(self.bd_id, draft)

    def carry_out(self, draft: Draft) -> None:
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

    def _refusal(self, draft: Draft) -> str | None:
        return missing_bridge(self.bd_id, draft)

    def carry_out(self, draft: Draft) -> None:
        """Turn the switch."""
        _set(self.bd_id, draft, **{self.flag.value: self.is_on})


@record
class SetBridgeMacAge(BridgeOperation):
    """bridge_domain_set_mac_age: how long learned addresses stay."""

    minutes: int

    def _refusal(self, draft: Draft) -> str | None:
        return missing_bridge(self.bd_id, draft)

    def carry_out(self, draft: Draft) -> None:
        """Set the age."""
        _set(self.bd_id, draft, mac_age_minutes=self.minutes)


def missing_bridge(bd_id: int, draft: Draft) -> str | None:
    """Return that there is no such bridge domain, None when there is."""
    return None if bridge_name(bd_id) in draft.bridges else f"bridge domain {bd_id} does not exist"


def _set(bd_id: int, draft: Draft, **settings: int | bool) -> None:
    bridge = draft.bridges[bridge_name(bd_id)]
    changed = replace(bridge.settings, **settings)  # type: ignore[arg-type]
    draft.bridges[bridge_name(bd_id)] = replace(bridge, settings=changed)
