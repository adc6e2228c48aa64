"""Rules about bridge domains: their members, and the BVI, the loopback through which they are routed."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.addresses import is_station
from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.configuration import BridgeConfig, InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.problem import KeyPath, Problem, Severity


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
    for bridge, _, member in _members(index):
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
    for bridge, position, member in _members(index):
        if member.mtu != bridge.mtu:
            text = f"{member.name} has an MTU of {member.mtu} and {bridge.name} one of {bridge.mtu}; make them equal"
            yield _problem("bd-member-mtu", bridge, position, text)


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
    if loopback.mtu != bridge.mtu:
        text = f"{loopback.name} has an MTU of {loopback.mtu} and {bridge.name} one of {bridge.mtu}; make them equal"
        yield _bvi_problem("bvi-mtu", bridge, text)
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


def _members(index: Index) -> Iterator[tuple[BridgeConfig, int, InterfaceConfig]]:
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
