"""Bonds: made, deleted, joined and left, with what that does to MAC addresses (vnet/bonding/cli.c, device.c)."""

from __future__ import annotations

from vppcfg.record import record
from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.mains.bond import BondRow, LoadBalance, MemberRow, Mode
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.wire import NONE

DEVICE_CLASS = "bond"
_BORN_MTU = 9000
_FORCED = {
    Mode.ROUND_ROBIN: LoadBalance.ROUND_ROBIN,
    Mode.BROADCAST: LoadBalance.BROADCAST,
    Mode.ACTIVE_BACKUP: LoadBalance.ACTIVE_BACKUP,
}
"""Load balance of the modes that leave no choice."""


@record
class Wish:
    """The bond that is asked for."""

    number: int = NONE
    mode: int = 0
    load_balance: int = LoadBalance.L2
    mac: bytes = b""
    """b'' for one that VPP makes up until the first member brings another."""
    has_gso: bool = False
    is_numa_only: bool = False


def create(tables: Tables, wish: Wish) -> SwInterface:
    """Make BondEthernetN; raise RefusedError for a wrong mode, a number that is taken, or a missing plugin."""
    if wish.mode == Mode.LACP and "lacp" not in tables.plugins:
        raise RefusedError(Retval.FEATURE_DISABLED, "LACP plugin is not loaded")
    if wish.mode not in set(Mode):
        raise RefusedError(Retval.INVALID_ARGUMENT, "Invalid mode")
    if wish.load_balance > LoadBalance.L23:
        raise RefusedError(Retval.INVALID_ARGUMENT, "Invalid load-balance")
    bond = tables.bonds.bonds.add(lambda index: _bond_at(index, wish))
    if bond.number in tables.bonds.numbers:
        tables.bonds.bonds.remove(bond.index)
        raise RefusedError(Retval.INSTANCE_IN_USE)
    tables.bonds.numbers.add(bond.number)
    port = _port(tables, bond)
    row = interface.create_port(tables, port, _BORN_MTU)
    bond.hw_index, bond.sw_if_index = port.index, row.index
    tables.bonds.by_sw[row.index] = bond.index
    return row


def _bond_at(index: int, wish: Wish) -> BondRow:
    number = index if wish.number == NONE else wish.number
    mode = Mode(wish.mode)
    return BondRow(
        index=index,
        number=number,
        mode=mode,
        load_balance=_FORCED.get(mode, LoadBalance(wish.load_balance)),
        mac=wish.mac or interface.made_up_mac(0xB0000000 | (number & 0xFFFFFFF)),
        has_custom_mac=bool(wish.mac),
        has_gso=wish.has_gso,
        is_numa_only=wish.is_numa_only,
    )


def _port(tables: Tables, bond: BondRow) -> HwInterface:
    return tables.hw.add(
        lambda index: HwInterface(
            index=index,
            name=f"BondEthernet{bond.number}",
            device_class=DEVICE_CLASS,
            mac=bond.mac,
            link_mtu=_BORN_MTU,
        )
    )


def delete(tables: Tables, sw_if_index: int) -> None:
    """Delete a bond after its members have left it; raise RefusedError for anything else."""
    port = tables.hw_of(interface.require(tables, sw_if_index))
    bond = tables.bonds.of_sw(port.sw_if_index)
    if bond is None:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX, "not a bond interface")
    for member in list(bond.members):
        _leave(tables, bond, tables.bonds.members[member])
    interface.delete_port(tables, port.index)
    del tables.bonds.by_sw[bond.sw_if_index]
    tables.bonds.numbers.discard(bond.number)
    tables.bonds.bonds.remove(bond.index)


