"""The section `bondethernets`: bonds, their members and how they share the traffic."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from vppcfg.common.addresses import canonical_mac
from vppcfg.common.names import natural_key
from vppcfg.common.release import Release, is_older
from vppcfg.config.configuration import MadeConfig
from vppcfg.config.desired import DesiredState
from vppcfg.config.names import MAX_INSTANCE
from vppcfg.config.sections.made_section import MadeSection, Plugin
from vppcfg.config.sections.section import Parsing, SectionEntry
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.state import State
from vppcfg.record import record

_HOST = 32
"""Bits of an address that is no subnet's."""


@record
class BondConfig(MadeConfig):
    """One entry below `bondethernets`."""

    mac: str | None = None
    members: tuple[str, ...] = ()
    mode: BondMode = BondMode.LACP
    load_balance: LoadBalance | None = LoadBalance.L34
    passive: tuple[str, ...] | None = None
    """Members that wait for LACP of the other side before they speak it; None leaves that as it is."""
    long_timeout: tuple[str, ...] | None = None
    """Members that ask the other side for LACP every 30 seconds instead of every second; None as above."""
    weights: Mapping[str, int] | None = None
    """How much members are preferred, 0 those that are not named; None as above."""
    is_numa_only: bool | None = None
    """Whether members on the socket of the sending thread send alone; None as above."""

    @property
    def options(self) -> Iterator[tuple[str, Collection[str], BondMode]]:
        """Yield each option of members that the entry has: its key, the members it names, and the mode it is for."""
        for key, names, mode in (
            ("lacp-passive", self.passive, BondMode.LACP),
            ("lacp-long-timeout", self.long_timeout, BondMode.LACP),
            ("weights", self.weights, BondMode.ACTIVE_BACKUP),
        ):
            if names is not None:
                yield key, names, mode


class Bonds(MadeSection[BondConfig, Bond]):
    """The section `bondethernets`."""

    key = "bondethernets"
    word = "BondEthernet"
    last = MAX_INSTANCE
    thing = "bond"
    config = BondConfig
    making = Bond
    plugin = Plugin(
        name="lacp",
        reason="a bond speaks LACP",
        thing="a bond in lacp mode",
        is_needed_by=lambda bond: bond.mode is BondMode.LACP,
    )
    dispensable = frozenset(
        {"description", "mac", "load-balance", "lacp-passive", "lacp-long-timeout", "weights", "numa-only"}
    )
    assumed: ClassVar = {"mode": ("lacp", "round-robin")}
    needs_interface = True

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> BondConfig:
        """Parse a bond; a load balance that stands beside a mode without one is kept for a rule to find."""
        mode = BondMode(entry.raw.get("mode") or BondMode.LACP.value)
        default = LoadBalance.L34 if mode.has_load_balance else None
        load_balance = entry.raw.get("load-balance")
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
            weights=entry.raw.get("weights"),
            is_numa_only=entry.raw.get("numa-only"),
        )

    def making_of(self, config: BondConfig, before: Bond | None, desired: DesiredState) -> Bond:
        """Return the bond, with what the file does not say of it and its members as it is.

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

    def restate_made(self, name: str, making: Bond, state: State) -> BondConfig:
        """Return the entry that says what a bond is."""
        return BondConfig(
            name=name,
            path=(self.key, name),
            mac=state.interfaces[name].mac or None,
            members=tuple(sorted(making.members, key=natural_key)),
            mode=making.mode,
            load_balance=making.load_balance if making.mode.has_load_balance else None,
            **_options(making),
        )

    def made_keys(self, entry: BondConfig) -> Iterator[KeyValue]:
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


ENDS_ANNOUNCING = "bond-unannounced"
_ANNOUNCES_SAFELY = Release(24, 10)
"""VPP's commit 3ac2ac53249 (vnet/ip/ip_sas.c)."""


def resolve_announcing(desired: DesiredState) -> None:
    """Warn where an older VPP ends when it announces the addresses of a bond."""
    version = desired.observed.facts.version
    if not is_older(version, _ANNOUNCES_SAFELY):
        return
    for name, bond in unannounced(desired.state()):
        text = (
            f"VPP {version} ends when {bond} gets another active member, as when a cable is pulled, because {name} "
            "has IPv4 addresses and no connected route of theirs"
        )
        desired.warning("bond-unannounced", desired.configuration.path_of(name) or ("bondethernets", bond), text)


def unannounced(state: State) -> Iterator[tuple[str, str]]:
    """Yield each interface, and its bond, whose IPv4 addresses VPP cannot choose from to announce one.

    They are its own or borrowed, and none has a connected route: all are host addresses, or their interface is down.
    """
    children = state.sub_interfaces_by_parent()
    for bond, making in state.made_as(Bond).items():
        for name in (bond, *children.get(bond, ())) if making.mode is BondMode.ACTIVE_BACKUP else ():
            owner = state.interfaces.get(state.interfaces[name].unnumbered or name)
            lengths = [int(a.partition("/")[2]) for a in owner.addresses if ":" not in a] if owner is not None else []
            if owner is not None and lengths and (not owner.is_up or min(lengths) == _HOST):
                yield name, bond


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


SECTION = Bonds()
