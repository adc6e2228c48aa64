"""Bonds: what the file says of them, with the options of each member that it cannot say as they are."""

from __future__ import annotations

from vppcfg.config.resolve.wanted import Wanted
from vppcfg.model.bond import Bond, BondMode, Membership
from vppcfg.model.configuration import BondConfig


def resolve(wanted: Wanted) -> None:
    """Enter the bonds of the file that are not somebody else's."""
    for name, config in wanted.configuration.bonds.items():
        if name in wanted.interfaces:
            continue
        if config.mode is BondMode.LACP:
            thing = f"{name} is a bond in lacp mode"
            if not wanted.has_plugin("lacp", "plugin-missing", config.path, thing):
                continue
        wanted.made[name] = _bond(config, wanted)


def _bond(config: BondConfig, wanted: Wanted) -> Bond:
    before = wanted.observed.making(config.name, Bond) or Bond()
    members = {}
    for member in config.members:
        if member in wanted.observed.interfaces:
            members[member] = before.members.get(member, Membership())
    return Bond(
        mode=config.mode,
        load_balance=config.load_balance if config.mode.has_load_balance else None,
        members=members,
        has_gso=before.has_gso,
        is_numa_only=before.is_numa_only,
    )
