"""Bridge domains: the section `bridgedomains`, how VPP is asked for them and their members, and when they are set."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vppcfg.common.addresses import is_station
from vppcfg.common.resemblance import did_you_mean
from vppcfg.engine.table_kind import TableKind
from vppcfg.entries.configuration import BridgeConfig, InterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.index import Index
from vppcfg.kinds.bridge_operations import (
    BridgeFlag,
    CreateBridge,
    DeleteBridge,
    FilterMac,
    ForgetMac,
    SetBridgeFlag,
    SetBridgeMacAge,
)
from vppcfg.kinds.bridge_section import KEY, BridgeSection, unsupported_reason
from vppcfg.kinds.static_mac import MacsWithoutInterface, read_macs_without_interface
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.bridge import Bridge, BridgeSettings, bridge_name
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.ownership import is_foreign
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.state import State
from vppcfg.operations.change import AttributeChange, Change, ObjectKind, attribute_changes, table_changes
from vppcfg.operations.request import ALL_INDEXES, NO_INDEX, Known
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.wire.reading import Replies, VppReader, malformed, text_of


def bridge_member_place(index: Index) -> Iterator[Problem]:
    """Find members that are not there, or in more than one place."""
    for bridge, position, name in _named(index):
        first = index.bridges[name][0]
        bvi_of = index.bvi_bridges.get(name)
        if not index.has(name) and not _is_created_alone(index, name):
            text = f"{name} is not in this file; add it below `interfaces`{did_you_mean(name, index.names)}"
            yield _problem("bd-member-missing", bridge, position, text)
        elif bvi_of:
            text = f"{name} is the BVI of {bvi_of[0].name} already; remove it here"
            yield _problem("bd-member-shared", bridge, position, text)
        elif not _is_first(index, bridge, position, name):
            yield _problem(
                "bd-member-shared", bridge, position, f"{name} is a member of {first.name} already; remove it here"
            )


def bridge_member_l3(index: Index) -> Iterator[Problem]:
    """Find members with an LCP or addresses: the bridge takes every frame."""
    for bridge, _, member in _members_of_file(index):
        for rule, key, is_set in (
            ("bd-member-lcp", "lcp", member.lcp is not None),
            ("bd-member-address", "addresses", bool(member.addresses)),
        ):
            if is_set:
                text = f"{member.name} is a member of {bridge.name} and cannot have `{key}`; give it to a BVI"
                yield Problem(rule=rule, path=(*member.path, key), text=text)


def bridge_split_horizon(index: Index) -> Iterator[Problem]:
    """Find groups of what is no member; the BVI is in none."""
    for bridge in index.configuration.bridges.values():
        for name in bridge.split_horizon or ():
            if name not in bridge.members:
                text = f"{name} is not among the `interfaces` of {bridge.name}; add it there, or take it out here"
                yield Problem(rule="bd-split-horizon", path=(*bridge.path, "split-horizon", name), text=text)


def bridge_macs(index: Index) -> Iterator[Problem]:
    """Find MAC addresses that no station has, that a bridge domain has twice, or behind what is no member of it."""
    for bridge in index.configuration.bridges.values():
        seen: set[str | None] = {None}
        for path, mac, shown_mac in _macs(bridge):
            if mac is None or not is_station(mac):
                text = f"{shown_mac} is not the MAC address of one station"
                yield Problem(rule="bd-mac", path=path, text=text)
            elif mac in seen:
                yield Problem(rule="bd-mac-duplicate", path=path, text=f"{bridge.name} has {mac} already; remove one")
            elif mac == _mac_of(index, bridge.bvi):
                text = f"{mac} is the MAC address of {bridge.bvi}, the BVI of {bridge.name}; remove it here"
                yield Problem(rule="bd-mac-own", path=path, text=text)
            seen.add(mac)
        for each in bridge.static_macs:
            if each.member not in bridge.members:
                text = (
                    f"{each.member} is not among the `interfaces` of {bridge.name}; add it there, or take it out here"
                )
                yield Problem(rule="bd-mac-member", path=(*bridge.path, "static-macs", each.key), text=text)


def _macs(bridge: BridgeConfig) -> Iterator[tuple[KeyPath, str | None, str | int]]:
    """Yield where each MAC address stands, the address, and how it is written."""
    for each in bridge.static_macs:
        yield (*bridge.path, "static-macs", each.key), each.mac, each.mac or each.key
    for position, mac in enumerate(bridge.filtered_macs):
        yield (*bridge.path, "filtered-macs", position), mac, mac


def _mac_of(index: Index, bvi: str | None) -> str | None:
    loopback = index.find(bvi)
    return None if loopback is None else loopback.mac


def bridge_member_mtu(index: Index) -> Iterator[Problem]:
    """Find members with another MTU than the bridge domain."""
    for bridge, position, member in _members_of_file(index):
        if member.mtu != bridge.mtu:
            text = f"{member.name} has an MTU of {member.mtu} and {bridge.name} one of {bridge.mtu}; make them equal"
            yield replace(_problem("bd-member-mtu", bridge, position, text), severity=Severity.WARNING)


def bridge_virtual_interface(index: Index) -> Iterator[Problem]:
    """Find BVIs that are no loopback of the file, serve two bridges, or differ from theirs."""
    for name, bridges in index.bvi_bridges.items():
        for bridge in bridges[1:]:
            text = f"{name} is the BVI of {bridges[0].name} already; take another loopback"
            yield _bvi_problem("bvi-shared", bridge, text)
        for bridge in bridges:
            loopback = index.find(name)
            if not index.has(name) or (loopback is not None and loopback.kind is not InterfaceKind.LOOPBACK):
                text = f"{name} is no loopback of this file; add one to `loopbacks`"
                yield _bvi_problem("bvi-missing", bridge, text)
            elif loopback is not None:
                yield from _bvi_problems(bridge, loopback)


def _bvi_problems(bridge: BridgeConfig, loopback: InterfaceConfig) -> Iterator[Problem]:
    if loopback.mtu > bridge.mtu:
        text = f"{loopback.name} has an MTU of {loopback.mtu} and {bridge.name} one of {bridge.mtu}; lower the first"
        yield replace(_bvi_problem("bvi-mtu", bridge, text), severity=Severity.WARNING)
    if loopback.unnumbered is not None:
        text = f"{loopback.name} is unnumbered and cannot be a BVI; give it its own addresses"
        yield _bvi_problem("bvi-unnumbered", bridge, text)
    if loopback.mac is None:
        text = (
            f"{loopback.name} is a BVI and has VPP's MAC, which is the same on every router with a {loopback.name}; "
            "give it a `mac`"
        )
        yield Problem(rule="bvi-default-mac", path=loopback.path, text=text, severity=Severity.WARNING)


def _named(index: Index) -> Iterator[tuple[BridgeConfig, int, str]]:
    for bridge in index.configuration.bridges.values():
        for position, name in enumerate(bridge.members):
            yield bridge, position, name


def _is_created_alone(index: Index, name: str) -> bool:
    """Return whether a tunnel or a TAP stands in its own section; of its MTU nothing is known then."""
    return any(index.creates(kind, name) for kind in VIRTUAL_INTERFACES if not kind.needs_interface)


def _is_first(index: Index, bridge: BridgeConfig, position: int, name: str) -> bool:
    """Return whether this is the first place that names the member."""
    return index.bridges[name][0] is bridge and (
        len(index.bridges[name]) == 1 or bridge.members.index(name) == position
    )


def _members_of_file(index: Index) -> Iterator[tuple[BridgeConfig, int, InterfaceConfig]]:
    """Return each sound member with the first bridge domain that names it."""
    for bridge, position, name in _named(index):
        member = index.find(name)
        if member is not None and _is_first(index, bridge, position, name):
            yield bridge, position, member


def _problem(rule: str, bridge: BridgeConfig, position: int, text: str) -> Problem:
    return Problem(rule=rule, path=(*bridge.path, "interfaces", position), text=text)


def _bvi_problem(rule: str, bridge: BridgeConfig, text: str) -> Problem:
    return Problem(rule=rule, path=(*bridge.path, "bvi"), text=text)


RULES = (
    bridge_member_place,
    bridge_member_l3,
    bridge_split_horizon,
    bridge_macs,
    bridge_member_mtu,
    bridge_virtual_interface,
)


_DUMP = "bridge_domain_dump"
_DETAILS = "bridge_domain_details"
_SETTINGS = ("learn", "flood", "uu_flood", "forward", "arp_term", "arp_ufwd", "mac_age")
"""In the order of BridgeSettings."""
_NO_MACS = MacsWithoutInterface()


class Bridges(BridgeSection, TableKind[Bridge]):
    """The bridge domains of a file, and those of VPP with their members."""

    table = "bridges"
    object_class = Bridge
    object_kind = ObjectKind.BRIDGE
    noun = "bridge domain"
    foreign_keys = ("bridge", "bridges", "bridge-domain", "bridge-domains")
    api_module = "l2"
    used_in = ("bridge", "static_macs")
    unmanaged_pattern = "bd*"
    mistaken_patterns = ("bd", "bridge", "bridges", "bridgedomain", KEY)
    operations = (CreateBridge, DeleteBridge, SetBridgeFlag, SetBridgeMacAge, FilterMac, ForgetMac)
    rules = RULES

    def unmanaged_name(self, name: str, item: Bridge) -> str:
        """Return the name that a configuration gives it."""
        return name

    def unsupported_reason(self, name: str, item: Bridge) -> str | None:
        """Return why no file can express an observed bridge domain, None when one can."""
        return unsupported_reason(name, item)

    def used_by(self, interface: Interface, state: State) -> Iterable[str]:
        """Return the bridge domain that an interface is a member of."""
        return () if interface.bridge is None else (bridge_name(interface.bridge),)

    def use(self, name: str) -> str:
        """Return that it is a member."""
        return f"it is a member of {name}"

    def unsupported_use(self, interface: Interface, state: State) -> str | None:
        """Return what no entry of its bridge domain can express of an interface, None where one can."""
        bd_id = interface.bridge
        if bd_id is not None and bridge_name(bd_id) not in state.bridges:
            return f"it is a member of bridge domain {bd_id}, which VPP does not show"
        for each in interface.static_macs:
            if each.bd_id != bd_id:
                return (
                    f"it has the static MAC address {each.mac} in bridge domain {each.bd_id}, of which it is no member"
                )
            if interface.is_bvi:
                return f"it is a BVI and has the static MAC address {each.mac}"
        return None

    def users(self, name: str, working: WorkingState) -> Collection[str]:
        """Return the members of a bridge domain that is there."""
        domain = working.bridges.get(name)
        return () if domain is None else working.bridge_members.get(domain.bd_id, ())

    def copy_unmanaged(self, desired: DesiredStateBuilder) -> None:
        """Enter the bridge domains of other programs, and those that the file lacks and other programs have members in.

        A bridge domain of the file keeps the members that other programs have in it.
        """
        occupied = {interface.bridge for interface in desired.interfaces.values()}
        routed = {interface.bridge for interface in desired.interfaces.values() if interface.is_bvi}
        for name, bridge in desired.observed.bridges.items():
            config = desired.configuration.bridges.get(name)
            reason = _why_not_ours(desired, name, bridge)
            if reason is None and config is not None and config.bvi is not None and bridge.bd_id in routed:
                reason = "has a BVI that is not managed"
            if reason is None and (config is not None or bridge.bd_id not in occupied):
                continue
            desired.bridges[name] = bridge
            if config is not None:
                desired.problem("foreign-tag", config.path, f"{name} {reason}; take it out of the file")

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all of them but 0, which VPP keeps for itself; none where VPP has no such thing."""
        if not connection.offers(_DUMP):
            return []
        return [connection.request(_DUMP, {"bd_id": ALL_INDEXES, "sw_if_index": ALL_INDEXES})[1]]

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[str, Bridge]:
        """Return the bridge domains by name, with the MAC addresses there that no interface has."""
        if not connection.offers(_DUMP):
            return {}
        portless = read_macs_without_interface(connection, replies, known.names)
        rows = connection.rows(replies, _DETAILS, "bd_id", "bd_tag", *_SETTINGS)
        if rows and not connection.survey.walks_macs:
            connection.survey.leave_out("static MAC addresses of bridge domains")
        return {
            bridge_name(bd_id): _bridge(bd_id, tag, portless.get(bd_id, _NO_MACS), *settings)
            for bd_id, tag, *settings in rows
        }

    def read_on_interfaces(
        self, connection: VppReader, replies: Replies, known: Known
    ) -> Mapping[str, Mapping[int, Any]]:
        """Return how every member, a BVI included, belongs to its bridge domain.

        The port that alone gets unknown unicast is not among the members that VPP lists, and is one here.
        """
        found: dict[str, dict[int, Any]] = {"bridge": {}, "is_bvi": {}, "split_horizon_group": {}}
        for index, bd_id, is_bvi, group in _members(connection, replies):
            for attribute, value in (("bridge", bd_id or None), ("is_bvi", is_bvi), ("split_horizon_group", group)):
                found[attribute][index] = value
        return found

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield what appears, changes and disappears; a tag can be set only on creation and is never a difference."""
        return table_changes(self.object_kind, observed.bridges, desired.bridges, _attributes)

    def restorable(self, state: State) -> State:
        """Return a state whose bridge domains send no MAC addresses to interfaces that were gone."""
        strays = {name: replace(bridge, stray_macs=()) for name, bridge in state.bridges.items() if bridge.stray_macs}
        return replace(state, bridges={**state.bridges, **strays}) if strays else state

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that create and delete bridge domains, or set what differs about them."""
        for change in transition.difference.of(ObjectKind.BRIDGE):
            yield from _steps(change)


