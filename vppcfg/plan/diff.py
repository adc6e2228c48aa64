"""The difference between two states, object by object: what appears, changes, is replaced, disappears, and why.

An object is replaced when VPP cannot change it in place, or when something that it hangs on is replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import Enum

from vppcfg.model.interface import Interface
from vppcfg.model.lcp import LcpPair
from vppcfg.model.naming import natural_key
from vppcfg.model.state import State
from vppcfg.plan.effects import dependent_pairs


class Action(Enum):
    """What becomes of an object."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeChange:
    """One attribute that differs."""

    name: str
    old: object
    new: object


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceChange:
    """What becomes of one interface."""

    action: Action
    name: str
    before: Interface | None
    after: Interface | None
    attributes: tuple[AttributeChange, ...] = ()
    forced_by: str | None = None
    """Why the interface is replaced."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LcpChange:
    """What becomes of the LCP pair of one interface."""

    action: Action
    name: str
    before: LcpPair | None
    after: LcpPair | None
    attributes: tuple[AttributeChange, ...] = ()
    forced_by: str | None = None
    """Why the pair is replaced."""


Change = InterfaceChange | LcpChange

REPLACING = ("encapsulation", "sub_id", "parent", "kind")
"""Attributes of an interface that VPP cannot change in place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """All changes, by name of the interface, in natural order."""

    interfaces: Mapping[str, InterfaceChange]
    lcps: Mapping[str, LcpChange]

    def __iter__(self) -> Iterator[Change]:
        """Yield every change: interface by interface, its LCP pair behind it."""
        for name in sorted(self.interfaces.keys() | self.lcps.keys(), key=natural_key):
            if name in self.interfaces:
                yield self.interfaces[name]
            if name in self.lcps:
                yield self.lcps[name]


def diff(observed: State, desired: State) -> Difference:
    """Return what must change for `observed` to become `desired`; empty when they are equal in effect."""
    interfaces = {
        name: change
        for name in sorted(observed.interfaces.keys() | desired.interfaces.keys(), key=natural_key)
        if (change := _interface_change(name, observed, desired))
    }
    return Difference(interfaces=interfaces, lcps=_lcp_changes(observed, desired, interfaces))


def _interface_change(name: str, observed: State, desired: State) -> InterfaceChange | None:
    before, after = observed.interfaces.get(name), desired.interfaces.get(name)
    if before is after:
        return None
    if before is None or after is None:
        action = Action.CREATE if before is None else Action.DELETE
        return InterfaceChange(action=action, name=name, before=before, after=after)
    attributes = tuple(_interface_attributes(before, after, observed, desired))
    if not attributes:
        return None
    forced_by = next((change.name for change in attributes if change.name in REPLACING), None)
    action = Action.REPLACE if forced_by else Action.UPDATE
    return InterfaceChange(
        action=action, name=name, before=before, after=after, attributes=attributes, forced_by=forced_by
    )


_INTERFACE_FIELDS = tuple(field.name for field in fields(Interface) if field.name != "name")
_PAIR_FIELDS = tuple(field.name for field in fields(LcpPair))


def _interface_attributes(
    before: Interface, after: Interface, observed: State, desired: State
) -> Iterator[AttributeChange]:
    for name in _INTERFACE_FIELDS:
        old, new = getattr(before, name), getattr(after, name)
        if old == new:
            continue
        if name == "packet_mtu" and old == 0:
            if new == desired.packet_mtu(after.parent or after.name):
                continue
            old = observed.packet_mtu(before.name)
        yield AttributeChange(name=name, old=old, new=new)


def _lcp_changes(observed: State, desired: State, interfaces: Mapping[str, InterfaceChange]) -> dict[str, LcpChange]:
    names = observed.lcps.keys() | desired.lcps.keys()
    changes = {name: change for name in names if (change := _lcp_change(name, observed, desired))}
    gone = [name for name, change in changes.items() if change.before is not None]
    for name, interface in interfaces.items():
        if interface.action is Action.REPLACE and name in observed.lcps and name not in changes:
            changes[name] = _replaced_pair(name, observed, desired, f"{name} is replaced")
            gone.append(name)
    _add_dependents(gone, observed, desired, changes)
    return {name: changes[name] for name in sorted(changes, key=natural_key)}


def _add_dependents(gone: list[str], observed: State, desired: State, changes: dict[str, LcpChange]) -> None:
    """Replace, too, the pairs that hang on a pair in `gone`."""
    children = observed.sub_interfaces_by_parent()
    while gone:
        name = gone.pop()
        interface = observed.interfaces[name]
        siblings = children.get(interface.parent or name, [])
        for dependent in dependent_pairs(interface, observed.interfaces, siblings):
            if dependent in observed.lcps and dependent not in changes:
                changes[dependent] = _replaced_pair(dependent, observed, desired, f"the LCP of {name} is replaced")
                gone.append(dependent)


def _lcp_change(name: str, observed: State, desired: State) -> LcpChange | None:
    before, after = observed.lcps.get(name), desired.lcps.get(name)
    if before == after:
        return None
    if before is None or after is None:
        action = Action.CREATE if before is None else Action.DELETE
        return LcpChange(action=action, name=name, before=before, after=after)
    attributes = tuple(
        AttributeChange(name=field, old=getattr(before, field), new=getattr(after, field))
        for field in _PAIR_FIELDS
        if getattr(before, field) != getattr(after, field)
    )
    reason = attributes[0].name
    return LcpChange(
        action=Action.REPLACE, name=name, before=before, after=after, attributes=attributes, forced_by=reason
    )


def _replaced_pair(name: str, observed: State, desired: State, reason: str) -> LcpChange:
    before, after = observed.lcps[name], desired.lcps[name]
    return LcpChange(action=Action.REPLACE, name=name, before=before, after=after, forced_by=reason)
