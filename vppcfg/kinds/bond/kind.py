"""Bonds: the section `bondethernets`, and what a plan does with them (vnet/bonding)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from vppcfg.common.addresses import canonical_mac
from vppcfg.common.names import instance_of, natural_key
from vppcfg.engine.virtual_interface_kind import VirtualInterfaceKind
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.names import MAX_INSTANCE
from vppcfg.entries.section import Parsing, SectionEntry
from vppcfg.entries.virtual_interface_section import Plugin
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds.bond import reading
from vppcfg.kinds.bond.entry import BondConfig
from vppcfg.kinds.bond.operations import AddBondMember, CreateBond, DeleteBond, RemoveBondMember, SetBondWeight
from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.interface import Interface
from vppcfg.model.state import State
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.row import Row


class BondKind(VirtualInterfaceKind[BondConfig, Bond]):
    """The section `bondethernets`, and bonds in VPP."""

    nodes = "bond-"
    key = "bondethernets"
    foreign_keys = ("bond", "bonds", "bonding", "lag", "port-channel", "bundle")
    word = "BondEthernet"
    last = MAX_INSTANCE
    noun = "bond"
    config = BondConfig
    virtual = Bond
    plugin = Plugin(
        name="lacp",
        reason="a bond speaks LACP",
        use="a bond in lacp mode",
        is_needed_by=lambda bond: bond.mode is BondMode.LACP,
    )
    dispensable = frozenset(
        {"description", "mac", "load-balance", "lacp-passive", "lacp-long-timeout", "weights", "numa-only"}
    )
    assumed: ClassVar = {"mode": ("lacp", "round-robin")}
    needs_interface = True
    operations = (CreateBond, DeleteBond, AddBondMember, SetBondWeight, RemoveBondMember)
    api_module = "bond"
    device_class = exclusive_class = "bond"
    instance_name = re.compile(r"BondEthernet\d+")
    command, number_word = "create bond", "id"
    has_link_mtu = False
    capabilities: ClassVar = {"lacp": "sw_interface_lacp_dump"}

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> BondConfig:
        """Parse a bond; a load balance that stands beside a mode without one is kept for a rule to find."""
        mode = BondMode(entry.raw.get("mode") or BondMode.LACP.value)
        default = LoadBalance.L34 if mode.has_load_balance else None
        load_balance, weights = entry.raw.get("load-balance"), entry.raw.get("weights")
        return BondConfig(
            name=entry.name,
            path=entry.path,
            description=entry.description,
            mac=canonical_mac(entry.raw.get("mac")),
            members=tuple(entry.raw.get("interfaces") or ()),
            mode=mode,
            load_balance=default if load_balance is None else LoadBalance(load_balance),
            passive=_names(entry.raw.get("lacp-passive")),
            long_timeout=_names(entry.raw.get("lacp-long-timeout")),
            weights=None if weights is None else {str(name): weight for name, weight in weights.items()},
            is_numa_only=entry.raw.get("numa-only"),
        )

    def to_desired(self, config: BondConfig, before: Bond | None, desired: DesiredStateBuilder) -> Bond:
        """Return the bond; what the file does not set of it and its members stays as it is.

        VPP's prompt takes numa-only for LACP alone, so a bond that gets another mode does not take it along.
        """
        former = before or Bond()
        stays_numa_only = former.is_numa_only and config.mode in (former.mode, BondMode.LACP)
        present = [member for member in config.members if member in desired.observed.interfaces]
        return Bond(
            mode=config.mode,
            load_balance=config.load_balance if config.mode.has_load_balance else None,
            members={member: _membership(member, config, former) for member in present},
            has_gso=former.has_gso,
            is_numa_only=stays_numa_only if config.is_numa_only is None else config.is_numa_only,
        )

    def virtual_from_state(self, name: str, virtual: Bond, state: State) -> BondConfig:
        return BondConfig(
            name=name,
            path=(self.key, name),
            mac=state.interfaces[name].mac or None,
            members=tuple(sorted(virtual.members, key=natural_key)),
            mode=virtual.mode,
            load_balance=virtual.load_balance if virtual.mode.has_load_balance else None,
            **_options(virtual),
        )

    def to_yaml_keys(self, entry: BondConfig) -> Iterator[KeyValue]:
        """Yield what a bond is made with, and its members."""
        if entry.mac is not None:
            yield KeyValue("mac", entry.mac)
        yield KeyValue("interfaces", list(entry.members), is_default=not entry.members)
        yield KeyValue("mode", entry.mode.value, is_default=entry.mode is BondMode.LACP)
        if entry.load_balance is not None:
            yield KeyValue("load-balance", entry.load_balance.value, is_default=entry.load_balance is LoadBalance.L34)
        yield KeyValue("lacp-passive", list(entry.passive or ()), is_default=not entry.passive)
        yield KeyValue("lacp-long-timeout", list(entry.long_timeout or ()), is_default=not entry.long_timeout)
        if entry.weights:
            yield KeyValue("weights", tuple(KeyValue(name, weight) for name, weight in entry.weights.items()))
        if entry.is_numa_only:
            yield KeyValue("numa-only", True)

    def create(self, interface: Interface, virtual: Bond) -> CreateBond:
        """Return the operation that creates a bond, without its members."""
        return CreateBond(
            interface=interface.name,
            instance=instance_of(interface.name),
            mode=virtual.mode,
            load_balance=virtual.load_balance,
            mac=interface.mac,
            has_gso=virtual.has_gso,
            is_numa_only=virtual.is_numa_only,
        )

    def delete(self, name: str, virtual: Bond) -> DeleteBond:
        return DeleteBond(interface=name)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all bonds, where VPP has such a thing."""
        return reading.requests(connection)

    def read(self, connection: VppReader, replies: Replies, rows: Mapping[int, Row]) -> dict[str, Bond]:
        """Return nothing: VPP is asked for the members once more, by `reading`."""
        return {}

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that change who belongs to which bond, and how much each member is preferred.

        A member stays when it is to stay the same and neither it nor the bond is recreated.
        """
        before, after = transition.observed.virtual_as(Bond), transition.desired.virtual_as(Bond)
        for name in transition.touched if before or after else ():
            if name in before or name in after:
                yield from _member_steps(
                    transition, name, before.get(name, _WITHOUT_MEMBERS), after.get(name, _WITHOUT_MEMBERS)
                )


def _names(raw: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if raw is None else tuple(raw)


def _membership(member: str, config: BondConfig, former: Bond) -> Membership:
    """Return how a member is to belong to its bond."""
    before = former.members.get(member, Membership())
    weight = before.weight if former.mode is config.mode else 0  # VPP takes one in mode active-backup alone
    return Membership(
        is_passive=before.is_passive if config.passive is None else member in config.passive,
        is_long_timeout=before.is_long_timeout if config.long_timeout is None else member in config.long_timeout,
        weight=weight if config.weights is None else config.weights.get(member, 0),
    )


def _options(bond: Bond) -> dict[str, Any]:
    """Return what a bond has of what its mode has a use for; what is as VPP makes it stays open."""
    members = {name: bond.members[name] for name in sorted(bond.members, key=natural_key)}
    if bond.mode is BondMode.ACTIVE_BACKUP:
        return {"weights": {name: each.weight for name, each in members.items() if each.weight} or None}
    if bond.mode is not BondMode.LACP:
        return {}
    return {
        "passive": tuple(name for name, each in members.items() if each.is_passive) or None,
        "long_timeout": tuple(name for name, each in members.items() if each.is_long_timeout) or None,
        "is_numa_only": bond.is_numa_only or None,
    }


_WITHOUT_MEMBERS = Bond()


def _member_steps(transition: Transition, name: str, before: Bond, after: Bond) -> Iterator[Step]:
    staying = {member for member in before.members if transition.staying_members.get(member) == name}
    for member in sorted(before.members.keys() - staying, key=natural_key):
        remove = RemoveBondMember(interface=member, bond=name)
        yield Step(stage=Stage.REMOVE_BOND_MEMBER, operation=remove)
    for member in sorted(after.members, key=natural_key):
        membership = after.members[member]
        if member not in staying:
            yield Step(stage=Stage.ADD_BOND_MEMBER, operation=_joining(member, name, membership))
        if membership.weight != (before.members[member].weight if member in staying else 0):
            weigh = SetBondWeight(interface=member, weight=membership.weight)
            yield Step(stage=Stage.ADD_BOND_MEMBER, operation=weigh)


def _joining(member: str, bond: str, membership: Membership) -> AddBondMember:
    return AddBondMember(
        interface=member, bond=bond, is_passive=membership.is_passive, is_long_timeout=membership.is_long_timeout
    )


KIND = BondKind()
