"""One entry of `bondethernets`, of the right shape, as a BondConfig."""

from __future__ import annotations

from vppcfg.common.mac import canonical_mac
from vppcfg.config.names import MAX_INSTANCE, is_bond_name
from vppcfg.config.parse.entries import Entry, Naming
from vppcfg.model.bond import BondMode, LoadBalance
from vppcfg.model.configuration import BondConfig

NAMING = Naming(
    section="bondethernets",
    is_name=is_bond_name,
    rule="bond-id",
    wanted=f"a bond is called BondEthernet0 to BondEthernet{MAX_INSTANCE}",
    dispensable=frozenset({"description", "mac", "load-balance"}),
)


def parse_bond(entry: Entry) -> BondConfig:
    """Parse a bond; a load balance that stands beside a mode without one is kept for a rule to find."""
    mode = BondMode(entry.raw.get("mode") or BondMode.LACP.value)
    default = LoadBalance.L34 if mode.has_load_balance else None
    load_balance = entry.raw.get("load-balance")
    return BondConfig(
        name=entry.name,
        path=entry.path,
        description=entry.raw.get("description") or None,
        mac=canonical_mac(entry.raw.get("mac")),
        members=tuple(entry.raw.get("interfaces") or ()),
        mode=mode,
        load_balance=default if load_balance is None else LoadBalance(load_balance),
    )
