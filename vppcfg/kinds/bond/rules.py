"""Rules about bonds and their members, whose keys belong to the bond."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.names import natural_key
from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.bond.entry import BondConfig
from vppcfg.kinds.interface_values import values_set
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.bond import BondMode
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.problem import Problem

_NO_MEMBERS = {
    InterfaceKind.SUB_INTERFACE: "a sub-interface",
    InterfaceKind.LOOPBACK: "a loopback",
    **{section.kind: f"a {section.noun}" for section in VIRTUAL_INTERFACES if not section.can_join_bond},
}
"""Kinds that cannot be members, in words; VPP bonds ports, and TAPs behave like one (vnet/bonding/cli.c)."""


def bond_interface(index: Index) -> Iterator[Problem]:
    """Find bonds without an entry below `interfaces`."""
    for bond in index.configuration.virtual_as(BondConfig).values():
        if not index.has(bond.name):
            text = f"{bond.name} has no entry below `interfaces`; add `{bond.name}: {{}}` there"
            yield Problem(rule="bond-no-interface", path=bond.path, text=text)


def bond_load_balance(index: Index) -> Iterator[Problem]:
    """Find bonds with a load balance in a mode that leaves no choice of one."""
    for bond in index.configuration.virtual_as(BondConfig).values():
        if bond.load_balance is not None and not bond.mode.has_load_balance:
            text = f"mode {bond.mode.value} has no choice of `load-balance`, only xor and lacp have; remove it"
            yield Problem(rule="bond-lb-mode", path=(*bond.path, "load-balance"), text=text)


def bond_options(index: Index) -> Iterator[Problem]:
    """Find options of members that others are named for, or that the mode has no use for."""
    for bond in index.configuration.virtual_as(BondConfig).values():
        for key, names, mode in bond.options:
            path = (*bond.path, key)
            if names and bond.mode is not mode:
                text = f"{bond.name} is a bond of mode {bond.mode.value}; `{key}` is for mode {mode.value}"
                yield Problem(rule="bond-option-mode", path=path, text=text)
            for name in sorted(set(names) - set(bond.members), key=natural_key):
                text = f"{name} is no member of {bond.name}; add it to `interfaces`, or take it out here"
                yield Problem(rule="bond-option-member", path=path, text=text)
        if bond.is_numa_only and bond.mode is not BondMode.LACP:
            text = f"{bond.name} is a bond of mode {bond.mode.value}; `numa-only` is for mode lacp"
            yield Problem(rule="bond-option-mode", path=(*bond.path, "numa-only"), text=text)


def bond_member_place(index: Index) -> Iterator[Problem]:
    """Find members that are not there, no ports, or in more than one place."""
    for bond, position, name in _named(index):
        member = index.find(name)
        first = index.bonds[name][0]
        if not index.has(name):
            text = f"{name} is not in this file; add it below `interfaces`{did_you_mean(name, index.names)}"
            yield _problem("bond-member-missing", bond, position, text)
        elif member is not None and member.kind in _NO_MEMBERS:
            text = f"{name} is {_NO_MEMBERS[member.kind]}; members are ports"
            yield _problem("bond-member-is-bond", bond, position, text)
        elif not _is_first(index, bond, position, name):
            text = f"{name} is a member of {first.name} already; remove it here"
            yield _problem("bond-member-shared", bond, position, text)
        elif reason := index.why_switched(name):
            yield _problem("bond-member-l2", bond, position, f"{name} {reason}; remove it from one of the two")


def bond_member_keys(index: Index) -> Iterator[Problem]:
    """Find members with keys that belong to the bond once they are part of it."""
    for bond, _, member in _members(index):
        for rule, key, is_set in (
            ("bond-member-lcp", "lcp", member.lcp is not None),
            ("bond-member-address", "addresses", bool(member.addresses)),
            ("bond-member-subs", "sub-interfaces", member.name in index.children),
            ("bond-member-mac", "mac", member.mac not in (None, bond.mac)),
            *(("bond-member-mac", value.key, True) for value, _ in values_set(member) if value.is_of_bond),
            ("bond-member-mac", "vrf", member.vrf is not None),
            ("bond-member-mac", "neighbors", bool(member.neighbors)),
            ("bond-member-mac", "acls", bool(member.acls)),
        ):
            if is_set:
                text = f"{member.name} is a member of {bond.name}, which has its traffic; `{key}` belongs there"
                yield Problem(rule=rule, path=(*member.path, key), text=text)


def bond_member_mtu(index: Index) -> Iterator[Problem]:
    """Find members with another MTU than the bond."""
    for bond, position, member in _members(index):
        interface = index.find(bond.name)
        if interface is not None and member.mtu != interface.mtu:
            text = f"{member.name} has an MTU of {member.mtu} and {bond.name} one of {interface.mtu}; make them equal"
            yield _problem("bond-member-mtu", bond, position, text)


def bond_mac_placement(index: Index) -> Iterator[Problem]:
    """Find the MAC of a bond where its addresses stand."""
    for interface in index.interfaces:
        if interface.mac is not None and interface.kind is InterfaceKind.BOND:
            text = f"the MAC of {interface.name} belongs in `bondethernets`; move it there"
            yield Problem(rule="bond-mac-placement", path=(*interface.path, "mac"), text=text)


def _named(index: Index) -> Iterator[tuple[BondConfig, int, str]]:
    for bond in index.configuration.virtual_as(BondConfig).values():
        for position, name in enumerate(bond.members):
            yield bond, position, name


def _is_first(index: Index, bond: BondConfig, position: int, name: str) -> bool:
    """Return whether this is the first place that names the member."""
    named_by = index.bonds[name]
    return named_by[0] is bond and (len(named_by) == 1 or bond.members.index(name) == position)


def _members(index: Index) -> Iterator[tuple[BondConfig, int, InterfaceConfig]]:
    """Return each sound member with the first bond that names it."""
    for bond, position, name in _named(index):
        member = index.find(name)
        if member is None or member.kind in _NO_MEMBERS:
            continue
        if _is_first(index, bond, position, name):
            yield bond, position, member


def _problem(rule: str, bond: BondConfig, position: int, text: str) -> Problem:
    return Problem(rule=rule, path=(*bond.path, "interfaces", position), text=text)


RULES = (
    bond_mac_placement,
    bond_interface,
    bond_load_balance,
    bond_options,
    bond_member_place,
    bond_member_keys,
    bond_member_mtu,
)
