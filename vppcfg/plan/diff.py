"""The difference between two states, object by object: what appears, changes, is replaced, disappears, and why.

An object is replaced when VPP cannot change it in place, or when something that it hangs on is replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from enum import Enum
from typing import Any, Generic, TypeVar

from vppcfg.common.names import natural_key
from vppcfg.model.acl import Acl, MacipAcl
from vppcfg.model.bond import Bond
from vppcfg.model.bridge import Bridge
from vppcfg.model.features import ProxyArp
from vppcfg.model.interface import Interface
from vppcfg.model.ipfix import IpfixSettings
from vppcfg.model.kinds import is_same_port
from vppcfg.model.lcp import LcpPair, Stacking
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.memif import sockets_in_use
from vppcfg.model.placement import moved
from vppcfg.model.state import LldpSettings, SflowSettings, State
from vppcfg.model.vpp_object import VppObject
from vppcfg.model.vrf import FibTable
from vppcfg.plan.recreate import is_open, is_refilled, replaced_interfaces
from vppcfg.record import record


class Action(Enum):
    """What becomes of an object."""

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
    """What becomes of one object."""

    action: Action
    kind: ObjectKind
    name: str
    """For an LCP pair, that of its interface."""
    before: T_co | None
    after: T_co | None
    attributes: tuple[AttributeChange, ...] = ()
    forced_by: str | None = None
    """Why the object is replaced."""


@record
class Difference:
    """All changes, by name, in natural order."""

    interfaces: Mapping[str, Change[Interface]]
    """With what a bond, tunnel or TAP is made of among the attributes."""
    lcps: Mapping[str, Change[LcpPair]]
    bridges: Mapping[str, Change[Bridge]]
    vrfs: Mapping[str, Change[FibTable]]
    acls: Mapping[str, Change[Acl]]
    macips: Mapping[str, Change[MacipAcl]]
    linux: Mapping[str, Change[LinuxDevice]]
    """Devices by the interface that they belong to."""
    host: tuple[Change[bool], ...] = ()
    """Namespaces and Linux bridges that are missing."""
    sflow: Change[SflowSettings] | None = None
    lldp: Change[LldpSettings] | None = None
    proxy_arp: Change[frozenset[ProxyArp]] | None = None
    ipfix: Change[IpfixSettings] | None = None
    mpls: Change[bool] | None = None
    """The default MPLS table is missing."""
    memif_sockets: tuple[Change[str], ...] = ()
    """Files of sockets that no memif is at, which go."""
    objects: tuple[Change[VppObject], ...] = ()
    """Routes and other objects that are no interfaces."""

    def __iter__(self) -> Iterator[Change[Any]]:
        """Yield every change: access lists, FIB tables, bridges, then each interface with its LCP pair behind it."""
        yield from self.acls.values()
        yield from self.macips.values()
        yield from self.vrfs.values()
        yield from self.bridges.values()
        yield from self.host
        names = self.interfaces.keys() | self.lcps.keys() | self.linux.keys()
        for name in sorted(names, key=natural_key):
            for table in (self.interfaces, self.lcps, self.linux):
                if name in table:
                    yield table[name]
        others: tuple[Change[Any] | None, ...] = (self.sflow, self.lldp, self.proxy_arp, self.ipfix, self.mpls)
        yield from (change for change in others if change is not None)
        yield from self.memif_sockets
        yield from self.objects


def diff(observed: State, desired: State) -> Difference:
    """Return what must change for `observed` to become `desired`; empty when they are equal in effect.

    An empty MAC in the desired state leaves it open.
    """
    interfaces = _interface_changes(observed, desired)
    return Difference(
        interfaces=interfaces,
        lcps=_lcp_changes(observed, desired, interfaces),
        bridges=_changes(ObjectKind.BRIDGE, observed.bridges, desired.bridges, _bridge_attributes),
        vrfs=_vrf_changes(observed, desired),
        acls=_changes(ObjectKind.ACL, observed.acls, desired.acls, _attributes),
        macips=_changes(ObjectKind.MACIP, observed.macips, desired.macips, _attributes),
        linux=_linux_changes(observed, desired),
        host=tuple(_host_changes(observed, desired)),
        sflow=_sflow_change(observed, desired),
        lldp=_lldp_change(observed, desired),
        proxy_arp=_proxy_arp_change(observed, desired),
        ipfix=_ipfix_change(observed, desired),
        mpls=_mpls_change(observed, desired),
        memif_sockets=tuple(_socket_changes(observed, desired)),
        objects=tuple(_object_changes(observed, desired)),
    )


def _object_changes(observed: State, desired: State) -> Iterator[Change[VppObject]]:
    kinds = dict.fromkeys((*observed.objects, *desired.objects))
    for kind in sorted(kinds, key=lambda kind: kind.table):
        old, new = observed.of(kind), desired.of(kind)
        for name in _names(old, new):
            before, after = old.get(name), new.get(name)
            if before is None or after is None:
                yield _appearance(ObjectKind.OBJECT, name, before, after)
            elif attributes := _attributes(before, after):
                yield Change(
                    action=Action.UPDATE,
                    kind=ObjectKind.OBJECT,
                    name=name,
                    before=before,
                    after=after,
                    attributes=attributes,
                )


def _interface_changes(observed: State, desired: State) -> dict[str, Change[Interface]]:
    replaced = replaced_interfaces(observed, desired)
    changes = {}
    names = {*_different(observed.interfaces, desired.interfaces), *replaced}
    names |= _different(observed.virtual, desired.virtual) & (observed.interfaces.keys() | desired.interfaces.keys())
    for name in sorted(names, key=natural_key):
        before, after = observed.interfaces.get(name), desired.interfaces.get(name)
        if before is None or after is None:
            changes[name] = _appearance(ObjectKind.INTERFACE, name, before, after)
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


_OPEN = object()


def _names(observed: Mapping[str, object], desired: Mapping[str, object]) -> list[str]:
    """Return the names of everything that may differ, in natural order; the very same object does not."""
    return sorted(_different(observed, desired), key=natural_key)


def _different(observed: Mapping[str, object], desired: Mapping[str, object]) -> set[str]:
    different = {name for name, thing in observed.items() if desired.get(name, _OPEN) is not thing}
    return different | (desired.keys() - observed.keys())


def _appearance(kind: ObjectKind, name: str, before: Any, after: Any) -> Change[Any]:
    action = Action.CREATE if before is None else Action.DELETE
    return Change(action=action, kind=kind, name=name, before=before, after=after)


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
            if old != new and not is_open(name, new) and not _is_told_by_the_tag(name, before, after, observed):
                yield from _interface_attribute(name, before, after, observed, desired)
        for name in _PLACEMENTS:
            if pairs := list(moved(getattr(before, name), getattr(after, name))):
                old, new = (tuple(side) for side in zip(*pairs, strict=True))
                yield AttributeChange(name=name, old=old, new=new)
    if after.ra is not None and (stale := stale_ra_mtu(before, after, observed, desired)):
        yield AttributeChange(name="ra_mtu", old=stale[0], new=stale[1])
    made, wanted = observed.virtual.get(before.name), desired.virtual.get(before.name)
    if made is not None and made.__class__ is wanted.__class__:
        yield from _attributes(made, wanted.merge_observed(made))


def stale_ra_mtu(before: Interface, after: Interface, observed: State, desired: State) -> tuple[int, int] | None:
    """Return the MTU that router advertisements name of an interface, and the one to be named; None where they agree.

    They agree where none are to be sent.
    """
    if not (after.is_advertising and before.is_ipv6_on):
        return None
    advertised, wanted = before.ra_mtu or before.ipv6_mtu, _wanted_ipv6_mtu(before, after, observed, desired)
    return None if advertised == wanted else (advertised, wanted)


def _wanted_ipv6_mtu(before: Interface, after: Interface, observed: State, desired: State) -> int:
    """Return the IPv6 MTU in bytes of an interface in the end.

    A sub-interface that is to have its parent's MTU keeps one of its own that is the same, unless the link MTU changes.
    """
    if after.packet_mtu or after.parent is None or after.protocol_mtus[1]:
        return after.ipv6_mtu
    parent, wanted = observed.interfaces.get(after.parent), desired.interfaces[after.parent]
    is_kept = before.packet_mtu == desired.packet_mtu(after.name)
    is_kept &= parent is not None and parent.link_mtu == wanted.link_mtu
    return before.packet_mtu if is_kept and before.packet_mtu else after.ipv6_mtu


def _is_told_by_the_tag(name: str, before: Interface, after: Interface, observed: State) -> bool:
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


def _attributes(before: Any, after: Any) -> tuple[AttributeChange, ...]:
    if before is after:
        return ()
    return tuple(
        AttributeChange(name=field.name, old=old, new=new)
        for field in fields(before)
        if field.compare
        and (old := getattr(before, field.name)) != (new := getattr(after, field.name))
        and not is_open(field.name, new)
    )


def _bridge_attributes(before: Bridge, after: Bridge) -> tuple[AttributeChange, ...]:
    """Return what differs; a tag can be set only when a bridge is made and is never a difference."""
    alike = replace(after, settings=before.settings, tag=before.tag)
    return (*_attributes(before.settings, after.settings), *_attributes(before, alike))


def _changes(kind: ObjectKind, observed: Mapping[str, Any], desired: Mapping[str, Any], compare: Any) -> dict[str, Any]:
    changes = {}
    for name in _names(observed, desired):
        before, after = observed.get(name), desired.get(name)
        if before is None or after is None:
            changes[name] = _appearance(kind, name, before, after)
        elif attributes := compare(before, after):
            changes[name] = Change(
                action=Action.UPDATE, kind=kind, name=name, before=before, after=after, attributes=attributes
            )
    return changes


def _vrf_changes(observed: State, desired: State) -> dict[str, Change[FibTable]]:
    """Return the FIB tables that appear and disappear; one with another name does both."""
    changes = {}
    for key in _names(observed.vrfs, desired.vrfs):
        before, after = observed.vrfs.get(key), desired.vrfs.get(key)
        if before is None or after is None:
            changes[key] = _appearance(ObjectKind.VRF, key, before, after)
        elif attributes := _attributes(before, after):
            changes[key] = Change(
                action=Action.REPLACE,
                kind=ObjectKind.VRF,
                name=key,
                before=before,
                after=after,
                attributes=attributes,
                forced_by="name",
            )
    return changes


def _sflow_change(observed: State, desired: State) -> Change[SflowSettings] | None:
    attributes = _attributes(observed.sflow, desired.sflow)
    if not attributes:
        return None
    before, after = observed.sflow, desired.sflow
    return Change(
        action=Action.UPDATE, kind=ObjectKind.SFLOW, name="sflow", before=before, after=after, attributes=attributes
    )


def _lldp_change(observed: State, desired: State) -> Change[LldpSettings] | None:
    """Return what ports that speak LLDP are to have alike and have not; None is open."""
    attributes = tuple(each for each in _attributes(observed.lldp, desired.lldp) if each.new is not None)
    if not attributes:
        return None
    before, after = observed.lldp, desired.lldp
    return Change(
        action=Action.UPDATE, kind=ObjectKind.LLDP, name="lldp", before=before, after=after, attributes=attributes
    )


def _proxy_arp_change(observed: State, desired: State) -> Change[frozenset[ProxyArp]] | None:
    before, after = observed.proxy_arps, desired.proxy_arps
    if before == after:
        return None
    ranges = AttributeChange(name="proxy_arps", old=before, new=after)
    return Change(
        action=Action.UPDATE,
        kind=ObjectKind.PROXY_ARP,
        name="proxy_arp",
        before=before,
        after=after,
        attributes=(ranges,),
    )


def _ipfix_change(observed: State, desired: State) -> Change[IpfixSettings] | None:
    before, after = observed.ipfix, desired.ipfix
    attributes = (*_attributes(before.exporter, after.exporter), *_attributes(before.params, after.params))
    if not attributes:
        return None
    return Change(
        action=Action.UPDATE, kind=ObjectKind.IPFIX, name="ipfix", before=before, after=after, attributes=attributes
    )


def _mpls_change(observed: State, desired: State) -> Change[bool] | None:
    """Return the creation of the default MPLS table; it is never removed."""
    if observed.has_mpls_table or not desired.has_mpls_table:
        return None
    return _appearance(ObjectKind.MPLS, "mpls", None, True)


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
                attributes=_attributes(before, after),
            )
    return changes


def _host_changes(observed: State, desired: State) -> Iterator[Change[bool]]:
    for netns in sorted(desired.namespaces - observed.namespaces):
        yield _appearance(ObjectKind.LINUX, f"namespace {netns}", None, True)
    for _, bridge in sorted(desired.linux_bridges - observed.linux_bridges):
        yield _appearance(ObjectKind.LINUX, f"bridge {bridge}", None, True)


def _socket_changes(observed: State, desired: State) -> Iterator[Change[str]]:
    """Yield the sockets that stay behind without a memif; others come and go with their memifs."""
    sockets = observed.facts.memif_sockets
    if sockets == desired.facts.memif_sockets or not sockets:
        return
    used = sockets_in_use([*observed.virtual.items(), *desired.virtual.items()])
    kept = used.keys() | dict(desired.facts.memif_sockets).keys()
    for socket_id, file in sockets:
        if socket_id not in kept:
            yield _appearance(ObjectKind.MEMIF_SOCKET, f"memif socket {socket_id}", file, None)


def _lcp_changes(
    observed: State, desired: State, interfaces: Mapping[str, Change[Interface]]
) -> dict[str, Change[LcpPair]]:
    changes = {
        name: change
        for name in _different(observed.lcps, desired.lcps)
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
        return _appearance(ObjectKind.LCP, name, before, after)
    attributes = _attributes(before, after)
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
