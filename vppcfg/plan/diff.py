"""The difference between two states, object by object: what appears, changes, is replaced, disappears, and why.

An object is replaced when VPP cannot change it in place, or when something that it hangs on is replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields

from vppcfg.common.names import natural_key
from vppcfg.kinds.kind_list import KINDS
from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface
from vppcfg.model.kinds import is_same_port
from vppcfg.model.lcp import LcpPair, Stacking
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.placement import moved
from vppcfg.model.punt_redirect import PuntRedirect
from vppcfg.model.state import State
from vppcfg.plan.change import (
    Action,
    AttributeChange,
    Change,
    Difference,
    ObjectKind,
    appearance,
    attribute_changes,
    different,
)
from vppcfg.plan.ra_mtu import stale_ra_mtu
from vppcfg.plan.recreate import is_open, is_refilled, replaced_interfaces

_PLACES = {kind: place for place, kind in enumerate(ObjectKind)}


def diff(observed: State, desired: State) -> Difference:
    """Return what must change for `observed` to become `desired`; empty when they are equal in effect.

    An empty MAC in the desired state leaves it open, and so does a service that it does not own.
    """
    observed, desired = observed.managed(desired.owned), desired.managed(desired.owned)
    interfaces = _interface_changes(observed, desired)
    others = (change for kind in KINDS for change in kind.changes(observed, desired))
    return Difference(
        interfaces=interfaces,
        lcps=_lcp_changes(observed, desired, interfaces),
        linux=_linux_changes(observed, desired),
        host=tuple(_host_changes(observed, desired)),
        others=tuple(sorted(others, key=lambda change: _PLACES[change.kind])),
    )


def _interface_changes(observed: State, desired: State) -> dict[str, Change[Interface]]:
    replaced = replaced_interfaces(observed, desired)
    changes = {}
    names = {*different(observed.interfaces, desired.interfaces), *replaced}
    names |= different(observed.virtual, desired.virtual) & (observed.interfaces.keys() | desired.interfaces.keys())
    for name in sorted(names, key=natural_key):
        before, after = observed.interfaces.get(name), desired.interfaces.get(name)
        if before is None or after is None:
            changes[name] = appearance(ObjectKind.INTERFACE, name, before, after)
            continue
        attributes = tuple(_interface_attributes(before, after, observed, desired))
        if attributes or name in replaced:
            changes[name] = Change(
                action=Action.REPLACE if name in replaced else Action.UPDATE,
                kind=ObjectKind.INTERFACE,
                name=name,
                before=before,
                after=after,
                attributes=attributes,
                forced_by=replaced.get(name),
            )
    return changes


_PLACEMENTS = ("rx_placement", "tx_placement")
_NOT_ATTRIBUTES = {"name", "device_class", *_PLACEMENTS}
_INTERFACE_FIELDS = tuple(
    field.name for field in fields(Interface) if field.compare and field.name not in _NOT_ATTRIBUTES
)


def _interface_attributes(
    before: Interface, after: Interface, observed: State, desired: State
) -> Iterator[AttributeChange]:
    if before is not after and before != after:
        for name in _INTERFACE_FIELDS:
            old, new = getattr(before, name), getattr(after, name)
            if old != new and not is_open(name, new) and not _follows_from_tag(name, before, after, observed):
                yield from _interface_attribute(name, before, after, observed, desired)
        for name in _PLACEMENTS:
            if pairs := list(moved(getattr(before, name), getattr(after, name))):
                old, new = (tuple(side) for side in zip(*pairs, strict=True))
                yield AttributeChange(name=name, old=old, new=new)
    if after.ra is not None and (stale := stale_ra_mtu(before, after, observed, desired)):
        yield AttributeChange(name="ra_mtu", old=stale[0], new=stale[1])
    virtual, desired_virtual = observed.virtual.get(before.name), desired.virtual.get(before.name)
    if virtual is not None and virtual.__class__ is desired_virtual.__class__:
        yield from attribute_changes(virtual, desired_virtual.merge_observed(virtual))


def _follows_from_tag(name: str, before: Interface, after: Interface, observed: State) -> bool:
    """Return whether the kinds differ of one and the same port, of which the mark in the tag tells whose it is."""
    return name == "kind" and is_same_port(before, after, observed.virtual.get(before.name))


def _interface_attribute(
    name: str, before: Interface, after: Interface, observed: State, desired: State
) -> Iterator[AttributeChange]:
    old, new = getattr(before, name), getattr(after, name)
    if name == "packet_mtu" and after.parent is not None:
        if new == 0 and old == desired.packet_mtu(after.name):
            return
        old = observed.packet_mtu(before.name)
    yield AttributeChange(name=name, old=old, new=new)


def _linux_changes(observed: State, desired: State) -> dict[str, Change[LinuxDevice]]:
    """Return the devices that differ from what is wanted; one whose pair or TAP goes needs no change of its own."""
    changes = {}
    for name, after in desired.linux.items():
        before = observed.linux.get(name)
        if before is not None and before != after:
            changes[name] = Change(
                action=Action.UPDATE,
                kind=ObjectKind.LINUX,
                name=name,
                before=before,
                after=after,
                attributes=attribute_changes(before, after),
            )
    return changes


def _host_changes(observed: State, desired: State) -> Iterator[Change[bool]]:
    for netns in sorted(desired.namespaces - observed.namespaces):
        yield appearance(ObjectKind.LINUX, f"namespace {netns}", None, True)
    for _, bridge in sorted(desired.linux_bridges - observed.linux_bridges):
        yield appearance(ObjectKind.LINUX, f"bridge {bridge}", None, True)


def _lcp_changes(
    observed: State, desired: State, interfaces: Mapping[str, Change[Interface]]
) -> dict[str, Change[LcpPair]]:
    changes = {
        name: change
        for name in different(observed.lcps, desired.lcps)
        if (change := _lcp_change(name, observed, desired)) is not None
    }
    gone = [name for name, change in changes.items() if change.before is not None]
    for name, reason in _outdated_pairs(observed, desired, interfaces):
        if name in observed.lcps and name not in changes:
            changes[name] = _replaced_pair(name, observed, desired, reason)
            gone.append(name)
    _add_dependents(gone, observed, desired, changes)
    return {name: changes[name] for name in sorted(changes, key=natural_key)}


def _outdated_pairs(
    observed: State, desired: State, interfaces: Mapping[str, Change[Interface]]
) -> Iterable[tuple[str, str]]:
    """Yield the interfaces whose pair must be made anew with them: linux-cp takes a MAC only when a pair is made."""
    for name, change in interfaces.items():
        if change.action is Action.REPLACE:
            yield name, f"{name} is replaced"
        elif change.action is Action.UPDATE and any(attribute.name == "mac" for attribute in change.attributes):
            yield name, f"the MAC of {name} changes"
        elif change.action is Action.UPDATE and _gets_the_mac_of_a_member(name, observed, desired):
            yield name, f"{name} gets the MAC of its first member"
    redirects = desired.of(PuntRedirect)
    for redirect in observed.of(PuntRedirect).values():
        if redirect.interface and redirect.name not in redirects:
            yield redirect.interface, f"the {redirect.label} goes, and linux-cp sets its own with a new pair"


def _gets_the_mac_of_a_member(name: str, observed: State, desired: State) -> bool:
    before, after = observed.virtual_of(name, Bond), desired.virtual_of(name, Bond)
    return before is not None and after is not None and is_refilled(before, after)


def _add_dependents(gone: list[str], observed: State, desired: State, changes: dict[str, Change[LcpPair]]) -> None:
    """Replace, too, the pairs that hang on a pair in `gone`."""
    if not gone:
        return
    stacking = Stacking(observed.interfaces.values())
    while gone:
        name = gone.pop()
        for dependent in stacking.hanging_on(observed.interfaces[name]):
            if dependent in observed.lcps and dependent not in changes:
                changes[dependent] = _replaced_pair(dependent, observed, desired, f"the LCP of {name} is replaced")
                gone.append(dependent)


def _lcp_change(name: str, observed: State, desired: State) -> Change[LcpPair] | None:
    before, after = observed.lcps.get(name), desired.lcps.get(name)
    if before == after:
        return None
    if before is None or after is None:
        return appearance(ObjectKind.LCP, name, before, after)
    attributes = attribute_changes(before, after)
    if not attributes:
        return None
    return Change(
        action=Action.REPLACE,
        kind=ObjectKind.LCP,
        name=name,
        before=before,
        after=after,
        attributes=attributes,
        forced_by=attributes[0].name,
    )


def _replaced_pair(name: str, observed: State, desired: State, reason: str) -> Change[LcpPair]:
    return Change(
        action=Action.REPLACE,
        kind=ObjectKind.LCP,
        name=name,
        before=observed.lcps[name],
        after=desired.lcps[name],
        forced_by=reason,
    )