def add_member(tables: Tables, bond_index: int, joining: int, *, is_passive: bool, is_long_timeout: bool) -> None:
    """Let an interface join a bond; raise RefusedError with VPP's code.

    The first member gives the bond its MAC, unless it has a custom one; the others get what the first one gave. A
    real VPP dies of local0 as a member; here it is refused.
    """
    bond = tables.bonds.of_sw(bond_index)
    if bond is None:
        raise RefusedError(Retval.INVALID_INTERFACE, "bond interface not found")
    if joining in tables.bonds.members:
        raise RefusedError(Retval.VALUE_EXIST, "interface was already added as member")
    row = interface.require(tables, joining)
    port = tables.hw_of(row)
    if port.device_class == DEVICE_CLASS or not port.is_ethernet:
        raise RefusedError(Retval.INVALID_INTERFACE, "bond interface cannot be added as member")
    if bond.has_gso and not port.has_gso:
        raise RefusedError(Retval.INVALID_INTERFACE, "member interface is not gso capable")
    member = MemberRow(sw_if_index=joining, bond=bond.index, own_mac=port.mac)
    member.is_passive, member.is_long_timeout = is_passive, is_long_timeout
    tables.bonds.members[joining] = member
    bond.members.append(joining)
    _share_mac(tables, bond, port)
    _follow_state(tables, bond, member)


def _share_mac(tables: Tables, bond: BondRow, port: HwInterface) -> None:
    if len(bond.members) == 1 and not bond.has_custom_mac:
        bond.mac = tables.hw[bond.hw_index].mac = port.mac
    else:
        port.mac = bond.mac


def detach(tables: Tables, sw_if_index: int) -> None:
    """Take an interface out of its bond; it gets its own MAC back. Raise RefusedError when it is in none."""
    member = tables.bonds.members.get(sw_if_index)
    if member is None:
        raise RefusedError(Retval.INVALID_INTERFACE, "interface was not a member")
    _leave(tables, tables.bonds.bonds[member.bond], member)


def _leave(tables: Tables, bond: BondRow, member: MemberRow) -> None:
    del tables.bonds.members[member.sw_if_index]
    bond.members.remove(member.sw_if_index)
    _deactivate(tables, bond, member)
    row = tables.sw.get(member.sw_if_index)
    if row is not None:
        tables.hw_of(row).mac = member.own_mac


def set_weight(tables: Tables, sw_if_index: int, weight: int) -> None:
    """Set how much a member is preferred; raise RefusedError in any mode but active-backup."""
    member = tables.bonds.members.get(sw_if_index)
    if member is None:
        raise RefusedError(Retval.INVALID_INTERFACE, "Interface not a member")
    bond = tables.bonds.bonds[member.bond]
    if bond.mode is not Mode.ACTIVE_BACKUP:
        raise RefusedError(Retval.INVALID_ARGUMENT, "Weight valid for active-backup only")
    member.weight = weight
    _sort(tables, bond)


def _sort(tables: Tables, bond: BondRow) -> None:
    """Put the preferred member first: by weight, then the one in use, then the lowest index (bond_member_sort)."""
    first = bond.active[0] if bond.active else NONE
    bond.active.sort(key=lambda index: (-tables.bonds.members[index].weight, index != first, index))


def admin_state_changed(tables: Tables, sw_if_index: int) -> None:
    """Let a bond know that one of its members, or its own interface, went up or down."""
    member = tables.bonds.members.get(sw_if_index)
    if member is not None:
        _follow_state(tables, tables.bonds.bonds[member.bond], member)
    bond = tables.bonds.of_sw(sw_if_index)
    if bond is not None:
        _set_link(tables, bond)


def interface_deleted(tables: Tables, sw_if_index: int) -> None:
    """Take an interface that goes away out of its bond."""
    if sw_if_index in tables.bonds.members:
        detach(tables, sw_if_index)


def _follow_state(tables: Tables, bond: BondRow, member: MemberRow) -> None:
    """Use a member while it is up; with LACP, the other side decides, which nobody plays here."""
    row = tables.sw.get(member.sw_if_index)
    if bond.mode is Mode.LACP or row is None:
        return
    if not row.is_up or not tables.hw_of(row).is_link_up:
        _deactivate(tables, bond, member)
    elif member.sw_if_index not in bond.active:
        bond.active.append(member.sw_if_index)
        member.is_local_numa = True
        if bond.mode is Mode.ACTIVE_BACKUP:
            _sort(tables, bond)
        _set_link(tables, bond)


def _deactivate(tables: Tables, bond: BondRow, member: MemberRow) -> None:
    if member.sw_if_index in bond.active:
        bond.active.remove(member.sw_if_index)
        _set_link(tables, bond)


def _set_link(tables: Tables, bond: BondRow) -> None:
    row = tables.sw.get(bond.sw_if_index)
    if row is not None:
        interface.set_link(tables, tables.hw[bond.hw_index], row.is_up and bool(bond.active))
