"""Operations that create and delete bonds, add and remove members, and set weights (vnet/bonding/cli.c)."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.bond import Bond, BondMode, LoadBalance, Membership
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.kinds import as_created
from vppcfg.model.state import State
from vppcfg.operations.operation import CreateInterface, DeleteInterface, InterfaceOperation, Predicate
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import evolve, record
from vppcfg.wire.codec import mac_bytes

MODE_NUMBERS = {
    BondMode.ROUND_ROBIN: 1,
    BondMode.ACTIVE_BACKUP: 2,
    BondMode.XOR: 3,
    BondMode.BROADCAST: 4,
    BondMode.LACP: 5,
}
"""bond_mode (vnet/bonding/bond.api)."""
LOAD_BALANCE_NUMBERS = {LoadBalance.L2: 0, LoadBalance.L34: 1, LoadBalance.L23: 2}
"""bond_lb_algo (vnet/bonding/bond.api)."""


@record
class CreateBond(CreateInterface):
    """bond_create2: create `BondEthernetN`, down and without members."""

    instance: int
    mode: BondMode
    load_balance: LoadBalance | None
    mac: str
    """'' for that of the first member."""
    has_gso: bool = False
    is_numa_only: bool = False

    def apply_to(self, working: WorkingState) -> None:
        working.create_interface(evolve(as_created(self.interface, InterfaceKind.BOND), mac=self.mac))
        working.virtual[self.interface] = Bond(
            mode=self.mode, load_balance=self.load_balance, has_gso=self.has_gso, is_numa_only=self.is_numa_only
        )

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message; where the mode leaves no choice of a load balance, VPP puts its own there."""
        values: dict[str, Value] = {
            "id": self.instance,
            "mode": MODE_NUMBERS[self.mode],
            "lb": LOAD_BALANCE_NUMBERS[self.load_balance or LoadBalance.L2],
            "use_custom_mac": int(self.mac != ""),
            "mac_address": mac_bytes(self.mac),
            "enable_gso": int(self.has_gso),
            "numa_only": int(self.is_numa_only),
        }
        return Request("bond_create2", values)

    def cli(self) -> str:
        words = ["create bond mode", self.mode.value]
        if self.load_balance is not None:
            words.append(f"load-balance {self.load_balance.value}")
        if self.is_numa_only:
            words.append("numa-only")
        if self.mac:
            words.append(f"hw-addr {self.mac}")
        words.append(f"id {self.instance}")
        return " ".join([*words, "gso"] if self.has_gso else words)


@record
class DeleteBond(DeleteInterface):
    """bond_delete: delete a bond without members."""

    virtual = Bond

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("bond_delete", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        return f"delete bond {self.interface}"


@record
class AddBondMember(InterfaceOperation):
    """bond_add_member: make `interface` a member of `bond`; the first one gives it its MAC."""

    bond: str
    is_passive: bool = False
    is_long_timeout: bool = False

    def _refusal(self, working: WorkingState) -> str | None:
        name = self.interface
        if working.virtual_of(self.bond, Bond) is None:
            return f"{self.bond} does not exist"
        if name in working.bond_of:
            return f"{name} is a member of {working.bond_of[name]}"
        if working.virtual_of(name, Bond) is not None:
            return f"{name} is a bond itself"
        interface = working.interfaces[name]
        if interface.is_l2 or interface.addresses or interface.unnumbered or name in working.lcps:
            return f"{name} still has addresses, an L2 path or an LCP pair of its own"
        return None

    def apply_to(self, working: WorkingState) -> None:
        """Add the member. All members then have the MAC of the first one, which is unknown here."""
        bond = _bond(self.bond, working)
        membership = Membership(is_passive=self.is_passive, is_long_timeout=self.is_long_timeout)
        working.virtual[self.bond] = replace(bond, members={**bond.members, self.interface: membership})
        working.bond_of[self.interface] = self.bond
        working.change(self.interface, mac="")

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values: dict[str, Value] = {
            "sw_if_index": indexes.interface(self.interface),
            "bond_sw_if_index": indexes.interface(self.bond),
            "is_passive": int(self.is_passive),
            "is_long_timeout": int(self.is_long_timeout),
        }
        return Request("bond_add_member", values)

    def cli(self) -> str:
        words = ["bond add", self.bond, self.interface]
        words += ["passive"] if self.is_passive else []
        return " ".join([*words, "long-timeout"] if self.is_long_timeout else words)

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(f"joins {self.bond}", f"join {self.bond}")


@record
class SetBondWeight(InterfaceOperation):
    """sw_interface_set_bond_weight: how much a member is preferred in active-backup mode."""

    weight: int

    def _refusal(self, working: WorkingState) -> str | None:
        if self.interface not in working.bond_of:
            return f"{self.interface} is no member of a bond"
        bond = working.bond_of[self.interface]
        return None if _bond(bond, working).mode is BondMode.ACTIVE_BACKUP else f"{bond} is not in mode active-backup"

    def apply_to(self, working: WorkingState) -> None:
        name = working.bond_of[self.interface]
        bond = _bond(name, working)
        membership = replace(bond.members[self.interface], weight=self.weight)
        working.virtual[name] = replace(bond, members={**bond.members, self.interface: membership})

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.interface), "weight": self.weight}
        return Request("sw_interface_set_bond_weight", values)

    def cli(self) -> str:
        return f"set interface bond {self.interface} weight {self.weight}"


@record
class RemoveBondMember(InterfaceOperation):
    """bond_detach_member: take `interface` out of `bond`; it gets its own MAC back."""

    bond: str

    def _refusal(self, working: WorkingState) -> str | None:
        if working.bond_of.get(self.interface) != self.bond:
            return f"{self.interface} is no member of {self.bond}"
        return None

    def apply_to(self, working: WorkingState) -> None:
        """Remove the member, whose MAC is then unknown."""
        bond = _bond(self.bond, working)
        members = {name: membership for name, membership in bond.members.items() if name != self.interface}
        working.virtual[self.bond] = replace(bond, members=members)
        del working.bond_of[self.interface]
        working.change(self.interface, mac="")

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("bond_detach_member", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        return f"bond del {self.interface}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(f"leaves {self.bond}", f"leave {self.bond}")


def _bond(name: str, working: WorkingState) -> Bond:
    """Return a bond, which `_refusal` has found to exist."""
    bond = working.virtual_of(name, Bond)
    assert bond is not None
    return bond
