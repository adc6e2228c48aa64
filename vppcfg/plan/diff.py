"""The difference between two states, object by object: what appears, changes, is replaced, disappears, and why.

An object is replaced when VPP cannot change it in place, or when something that it depends on is replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from vppcfg.common.names import natural_key
from vppcfg.kinds.kind_list import KINDS
from vppcfg.kinds.lcp.changes import pair_changes
from vppcfg.model.interface import Interface
from vppcfg.model.kinds import is_same_port
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.placement import moved
from vppcfg.model.state import State
from vppcfg.operations.change import (
    Action,
    AttributeChange,
    Change,
    Difference,
    ObjectKind,
    appearance,
    attribute_changes,
    not_identical,
)
from vppcfg.operations.recreate import is_open, replaced_interfaces
from vppcfg.operations.transition import stale_ra_mtu

_PLACES = {kind: place for place, kind in enumerate(ObjectKind)}


def diff(observed: State, desired: State) -> Difference:
    """Return what must change for `observed` to become `desired`; empty when they are equal in effect.

    An empty MAC in the desired state leaves it open. Objects of kinds that the desired state does not own are passed
    over in both.
    """
    observed, desired = observed.managed(desired.owned), desired.managed(desired.owned)
    interfaces = _interface_changes(observed, desired)
    others = (change for kind in KINDS for change in kind.changes(observed, desired))
    return Difference(
        interfaces=interfaces,
        lcps=pair_changes(observed, desired, interfaces),
        linux=_linux_changes(observed, desired),
        host=tuple(_host_changes(observed, desired)),
        others=tuple(sorted(others, key=lambda change: _PLACES[change.kind])),
    )


def _interface_changes(observed: State, desired: State) -> dict[str, Change[Interface]]:
    replaced = replaced_interfaces(observed, desired)
    changes = {}
    names = {*_not_alike(observed, desired), *replaced}
    names |= not_identical(observed.virtual, desired.virtual) & (observed.interfaces.keys() | desired.interfaces.keys())
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


def _not_alike(observed: State, desired: State) -> Iterator[str]:
    """Yield those that differ, and all with router advertisements, whose MTU may be stale though all is equal."""
    for name in not_identical(observed.interfaces, desired.interfaces):
        after = desired.interfaces.get(name)
        if after is None or after.ra is not None or observed.interfaces.get(name) != after:
            yield name


_PLACEMENTS = ("rx_placement", "tx_placement")
_NOT_ATTRIBUTES = {"name", "device_class", *_PLACEMENTS}
"""The class of a device is a fact that no operation changes; placements are compared queue by queue."""
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
    """Return whether only `kind` differs, since the tag gains or loses vppcfg's mark: the tag's own change has it."""
    return name == "kind" and is_same_port(before, after, observed.virtual.get(before.name))


def _interface_attribute(
    name: str, before: Interface, after: Interface, observed: State, desired: State
) -> Iterator[AttributeChange]:
    old, new = getattr(before, name), getattr(after, name)
    if name == "packet_mtu":  # 0 inherits the parent's
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
