"""One entry of `bondethernets`, of the right shape, as a BondConfig."""

from __future__ import annotations

from vppcfg.config.mac import canonical_mac
from vppcfg.config.names import MAX_INSTANCE, is_bond_name
from vppcfg.config.parse.entries import Entry, Naming
from vppcfg.model.bond import BondMode, LoadBalance
from vppcfg.model.configuration import BondConfig
from vppcfg.model.problem import Problem

NAMING = Naming(
    section="bondethernets",
    is_name=is_bond_name,
    rule="bond-id",
    wanted=f"a bond is called BondEthernet0 to BondEthernet{MAX_INSTANCE}",
)


def parse_bond(entry: Entry) -> BondConfig | Problem:
    """Parse a bond; return what is wrong when its mode leaves no choice of a load balance."""
    mode = BondMode(entry.raw.get("mode") or BondMode.LACP.value)
    load_balance = entry.raw.get("load-balance")
    if load_balance is not None and not mode.has_load_balance:
        text = f"mode {mode.value} leaves no choice of a load balance; only xor and lacp do"
        return Problem(rule="bond-lb-mode", path=(*entry.path, "load-balance"), text=text)
    chosen = LoadBalance(load_balance or LoadBalance.L34.value) if mode.has_load_balance else None
    return BondConfig(
        name=entry.name,
        path=entry.path,
        description=entry.raw.get("description") or None,
        mac=canonical_mac(entry.raw.get("mac")),
        members=tuple(entry.raw.get("interfaces") or ()),
        mode=mode,
        load_balance=chosen,
    )
