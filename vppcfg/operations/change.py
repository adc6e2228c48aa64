"""Changes of the objects of a dataplane between two states, and the difference, which is all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from enum import Enum, IntEnum
from typing import Any, Generic, TypeVar

from vppcfg.common.names import natural_key
from vppcfg.model.interface import Interface
from vppcfg.model.lcp import LcpPair
from vppcfg.model.linux import LinuxDevice
from vppcfg.operations.recreate import is_open
from vppcfg.record import record


class Action(Enum):
    """What happens to an object."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    DELETE = "delete"


class ObjectKind(Enum):
    """What a change is about."""

    INTERFACE = "interface"
    LCP = "lcp"
    BRIDGE = "bridge"
    ACL = "acl"
    MACIP = "macip"
    LINUX = "linux"
    SFLOW = "sflow"
    LLDP = "lldp"
    PROXY_ARP = "proxy-arp"
    IPFIX = "ipfix"
    MPLS = "mpls"
    VRF = "vrf"
    MEMIF_SOCKET = "memif-socket"
    OBJECT = "object"
    """A `VppObject`, whose noun programs are shown in its place."""


@record
class AttributeChange:
    """One attribute that differs."""

    name: str
    old: object
    new: object


T_co = TypeVar("T_co", covariant=True)


@record
class Change(Generic[T_co]):
    """What happens to one object."""

    action: Action
    kind: ObjectKind
    name: str
    """For an LCP pair, that of its interface."""
    before: T_co | None
    after: T_co | None
    attributes: tuple[AttributeChange, ...] = ()
    forced_by: str | None = None
    """Why the object is replaced."""


_BEFORE_INTERFACES = (ObjectKind.ACL, ObjectKind.MACIP, ObjectKind.VRF, ObjectKind.BRIDGE)
"""What is shown before the interfaces that use it."""


@record
class Difference:
    """All changes, by name, in natural order."""

    interfaces: Mapping[str, Change[Interface]]
    """With what a bond, tunnel or TAP is made of among the attributes."""
    lcps: Mapping[str, Change[LcpPair]]
    linux: Mapping[str, Change[LinuxDevice]]
    """Devices by the interface that they belong to."""
    host: tuple[Change[bool], ...] = ()
    """Namespaces and Linux bridges that are missing."""
    others: tuple[Change[Any], ...] = ()
    """What belongs to no interface, in the order of `ObjectKind`: settings of VPP, and objects such as routes."""

    def of(self, kind: ObjectKind) -> Iterator[Change[Any]]:
        """Yield the changes of one kind of what belongs to no interface."""
        return (change for change in self.others if change.kind is kind)

    def __iter__(self) -> Iterator[Change[Any]]:
        """Yield every change: access lists, FIB tables, bridges, then each interface with its LCP pair behind it."""
        for kind in _BEFORE_INTERFACES:
            yield from self.of(kind)
        yield from self.host
        names = self.interfaces.keys() | self.lcps.keys() | self.linux.keys()
        for name in sorted(names, key=natural_key):
            for table in (self.interfaces, self.lcps, self.linux):
                if name in table:
                    yield table[name]
        yield from (change for change in self.others if change.kind not in _BEFORE_INTERFACES)


_ABSENT = object()


def differing_names(observed: Mapping[str, object], desired: Mapping[str, object]) -> list[str]:
    """Return the names of everything that may differ, in natural order."""
    return sorted(not_identical(observed, desired), key=natural_key)


def not_identical(observed: Mapping[str, object], desired: Mapping[str, object]) -> set[str]:
    """Return the names of everything that is not the very same object in both, and so may differ."""
    names = {name for name, item in observed.items() if desired.get(name, _ABSENT) is not item}
    return names | (desired.keys() - observed.keys())


def appearance(kind: ObjectKind, name: str, before: Any, after: Any) -> Change[Any]:
    """Return the change of an object that is there in one of the states only."""
    action = Action.CREATE if before is None else Action.DELETE
    return Change(action=action, kind=kind, name=name, before=before, after=after)


def attribute_changes(before: Any, after: Any) -> tuple[AttributeChange, ...]:
    """Return the attributes of a record that differ and that are not left open."""
    if before is after:
        return ()
    return tuple(
        AttributeChange(name=field.name, old=old, new=new)
        for field in fields(before)
        if field.compare
        and (old := getattr(before, field.name)) != (new := getattr(after, field.name))
        and not is_open(field.name, new)
    )


def update(
    kind: ObjectKind, name: str, before: Any, after: Any, attributes: tuple[AttributeChange, ...]
) -> Change[Any]:
    """Return the change of an object that stays."""
    return Change(action=Action.UPDATE, kind=kind, name=name, before=before, after=after, attributes=attributes)


def setting_changes(
    kind: ObjectKind, before: Any, after: Any, attributes: tuple[AttributeChange, ...]
) -> Iterator[Change[Any]]:
    """Yield the change of a setting of VPP, which is called after its kind, where an attribute of it differs."""
    if attributes:
        yield update(kind, kind.value.replace("-", "_"), before, after, attributes)


def table_changes(
    kind: ObjectKind,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    compare: Callable[[Any, Any], tuple[AttributeChange, ...]] = attribute_changes,
) -> Iterator[Change[Any]]:
    """Yield the changes of objects with names that VPP can change in place."""
    for name in differing_names(before, after):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            yield appearance(kind, name, old, new)
        elif attributes := compare(old, new):
            yield update(kind, name, old, new, attributes)


class Impact(IntEnum):
    """How badly traffic is hit, ascending."""

    NONE = 0
    """Every part of every service that was there is there at every step."""
    DEGRADE = 1
    """Fewer members of a bond, or a smaller MTU, in the end or for a while."""
    POLICY = 2
    """What is let through differs at the end, or at a step."""
    FLAP = 3
    """A part goes away and the same comes back."""
    RECREATE = 4
    """An interface or its LCP pair is recreated: counters, neighbours, and routes of Linux over it, are lost."""
    REMOVE = 5
    """A part that was there is not there at the end: an address, a path, the LCP pair, the link, the interface."""

    @property
    def label(self) -> str:
        """Return the word that commands use for it."""
        return self.name.lower()
