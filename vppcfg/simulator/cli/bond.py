"""CLI commands for bonds and their members (vnet/bonding/cli.c)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vppcfg.simulator.mains.bond import BondRow, LoadBalance, Mode
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.vnet import bond

_MODES = {
    "round-robin": Mode.ROUND_ROBIN,
    "active-backup": Mode.ACTIVE_BACKUP,
    "xor": Mode.XOR,
    "broadcast": Mode.BROADCAST,
    "lacp": Mode.LACP,
}
_LOAD_BALANCES = {"l23": LoadBalance.L23, "l34": LoadBalance.L34, "l2": LoadBalance.L2}
_SHOWN_LOAD_BALANCES = {
    **{number: name for name, number in _LOAD_BALANCES.items()},
    LoadBalance.ROUND_ROBIN: "round-robin",
    LoadBalance.BROADCAST: "broadcast",
    LoadBalance.ACTIVE_BACKUP: "active-backup",
}
_SHOWN_MODES = {number: name for name, number in _MODES.items()}
_MISSING = "Missing required arguments."


def create(tables: Tables, rest: Input) -> str:
    """`create bond mode <mode> [load-balance ..] [hw-addr <mac>] [id <number>] [gso] [numa-only]`.

    A number that is taken is refused without a word.
    """
    line = _line(rest, _MISSING)
    wish = bond.Wish()
    while not line.is_at_end:
        wish = _option(line, wish)
    if not wish.mode:
        raise RefusedError(Retval.UNSPECIFIED, "Missing bond mode")
    try:
        return f"{tables.name_of(bond.create(tables, wish))}\n"
    except RefusedError as refusal:
        if refusal.retval is Retval.INSTANCE_IN_USE:
            return ""
        raise


def _option(line: Input, wish: bond.Wish) -> bond.Wish:
    mode = line.choice_after("mode", _MODES)
    if mode is not None:
        return replace(wish, mode=mode)
    has_choice = wish.mode in {Mode.LACP, Mode.XOR}
    load_balance = line.choice_after("load-balance", _LOAD_BALANCES) if has_choice else None
    if load_balance is not None:
        return replace(wish, load_balance=load_balance)
    if (mac := line.mac_after("hw-addr")) is not None:
        return replace(wish, mac=mac)
    if (number := line.number_after("id")) is not None:
        return replace(wish, number=number)
    if line.take("gso"):
        return replace(wish, has_gso=True)
    if line.take("numa-only"):
        if wish.mode != Mode.LACP:
            raise RefusedError(Retval.UNSPECIFIED, "Only lacp mode supports numa-only so far!")
        return replace(wish, is_numa_only=True)
    raise _unknown()


def _line(rest: Input, missing: str) -> Input:
    """Take the rest of the line; raise RefusedError when nothing is left."""
    line = rest.line()
    if line.is_at_end:
        raise RefusedError(Retval.UNSPECIFIED, missing)
    return line


def _unknown() -> RefusedError:
    """Return VPP's refusal: it repeats what follows the line, which is nothing."""
    return RefusedError(Retval.UNSPECIFIED, "unknown input `'")


def delete(tables: Tables, rest: Input) -> str:
    """`delete bond <interface>`."""
    line = _line(rest, "Missing <interface>")
    bond.delete(tables, _interface(tables, line).index)
    return ""


def _interface(tables: Tables, line: Input) -> SwInterface:
    row = line.interface(tables)
    if row is None or not line.is_at_end:
        raise _unknown()
    return row


def add_member(tables: Tables, rest: Input) -> str:
    """`bond add <bond> <interface> [passive] [long-timeout]`."""
    line = _line(rest, _MISSING)
    group, joining = line.interface(tables), line.interface(tables)
    if group is None or joining is None:
        raise _unknown()
    options = {"passive": False, "long-timeout": False}
    while not line.is_at_end:
        word = next((word for word in options if line.take(word)), None)
        if word is None:
            raise _unknown()
        options[word] = True
    bond.add_member(
        tables,
        group.index,
        joining.index,
        is_passive=options["passive"],
        is_long_timeout=options["long-timeout"],
    )
    return ""


def delete_member(tables: Tables, rest: Input) -> str:
    """`bond del <interface>`."""
    bond.detach(tables, _interface(tables, _line(rest, _MISSING)).index)
    return ""


def set_weight(tables: Tables, rest: Input) -> str:
    """`set interface bond <interface> weight <number>`; what is missing counts as none."""
    line = _line(rest, _MISSING)
    row = line.interface(tables)
    weight = line.number_after("weight")
    if row is None:
        raise RefusedError(Retval.INVALID_INTERFACE, "Interface not a member")
    bond.set_weight(tables, row.index, weight or 0)
    return ""


def show(tables: Tables, line: Input) -> str:
    """`show bond [details]`."""
    is_detailed = line.take("details")
    if not is_detailed and not line.is_at_end:
        line.skip_space()
        raise line.unknown()
    bonds = tables.bonds.bonds
    if is_detailed:
        return "".join(f"{text}\n" for row in bonds for text in _details(tables, row))
    head = (
        f"{'interface name':<16} {'sw_if_index':<12} {'mode':<13} {'load balance':<13} {'active members':<14} members\n"
    )
    return head + "".join(_summary(tables, row) for row in bonds)


def _summary(tables: Tables, row: BondRow) -> str:
    name, mode = tables.hw[row.hw_index].name, _SHOWN_MODES[row.mode]
    load_balance = _SHOWN_LOAD_BALANCES[row.load_balance]
    counts = f"{len(row.active):<14} {len(row.members)}"
    return f"{name:<16} {row.sw_if_index:<12} {mode:<13} {load_balance:<13} {counts}\n"


def _details(tables: Tables, row: BondRow) -> Iterator[str]:
    yield tables.hw[row.hw_index].name
    yield f"  mode: {_SHOWN_MODES[row.mode]}"
    yield f"  load balance: {_SHOWN_LOAD_BALANCES[row.load_balance]}"
    if row.has_gso:
        yield "  gso enable"
    if row.mode is Mode.ROUND_ROBIN:
        yield "  last xmit member index: 0"
    yield f"  number of active members: {len(row.active)}"
    for index in row.active:
        yield f"    {tables.name_of(tables.sw[index])}"
        if row.mode is Mode.ACTIVE_BACKUP:
            member = tables.bonds.members[index]
            yield f"      weight: {member.weight}, is_local_numa: {int(member.is_local_numa)}, sw_if_index: {index}"
    yield f"  number of members: {len(row.members)}"
    for index in row.members:
        yield f"    {tables.name_of(tables.sw[index])}"
    yield f"  device instance: {row.index}"
    yield f"  interface id: {row.number}"
    yield f"  sw_if_index: {row.sw_if_index}"
    yield f"  hw_if_index: {row.hw_index}"
