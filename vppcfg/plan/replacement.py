"""Which interfaces must be deleted and made anew, and what forces that."""

from __future__ import annotations

from dataclasses import fields

from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State

_MADE_WITH = ("mode", "load_balance", "has_gso", "is_numa_only")
"""What a bond is made with and keeps; its members come and go."""


def replaced_interfaces(observed: State, desired: State) -> dict[str, str]:
    """Return the reason for each interface that both states have and that VPP cannot change in place."""
    replaced: dict[str, str] = {}
    children: list[tuple[Interface, Interface]] = []
    for name, before in observed.interfaces.items():
        after = desired.interfaces.get(name)
        if after is None:
            continue
        if before.parent is not None and after.parent is not None:
            children.append((before, after))
        elif reason := _reason(before, after, observed, desired):
            replaced[name] = reason
    for before, after in children:
        if reason := _reason_of_child(before, after, replaced):
            replaced[before.name] = reason
    return replaced


def _reason(before: Interface, after: Interface, observed: State, desired: State) -> str | None:
    if before.kind is not after.kind:
        return "kind"
    name = before.name
    if before.kind is InterfaceKind.BOND and name in observed.bonds and name in desired.bonds:
        if after.mac and (after.mac != before.mac or is_refilled(observed.bonds[name], desired.bonds[name])):
            return "mac"
        return _first_difference(observed.bonds[name], desired.bonds[name], _MADE_WITH)
    if before.kind is InterfaceKind.VXLAN and name in observed.vxlans and name in desired.vxlans:
        return _first_difference(observed.vxlans[name], desired.vxlans[name], ("local", "remote", "vni"))
    if before.kind is InterfaceKind.TAP and name in observed.taps and name in desired.taps:
        tap = desired.taps[name]
        return _first_difference(observed.taps[name], tap, tuple(field.name for field in fields(tap)))
    return None


def is_refilled(before: Bond, after: Bond) -> bool:
    """Return whether none of the members stays: unless it was made with a MAC, the bond then takes that of the next."""
    return bool(after.members) and before.members.keys().isdisjoint(after.members)


def is_open(attribute: str, wanted: object) -> bool:
    """Return whether a desired value leaves open what the attribute becomes: an empty MAC does."""
    return wanted == "" and attribute in {"mac", "host_mac"}


def _first_difference(before: object, after: object, attributes: tuple[str, ...]) -> str | None:
    for name in attributes:
        wanted = getattr(after, name)
        if getattr(before, name) != wanted and not is_open(name, wanted):
            return name
    return None


def _reason_of_child(before: Interface, after: Interface, replaced: dict[str, str]) -> str | None:
    if before.parent in replaced:
        return f"{before.parent} is replaced"
    return _first_difference(before, after, ("kind", "parent", "sub_id", "encapsulation"))