def _attributes(before: Bridge, after: Bridge) -> tuple[AttributeChange, ...]:
    alike = replace(after, settings=before.settings, tag=before.tag)
    return (*attribute_changes(before.settings, after.settings), *attribute_changes(before, alike))


def _steps(change: Change[Bridge]) -> Iterator[Step]:
    before, after = change.before, change.after
    yield from _mac_steps(before, after)
    if after is None:
        assert before is not None
        yield Step(stage=Stage.DELETE_BRIDGE, operation=DeleteBridge(bd_id=before.bd_id))
    elif before is None:
        create = CreateBridge(bd_id=after.bd_id, settings=after.settings, tag=after.tag)
        yield Step(stage=Stage.CREATE_BRIDGE, operation=create)
    else:
        yield from _setting_steps(before, after)


def _mac_steps(before: Bridge | None, after: Bridge | None) -> Iterator[Step]:
    """Forget MAC addresses before members or the bridge itself go, and filter others once it is there."""
    filtered: Collection[str] = () if before is None else before.filtered_macs
    desired: Collection[str] = () if after is None else after.filtered_macs
    if before is not None:
        kept = {*desired, *(after.stray_macs if after is not None else ())}
        for mac in (*before.stray_macs, *before.filtered_macs):
            if mac not in kept:
                yield Step(stage=Stage.TURN_OFF, operation=ForgetMac(bd_id=before.bd_id, mac=mac))
    if after is not None:
        for mac in desired:
            if mac not in filtered:
                yield Step(stage=Stage.SET_BRIDGE, operation=FilterMac(bd_id=after.bd_id, mac=mac))


