"""Operations on bridge domains and their settings (vnet/l2/l2_bd.c); interfaces join and leave in `l2_operations`."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from vppcfg.model.bridge import Bridge, BridgeSettings, bridge_name
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Reference, Referent
from vppcfg.operations.operation import Operation, Predicate, braced
from vppcfg.operations.request import NO_INDEX, Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import mac_bytes


class BridgeFlag(Enum):
    """A switch of a bridge domain; the value is the attribute of BridgeSettings."""

    LEARN = "learn"
    UNICAST_FLOOD = "unicast_flood"
    UNKNOWN_UNICAST_FLOOD = "unknown_unicast_flood"
    UNICAST_FORWARD = "unicast_forward"
    ARP_TERMINATION = "arp_termination"
    ARP_UNICAST_FORWARD = "arp_unicast_forward"


_BRIDGE_WORDS = {
    "learn": BridgeFlag.LEARN,
    "forward": BridgeFlag.UNICAST_FORWARD,
    "uu-flood": BridgeFlag.UNKNOWN_UNICAST_FLOOD,
    "flood": BridgeFlag.UNICAST_FLOOD,
    "arp-term": BridgeFlag.ARP_TERMINATION,
    "arp-ufwd": BridgeFlag.ARP_UNICAST_FORWARD,
}
"""The words of `create bridge-domain`."""
_BRIDGE_WORDS_LATER = {flag: word for word, flag in _BRIDGE_WORDS.items()} | {BridgeFlag.ARP_TERMINATION: "arp term"}
"""The words of `set bridge-domain`."""
_BRIDGE = ("bridge_domain_add_del_v2", "bridge_domain_add_del")
"""Newest first: 23.02, before. The reply of the newer one has an id that VPP picked."""
_FLAGS = {
    BridgeFlag.LEARN: 1,
    BridgeFlag.UNICAST_FORWARD: 2,
    BridgeFlag.UNICAST_FLOOD: 4,
    BridgeFlag.UNKNOWN_UNICAST_FLOOD: 8,
    BridgeFlag.ARP_TERMINATION: 16,
    BridgeFlag.ARP_UNICAST_FORWARD: 32,
}
"""bd_flags (vnet/l2/l2.api)."""
_WHATEVER = 0
"""In place of an interface: VPP does not look where the entry that it forgets leads."""


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

    def _refusal(self, working: WorkingState) -> str | None:
        return f"bridge domain {self.bd_id} exists" if bridge_name(self.bd_id) in working.bridges else None

    def apply_to(self, working: WorkingState) -> None:
        working.bridges[bridge_name(self.bd_id)] = Bridge(bd_id=self.bd_id, settings=self.settings, tag=self.tag)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        settings = self.settings
        values: dict[str, Value] = {
            "bd_id": self.bd_id,
            "flood": int(settings.unicast_flood),
            "uu_flood": int(settings.unknown_unicast_flood),
            "forward": int(settings.unicast_forward),
            "learn": int(settings.learn),
            "arp_term": int(settings.arp_termination),
            "arp_ufwd": int(settings.arp_unicast_forward),
            "mac_age": settings.mac_age_minutes,
            "bd_tag": self.tag,
            "is_add": 1,
        }
        return Request(vpp.newest(_BRIDGE), values)

    def cli(self) -> str:
        settings = self.settings
        words = [f"{word} {int(getattr(settings, flag.value))}" for word, flag in _BRIDGE_WORDS.items()]
        words.append(f"mac-age {settings.mac_age_minutes}")
        if self.tag:
            words.append(f"bd-tag {braced(self.tag)}")
        return f"create bridge-domain {self.bd_id} {' '.join(words)}"


@record
class DeleteBridge(BridgeOperation):
    """bridge_domain_add_del: remove a bridge domain that has no members."""

    def _refusal(self, working: WorkingState) -> str | None:
        if working.bridge_members.get(self.bd_id):
            return f"bridge domain {self.bd_id} has members"
        if missing := missing_bridge(self.bd_id, working):
            return missing
        bridge = working.bridges[bridge_name(self.bd_id)]
        if bridge.filtered_macs or bridge.stray_macs or working.static_macs.get(self.bd_id):
            return f"bridge domain {self.bd_id} has MAC addresses of its own, which the next one would inherit"
        others = working.referring.get(Reference(Referent.BRIDGE, bridge_name(self.bd_id)))
        return f"{min(others)} is in bridge domain {self.bd_id}" if others else None

    def apply_to(self, working: WorkingState) -> None:
        del working.bridges[bridge_name(self.bd_id)]

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(vpp.newest(_BRIDGE), {"bd_id": self.bd_id, "is_add": 0})

    def cli(self) -> str:
        return f"create bridge-domain {self.bd_id} del"


@record
class SetBridgeFlag(BridgeOperation):
    """bridge_flags: turn one switch of a bridge domain."""

    flag: BridgeFlag
    is_on: bool

    def _refusal(self, working: WorkingState) -> str | None:
        return missing_bridge(self.bd_id, working)

    def apply_to(self, working: WorkingState) -> None:
        _set(self.bd_id, working, **{self.flag.value: self.is_on})

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"bd_id": self.bd_id, "is_set": int(self.is_on), "flags": _FLAGS[self.flag]}
        return Request("bridge_flags", values)

    def cli(self) -> str:
        line = f"set bridge-domain {_BRIDGE_WORDS_LATER[self.flag]} {self.bd_id}"
        return line if self.is_on else f"{line} disable"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(
            f"has its switch {self.flag.value.replace('_', ' ')} turned {'on' if self.is_on else 'off'}",
            f"have their switch {self.flag.value.replace('_', ' ')} turned {'on' if self.is_on else 'off'}",
        )


@record
class SetBridgeMacAge(BridgeOperation):
    """bridge_domain_set_mac_age: how long learned addresses stay."""

    minutes: int

    def _refusal(self, working: WorkingState) -> str | None:
        return missing_bridge(self.bd_id, working)

    def apply_to(self, working: WorkingState) -> None:
        _set(self.bd_id, working, mac_age_minutes=self.minutes)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("bridge_domain_set_mac_age", {"bd_id": self.bd_id, "mac_age": self.minutes})

    def cli(self) -> str:
        return f"set bridge-domain mac-age {self.bd_id} {self.minutes}"


@record
class FilterMac(BridgeOperation):
    """l2fib_add_del: drop frames from and to a MAC address (vnet/l2/l2_fib.c).

    VPP goes on with it in the next bridge domain with the same index.
    """

    mac: str

    def _refusal(self, working: WorkingState) -> str | None:
        if missing := missing_bridge(self.bd_id, working):
            return missing
        holder = working.static_macs.get(self.bd_id, {}).get(self.mac)
        return f"{holder} has the MAC address {self.mac} in bridge domain {self.bd_id}" if holder else None

    def apply_to(self, working: WorkingState) -> None:
        bridge = working.bridges[bridge_name(self.bd_id)]
        filtered = tuple(sorted({*bridge.filtered_macs, self.mac}))
        working.bridges[bridge_name(self.bd_id)] = replace(bridge, filtered_macs=filtered)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values: dict[str, Value] = {"sw_if_index": NO_INDEX, "static_mac": 0, "filter_mac": 1}
        return l2fib_request(self.mac, self.bd_id, values, is_add=True)

    def cli(self) -> str:
        return f"l2fib add {self.mac} {self.bd_id} filter"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(f"filters {self.mac}", "filter MAC addresses")


@record
class ForgetMac(BridgeOperation):
    """l2fib_add_del: no longer filter a MAC address, or send it to an interface that is gone."""

    mac: str

    def _refusal(self, working: WorkingState) -> str | None:
        if missing := missing_bridge(self.bd_id, working):
            return missing
        bridge = working.bridges[bridge_name(self.bd_id)]
        if self.mac in (*bridge.filtered_macs, *bridge.stray_macs):
            return None
        return f"bridge domain {self.bd_id} has no such entry for {self.mac}"

    def apply_to(self, working: WorkingState) -> None:
        bridge = working.bridges[bridge_name(self.bd_id)]
        filtered, stray = (
            tuple(mac for mac in macs if mac != self.mac) for macs in (bridge.filtered_macs, bridge.stray_macs)
        )
        working.bridges[bridge_name(self.bd_id)] = replace(bridge, filtered_macs=filtered, stray_macs=stray)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values: dict[str, Value] = {"sw_if_index": _WHATEVER, "static_mac": 0, "filter_mac": 0}
        return l2fib_request(self.mac, self.bd_id, values, is_add=False)

    def cli(self) -> str:
        return f"l2fib del {self.mac} {self.bd_id}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(f"forgets {self.mac}", "forget MAC addresses")


def missing_bridge(bd_id: int, working: WorkingState) -> str | None:
    """Return that there is no such bridge domain, None when there is."""
    return None if bridge_name(bd_id) in working.bridges else f"bridge domain {bd_id} does not exist"


def _set(bd_id: int, working: WorkingState, **settings: int | bool) -> None:
    bridge = working.bridges[bridge_name(bd_id)]
    changed = replace(bridge.settings, **settings)  # type: ignore[arg-type]
    working.bridges[bridge_name(bd_id)] = replace(bridge, settings=changed)


def l2fib_request(mac: str, bd_id: int, values: dict[str, Value], *, is_add: bool) -> Request:
    """Return the message that makes VPP know or forget a MAC address in a bridge domain (vnet/l2/l2.api)."""
    known: dict[str, Value] = {"mac": mac_bytes(mac), "bd_id": bd_id, "is_add": int(is_add)}
    return Request("l2fib_add_del", {**known, **values, "bvi_mac": 0})
