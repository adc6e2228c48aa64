"""Bonds and their members (vnet/bonding/node.h)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from vppcfg.simulator.pool import Pool


class Mode(IntEnum):
    """bond_mode (vnet/bonding/bond.api)."""

    ROUND_ROBIN = 1
    ACTIVE_BACKUP = 2
    XOR = 3
    BROADCAST = 4
    LACP = 5


class LoadBalance(IntEnum):
    """bond_lb_algo (vnet/bonding/bond.api); the last three belong to modes that leave no choice."""

    L2 = 0
    L34 = 1
    L23 = 2
    ROUND_ROBIN = 3
    BROADCAST = 4
    ACTIVE_BACKUP = 5


@dataclass(slots=True, kw_only=True)
class BondRow:
    """One bond (bond_if_t)."""

    index: int
    number: int
    """The N of BondEthernetN."""
    mode: Mode
    load_balance: LoadBalance
    mac: bytes
    """What new members get; a MAC set on the bond's interface later does not come here."""
    has_custom_mac: bool = False
    has_gso: bool = False
    is_numa_only: bool = False
    hw_index: int = 0
    sw_if_index: int = 0
    members: list[int] = field(default_factory=list)
    """sw_if_index of each, in the order in which they joined."""
    active: list[int] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class MemberRow:
    """An interface in a bond (member_if_t)."""

    sw_if_index: int
    bond: int
    own_mac: bytes
    """What its port gets back when it leaves."""
    is_passive: bool = False
    is_long_timeout: bool = False
    is_local_numa: bool = False
    """Known once the member has been in use; here all ports are near."""
    weight: int = 0


@dataclass(slots=True, kw_only=True)
class BondMain:
    """All bonds."""

    bonds: Pool[BondRow] = field(default_factory=Pool)
    by_sw: dict[int, int] = field(default_factory=dict)
    """Index of a bond by the sw_if_index of its interface."""
    members: dict[int, MemberRow] = field(default_factory=dict)
    """By sw_if_index."""
    numbers: set[int] = field(default_factory=set)

    def of_sw(self, sw_if_index: int) -> BondRow | None:
        """Return the bond whose interface has `sw_if_index`."""
        index = self.by_sw.get(sw_if_index)
        return None if index is None else self.bonds[index]