def _setting_steps(before: Bridge, after: Bridge) -> Iterator[Step]:
    for flag in BridgeFlag:
        is_on = getattr(after.settings, flag.value)
        if getattr(before.settings, flag.value) != is_on:
            set_flag = SetBridgeFlag(bd_id=after.bd_id, flag=flag, is_on=is_on)
            yield Step(stage=Stage.SET_BRIDGE, operation=set_flag)
    if before.settings.mac_age_minutes != after.settings.mac_age_minutes:
        set_age = SetBridgeMacAge(bd_id=after.bd_id, minutes=after.settings.mac_age_minutes)
        yield Step(stage=Stage.SET_BRIDGE, operation=set_age)


def _why_not_ours(desired: DesiredStateBuilder, name: str, bridge: Bridge) -> str | None:
    if is_foreign(bridge.tag) and not desired.adopt:
        return f'carries the tag "{bridge.tag}" of another program'
    return "is unmanaged" if desired.globs.matches(name) else None


def _bridge(
    bd_id: int,
    tag: bytes,
    macs: MacsWithoutInterface,
    learn: bool,
    flood: bool,
    uu_flood: bool,
    forward: bool,
    arp_term: bool,
    arp_ufwd: bool,
    mac_age: int,
) -> Bridge:
    settings = BridgeSettings(
        learn=learn,
        unicast_flood=flood,
        unknown_unicast_flood=uu_flood,
        unicast_forward=forward,
        arp_termination=arp_term,
        arp_unicast_forward=arp_ufwd,
        mac_age_minutes=mac_age,
    )
    return Bridge(bd_id=bd_id, settings=settings, tag=text_of(tag), filtered_macs=macs.filtered, stray_macs=macs.stray)


def _members(connection: VppReader, replies: Replies) -> list[tuple[int, int, bool, int]]:
    """Return the index of each member, its bridge domain, whether it is the BVI, and its split-horizon group."""
    if not connection.offers(_DUMP):
        return []
    details = connection.message(_DETAILS)
    read_bridge = details.reader("bd_id", "bvi_sw_if_index", "uu_fwd_sw_if_index")
    members: list[tuple[int, int, bool, int]] = []
    try:
        for data in replies.get(details.index, ()):
            bd_id, bvi, uu_forward = read_bridge(data)
            if uu_forward != NO_INDEX:
                members.append((uu_forward, bd_id, False, 0))
            for index, group in details.items(data, "sw_if_index", "shg"):
                members.append((index, bd_id, index == bvi, group))
    except struct.error as error:
        raise malformed(details.name) from error
    return members


KIND = Bridges()
