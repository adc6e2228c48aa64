"""Bonded interfaces (BondEthernetN): how they are made, and who belongs to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.record import record


class BondMode(Enum):
    """How a bond uses its members; the values are those of the configuration."""

    ROUND_ROBIN = "round-robin"
    ACTIVE_BACKUP = "active-backup"
    XOR = "xor"
    BROADCAST = "broadcast"
    LACP = "lacp"

    @property
    def has_load_balance(self) -> bool:
        """Return whether the mode leaves the choice of a load balance."""
        return self in (BondMode.XOR, BondMode.LACP)


class LoadBalance(Enum):
    """Which headers choose the member that a packet leaves on."""

    L2 = "l2"
    L23 = "l23"
    L34 = "l34"


@record
class Membership:
    """How one interface belongs to a bond."""

    is_passive: bool = False
    is_long_timeout: bool = False
    weight: int = 0

    def is_same_but_weight(self, other: Membership | None) -> bool:
        """Return whether another membership differs in its weight at most, which alone can be changed in place."""
        return other is not None and (self.is_passive, self.is_long_timeout) == (
            other.is_passive,
            other.is_long_timeout,
        )


@record
class Bond(VirtualInterface):
    """What a bond is made with, and its members, who come and go."""

    kind = InterfaceKind.BOND
    noun = "bond"
    table = "bonds"
    recreate_on_change = ("mode", "load_balance", "has_gso", "is_numa_only")

    mode: BondMode = BondMode.LACP
    load_balance: LoadBalance | None = LoadBalance.L34
    """None in the modes that have no choice."""
    members: Mapping[str, Membership] = field(default_factory=dict)
    """By name of the member."""
    has_gso: bool = False
    is_numa_only: bool = False
