"""The section `bondethernets`: bonds, their members and how they share the traffic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from vppcfg.common.addresses import canonical_mac
from vppcfg.common.names import natural_key
from vppcfg.config.configuration import MadeConfig
from vppcfg.config.desired import DesiredState
from vppcfg.config.names import MAX_INSTANCE
from vppcfg.config.sections.made_section import MadeSection, Plugin
from vppcfg.config.sections.section import Parsing, SectionEntry
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.state import State
from vppcfg.record import record


@record
class BondConfig(MadeConfig):
    """One entry below `bondethernets`."""

    mac: str | None = None
    members: tuple[str, ...] = ()
    mode: BondMode = BondMode.LACP
    load_balance: LoadBalance | None = LoadBalance.L34


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
    dispensable = frozenset({"description", "mac", "load-balance"})
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
        )

    def making_of(self, config: BondConfig, before: Bond | None, desired: DesiredState) -> Bond:
        """Return the bond, with the options of each member that the file cannot say as they are."""
        former = before or Bond()
        present = [member for member in config.members if member in desired.observed.interfaces]
        return Bond(
            mode=config.mode,
            load_balance=config.load_balance if config.mode.has_load_balance else None,
            members={member: former.members.get(member, Membership()) for member in present},
            has_gso=former.has_gso,
            is_numa_only=former.is_numa_only,
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
        )

    def made_keys(self, entry: BondConfig) -> Iterator[KeyValue]:
        """Yield what a bond is made with, and its members."""
        if entry.mac is not None:
            yield KeyValue("mac", entry.mac)
        yield KeyValue("interfaces", list(entry.members), is_default=not entry.members)
        yield KeyValue("mode", entry.mode.value, is_default=entry.mode is BondMode.LACP)
        if entry.load_balance is not None:
            yield KeyValue("load-balance", entry.load_balance.value, is_default=entry.load_balance is LoadBalance.L34)


SECTION = Bonds()
