"""Finds the interfaces that a plan must delete and create again, and what forces that."""

from __future__ import annotations

from operator import attrgetter

from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface, RxMode
from vppcfg.model.kinds import is_same_port
from vppcfg.model.state import State


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
    virtual, new = observed.virtual.get(before.name), desired.virtual.get(before.name)
    if not is_same_port(before, after, virtual):
        return "kind"
    if (
        virtual is None
        or virtual.__class__ is not new.__class__
        or not (virtual.is_owned_by_mark or virtual.kind is before.kind)
    ):
        return None
    if isinstance(virtual, Bond) and isinstance(new, Bond) and _gets_another_mac(before, after, virtual, new):
        return "mac"
    table = virtual.needed_table
    reason = _first_difference(virtual, new, virtual.recreate_on_change)
    if reason is None and table is not None and observed.vrfs.get(table) != desired.vrfs.get(table):
        return f"{table} is recreated"
    return reason


def _gets_another_mac(before: Interface, after: Interface, virtual: Bond, new: Bond) -> bool:
    """Return whether a bond is to have a MAC that it can get only by being made with it."""
    return bool(after.mac) and (after.mac != before.mac or is_refilled(virtual, new))


def is_refilled(before: Bond, after: Bond) -> bool:
    """Return whether no member stays all the time: unless it was made with a MAC, the bond takes that of the next."""
    stays = (membership.is_same_but_weight(after.members.get(name)) for name, membership in before.members.items())
    return bool(after.members) and not any(stays)


def is_open(attribute: str, new: object) -> bool:
    """Return whether a desired value leaves open what the attribute becomes: an empty MAC does, and mixed modes."""
    return (new == "" and attribute in {"mac", "host_mac"}) or new is RxMode.MIXED


def _first_difference(before: object, after: object, attributes: tuple[str, ...]) -> str | None:
    for name in attributes:
        new = getattr(after, name)
        if getattr(before, name) != new and not is_open(name, new):
            return name
    return None


def _reason_of_child(before: Interface, after: Interface, replaced: dict[str, str]) -> str | None:
    if before.parent in replaced:
        return f"{before.parent} is replaced"
    return None if _made_with(before) == _made_with(after) else _first_difference(before, after, _MADE_WITH)


_MADE_WITH = ("kind", "parent", "sub_id", "encapsulation")
"""What a sub-interface is made with."""
_made_with = attrgetter(*_MADE_WITH)
