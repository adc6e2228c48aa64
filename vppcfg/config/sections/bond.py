"""The section `bondethernets`: bonds, their members and how they share the traffic."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.mac import canonical_mac
from vppcfg.common.names import natural_key
from vppcfg.config.configuration import MadeConfig
from vppcfg.config.names import MAX_INSTANCE
from vppcfg.config.sections.section import Entry, MadeSection, Plugin
from vppcfg.config.yaml.text import list_lines, scalar
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


def _parse(entry: Entry) -> BondConfig:
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


def _resolve(config: BondConfig, before: Bond | None, observed: State) -> Bond:
    """Return the bond, with the options of each member that the file cannot say as they are."""
    former = before or Bond()
    present = [member for member in config.members if member in observed.interfaces]
    return Bond(
        mode=config.mode,
        load_balance=config.load_balance if config.mode.has_load_balance else None,
        members={member: former.members.get(member, Membership()) for member in present},
        has_gso=former.has_gso,
        is_numa_only=former.is_numa_only,
    )


def _restate(name: str, bond: Bond, state: State) -> BondConfig:
    return BondConfig(
        name=name,
        path=(SECTION.key, name),
        mac=state.interfaces[name].mac or None,
        members=tuple(sorted(bond.members, key=natural_key)),
        mode=bond.mode,
        load_balance=bond.load_balance if bond.mode.has_load_balance else None,
    )


def _lines(bond: BondConfig) -> Iterator[str]:
    if bond.mac is not None:
        yield f"mac: {scalar(bond.mac)}"
    if bond.members:
        yield from list_lines("interfaces", [scalar(member) for member in bond.members])
    if bond.mode is not BondMode.LACP:
        yield f"mode: {bond.mode.value}"
    if bond.load_balance not in (None, LoadBalance.L34):
        yield f"load-balance: {bond.load_balance.value}"


SECTION = MadeSection(
    key="bondethernets",
    word="BondEthernet",
    last=MAX_INSTANCE,
    thing="bond",
    config=BondConfig,
    making=Bond,
    plugin=Plugin(
        name="lacp",
        reason="a bond speaks LACP",
        thing="a bond in lacp mode",
        is_needed_by=lambda bond: bond.mode is BondMode.LACP,
    ),
    dispensable=frozenset({"description", "mac", "load-balance"}),
    needs_interface=True,
    parse_made=_parse,
    resolve_made=_resolve,
    restate_made=_restate,
    made_lines=_lines,
)
