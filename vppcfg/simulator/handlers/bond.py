"""Messages about bonds and their members, under their old names too (vnet/bonding/bond_api.c, plugins/lacp)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing, fixed
from vppcfg.simulator.mains.bond import BondRow, MemberRow, Mode
from vppcfg.simulator.retval import RefusedError
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.vnet import bond
from vppcfg.simulator.wire import NONE, Value

_NO_MAC = bytes(6)
_DEFAULTED = 2
"""State of a member's receiving side when nobody answers (plugins/lacp/rx_machine.h)."""
_ACTOR_STATE, _PARTNER_STATE = 199, 2


def create(
    call: Call, number: int, has_mac: bool, mac: bytes, mode: int, load_balance: int, is_numa_only: bool
) -> list[Outgoing]:
    """Make a bond, the old way: it cannot have GSO."""
    wish = bond.Wish(
        number=number, mode=mode, load_balance=load_balance, mac=mac if has_mac else b"", is_numa_only=is_numa_only
    )
    return [("bond_create_reply", _made(call, wish))]


def create2(
    call: Call,
    mode: int,
    load_balance: int,
    is_numa_only: bool,
    has_gso: bool,
    has_mac: bool,
    mac: bytes,
    number: int,
) -> list[Outgoing]:
    """Make a bond."""
    wish = bond.Wish(
        number=number,
        mode=mode,
        load_balance=load_balance,
        mac=mac if has_mac else b"",
        has_gso=has_gso,
        is_numa_only=is_numa_only,
    )
    return [("bond_create2_reply", _made(call, wish))]


def _made(call: Call, wish: bond.Wish) -> tuple[int, int]:
    """Return code and index; VPP names index 0 when it refuses."""
    try:
        return 0, bond.create(call.tables, wish).index
    except RefusedError as refusal:
        return refusal.retval, 0


def delete(call: Call, sw_if_index: int) -> list[Outgoing]:
    """Delete a bond."""
    bond.delete(call.tables, sw_if_index)
    return [("bond_delete_reply", (0,))]


def _join(call: Call, joining: int, bond_index: int, is_passive: bool, is_long_timeout: bool) -> int:
    tables = call.tables
    interface.require(tables, joining)
    bond.add_member(tables, bond_index, joining, is_passive=is_passive, is_long_timeout=is_long_timeout)
    return 0


def add_member(call: Call, joining: int, bond_index: int, is_passive: bool, is_long_timeout: bool) -> list[Outgoing]:
    """Let an interface join a bond."""
    return [("bond_add_member_reply", (_join(call, joining, bond_index, is_passive, is_long_timeout),))]


def enslave(call: Call, joining: int, bond_index: int, is_passive: bool, is_long_timeout: bool) -> list[Outgoing]:
    """Let an interface join a bond, by the message's old name."""
    return [("bond_enslave_reply", (_join(call, joining, bond_index, is_passive, is_long_timeout),))]


def _part(call: Call, sw_if_index: int) -> int:
    interface.require(call.tables, sw_if_index)
    bond.detach(call.tables, sw_if_index)
    return 0


def detach_member(call: Call, sw_if_index: int) -> list[Outgoing]:
    """Take an interface out of its bond."""
    return [("bond_detach_member_reply", (_part(call, sw_if_index),))]


def detach_slave(call: Call, sw_if_index: int) -> list[Outgoing]:
    """Take an interface out of its bond, by the message's old name."""
    return [("bond_detach_slave_reply", (_part(call, sw_if_index),))]


def set_weight(call: Call, sw_if_index: int, weight: int) -> list[Outgoing]:
    """Set how much a member is preferred."""
    interface.require(call.tables, sw_if_index)
    bond.set_weight(call.tables, sw_if_index, weight)
    return [("sw_interface_set_bond_weight_reply", (0,))]


def dump_old(call: Call) -> Iterator[Outgoing]:
    """Show all bonds, by the message's old name."""
    for row in call.tables.bonds.bonds:
        yield "sw_interface_bond_details", _details(call.tables, row)


def dump(call: Call, sw_if_index: int) -> Iterator[Outgoing]:
    """Show all bonds or one."""
    for row in call.tables.bonds.bonds:
        if sw_if_index in {NONE, row.sw_if_index}:
            yield "sw_bond_interface_details", _details(call.tables, row)


def _details(tables: Tables, row: BondRow) -> tuple[Value, ...]:
    name = fixed(tables.hw[row.hw_index].name, 64)
    counts = len(row.active), len(row.members)
    return row.sw_if_index, row.number, row.mode, row.load_balance, row.is_numa_only, *counts, name


def dump_slaves(call: Call, sw_if_index: int) -> Iterator[Outgoing]:
    """Show the members of a bond, by the message's old name."""
    for details in _members(call.tables, sw_if_index):
        yield "sw_interface_slave_details", details


def dump_members(call: Call, sw_if_index: int) -> Iterator[Outgoing]:
    """Show the members of a bond."""
    for details in _members(call.tables, sw_if_index):
        yield "sw_member_interface_details", details


def _members(tables: Tables, sw_if_index: int) -> Iterator[tuple[Value, ...]]:
    """Yield what VPP says of each member; a sub-interface has the name of port 0."""
    row = tables.bonds.of_sw(sw_if_index)
    for index in row.members if row is not None else ():
        member = tables.bonds.members[index]
        name = fixed(tables.hw[tables.sw[index].hw_index].name, 64)
        yield index, name, member.is_passive, member.is_long_timeout, member.is_local_numa, member.weight


def dump_lacp(call: Call) -> Iterator[Outgoing]:
    """Show what the members of LACP bonds say to the other side, which says nothing."""
    tables = call.tables
    for row in tables.bonds.bonds:
        for position, index in enumerate(row.members if row.mode is Mode.LACP else (), 1):
            yield "sw_interface_lacp_details", _lacp(tables, row, tables.bonds.members[index], position)


def _lacp(tables: Tables, row: BondRow, member: MemberRow, position: int) -> tuple[Value, ...]:
    name = fixed(tables.hw[tables.sw[member.sw_if_index].hw_index].name, 64)
    bond_name, key = fixed(tables.hw[row.hw_index].name, 64), row.sw_if_index & 0xFFFF
    actor = (0xFFFF, row.mac, key, 255, position, _ACTOR_STATE)
    partner = (0xFFFF, _NO_MAC, key, 255, position, _PARTNER_STATE)
    return member.sw_if_index, name, _DEFAULTED, 0, 0, 0, bond_name, *actor, *partner


HANDLERS: Handlers = {
    "bond_create": Handler(answer=create, is_change=True),
    "bond_create2": Handler(answer=create2, is_change=True),
    "bond_delete": Handler(answer=delete, is_change=True),
    "bond_add_member": Handler(answer=add_member, is_change=True),
    "bond_enslave": Handler(answer=enslave, is_change=True),
    "bond_detach_member": Handler(answer=detach_member, is_change=True),
    "bond_detach_slave": Handler(answer=detach_slave, is_change=True),
    "sw_interface_set_bond_weight": Handler(answer=set_weight, is_change=True),
    "sw_interface_bond_dump": Handler(answer=dump_old),
    "sw_bond_interface_dump": Handler(answer=dump),
    "sw_interface_slave_dump": Handler(answer=dump_slaves),
    "sw_member_interface_dump": Handler(answer=dump_members),
    "sw_interface_lacp_dump": Handler(answer=dump_lacp),
}
