"""Simulates bonds: made, deleted and shown (vnet/bonding)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vppcfg.model.bond import Bond, BondMode
from vppcfg.model.bond import LoadBalance as WantedLoadBalance
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.record import record
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds import bond_member
from vppcfg.simulator.kinds.bond_member import BondMain, BondRow, LoadBalance, Mode
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, fixed

_BORN_MTU = 9000
_FORCED = {
    Mode.ROUND_ROBIN: LoadBalance.ROUND_ROBIN,
    Mode.BROADCAST: LoadBalance.BROADCAST,
    Mode.ACTIVE_BACKUP: LoadBalance.ACTIVE_BACKUP,
}
"""Load balance of the modes that leave no choice."""


@record
class BondRequest:
    """The bond that is asked for."""

    number: int = NONE
    mode: int = 0
    load_balance: int = LoadBalance.L2
    mac: bytes = b""
    """b'' for one that VPP makes up until the first member brings another."""
    has_gso: bool = False
    is_numa_only: bool = False


def create(tables: Tables, request: BondRequest) -> SwInterface:
    """Make BondEthernetN; raise RefusedError for a wrong mode, a number that is taken, or a missing plugin."""
    main = tables.part(BondMain)
    if request.mode == Mode.LACP and "lacp" not in tables.plugins:
        raise RefusedError(Retval.FEATURE_DISABLED, "LACP plugin is not loaded")
    if request.mode not in set(Mode):
        raise RefusedError(Retval.INVALID_ARGUMENT, "Invalid mode")
    if request.load_balance > LoadBalance.L23:
        raise RefusedError(Retval.INVALID_ARGUMENT, "Invalid load-balance")
    bond = main.bonds.add(lambda index: _bond_at(index, request))
    if bond.number in main.numbers:
        main.bonds.remove(bond.index)
        raise RefusedError(Retval.INSTANCE_IN_USE)
    main.numbers.add(bond.number)
    port = _port(bond)
    port.is_link_up = tables.release.has(bond_member.IS_ALWAYS_LINKED)
    row = interfaces.create_port(tables, port, _BORN_MTU)
    bond.hw_index, bond.sw_if_index = port.index, row.index
    main.by_sw[row.index] = bond.index
    return row


def _bond_at(index: int, request: BondRequest) -> BondRow:
    number = index if request.number == NONE else request.number
    mode = Mode(request.mode)
    return BondRow(
        index=index,
        number=number,
        mode=mode,
        load_balance=_FORCED.get(mode, LoadBalance(request.load_balance)),
        mac=request.mac or interfaces.generated_mac(0xB0000000 | (number & 0xFFFFFFF)),
        has_custom_mac=bool(request.mac),
        has_gso=request.has_gso,
        is_numa_only=request.is_numa_only,
    )


def _port(bond: BondRow) -> HwInterface:
    return HwInterface(
        name=f"BondEthernet{bond.number}",
        device_class=bond_member.BOND_CLASS,
        mac=bond.mac,
        link_mtu=_BORN_MTU,
    )


def delete(tables: Tables, sw_if_index: int) -> None:
    """Delete a bond after its members have left it; raise RefusedError for anything else."""
    main = tables.part(BondMain)
    port = tables.hw_of(interfaces.require(tables, sw_if_index))
    bond = required(main.of_sw(port.sw_if_index), "not a bond interface", Retval.INVALID_SW_IF_INDEX)
    for member in list(bond.members):
        bond_member.detach(tables, member)
    interfaces.delete_port(tables, port.index)
    del main.by_sw[bond.sw_if_index]
    main.numbers.discard(bond.number)
    main.bonds.remove(bond.index)


def _answer_create(call: Call, values: Values) -> Outgoing:
    """Make a bond; version 1 of the message has no GSO. A refusal names index 0."""
    request = BondRequest(
        number=values["id"],
        mode=values["mode"],
        load_balance=values["lb"],
        mac=values["mac_address"] if values["use_custom_mac"] else b"",
        has_gso=values.get("enable_gso", False),
        is_numa_only=values["numa_only"],
    )
    try:
        return call.reply(sw_if_index=create(call.tables, request).index)
    except RefusedError as refusal:
        return call.reply(retval=refusal.retval, sw_if_index=0)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show one bond or all of them; older messages call the members slaves."""
    for row in call.tables.part(BondMain).bonds:
        if values.get("sw_if_index", NONE) in {NONE, row.sw_if_index}:
            yield call.details(
                {
                    "sw_if_index": row.sw_if_index,
                    "id": row.number,
                    "mode": row.mode,
                    "lb": row.load_balance,
                    "numa_only": row.is_numa_only,
                    "active_slaves": len(row.active),
                    "slaves": len(row.members),
                    "active_members": len(row.active),
                    "members": len(row.members),
                    "interface_name": fixed(call.tables.hw[row.hw_index].name, 64),
                }
            )


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


def _command_create(tables: Tables, rest: Input) -> str:
    """`create bond mode <mode> [load-balance ..] [hw-addr <mac>] [id <number>] [gso] [numa-only]`.

    A number that is taken is refused without a word.
    """
    line = rest.line_with("Missing required arguments.")
    request = BondRequest()
    while not line.is_at_end:
        request = _option(line, request)
    if not request.mode:
        raise RefusedError(Retval.UNSPECIFIED, "Missing bond mode")
    try:
        return f"{tables.name_of(create(tables, request))}\n"
    except RefusedError as refusal:
        if refusal.retval is Retval.INSTANCE_IN_USE:
            return ""
        raise


def _option(line: Input, request: BondRequest) -> BondRequest:
    mode = line.choice_after("mode", _MODES)
    if mode is not None:
        return replace(request, mode=mode)
    has_choice = request.mode in {Mode.LACP, Mode.XOR}
    load_balance = line.choice_after("load-balance", _LOAD_BALANCES) if has_choice else None
    if load_balance is not None:
        return replace(request, load_balance=load_balance)
    if (mac := line.mac_after("hw-addr")) is not None:
        return replace(request, mac=mac)
    if (number := line.number_after("id")) is not None:
        return replace(request, number=number)
    if line.take("gso"):
        return replace(request, has_gso=True)
    if line.take("numa-only"):
        if request.mode != Mode.LACP:
            raise RefusedError(Retval.UNSPECIFIED, "Only lacp mode supports numa-only so far!")
        return replace(request, is_numa_only=True)
    raise RefusedError(Retval.UNSPECIFIED, "unknown input `'")


def _command_delete(tables: Tables, rest: Input) -> None:
    """`delete bond <interface>`."""
    line = rest.line_with("Missing <interface>")
    row = line.interface(tables)
    if row is None or not line.is_at_end:
        raise RefusedError(Retval.UNSPECIFIED, "unknown input `'")
    delete(tables, row.index)


def _command_show(tables: Tables, line: Input) -> str:
    """`show bond [details]`."""
    is_detailed = line.take("details")
    if not is_detailed and not line.is_at_end:
        raise line.unknown_word()
    bonds = tables.part(BondMain).bonds
    if is_detailed:
        return "".join(f"{text}\n" for row in bonds for text in _shown_in_full(tables, row))
    head = (
        f"{'interface name':<16} {'sw_if_index':<12} {'mode':<13} {'load balance':<13} {'active members':<14} members\n"
    )
    return head + "".join(_shown(tables, row) for row in bonds)


def _shown(tables: Tables, row: BondRow) -> str:
    name, mode = tables.hw[row.hw_index].name, _SHOWN_MODES[row.mode]
    load_balance = _SHOWN_LOAD_BALANCES[row.load_balance]
    counts = f"{len(row.active):<14} {len(row.members)}"
    return f"{name:<16} {row.sw_if_index:<12} {mode:<13} {load_balance:<13} {counts}\n"


def _shown_in_full(tables: Tables, row: BondRow) -> Iterator[str]:
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
            member = tables.part(BondMain).members[index]
            yield f"      weight: {member.weight}, is_local_numa: {int(member.is_local_numa)}, sw_if_index: {index}"
    yield f"  number of members: {len(row.members)}"
    for index in row.members:
        yield f"    {tables.name_of(tables.sw[index])}"
    yield f"  device instance: {row.index}"
    yield f"  interface id: {row.number}"
    yield f"  sw_if_index: {row.sw_if_index}"
    yield f"  hw_if_index: {row.hw_index}"


_OF_MODES = {
    BondMode.ROUND_ROBIN: Mode.ROUND_ROBIN,
    BondMode.ACTIVE_BACKUP: Mode.ACTIVE_BACKUP,
    BondMode.XOR: Mode.XOR,
    BondMode.BROADCAST: Mode.BROADCAST,
    BondMode.LACP: Mode.LACP,
}
_OF_LOAD_BALANCES = {
    None: LoadBalance.L2,
    WantedLoadBalance.L2: LoadBalance.L2,
    WantedLoadBalance.L23: LoadBalance.L23,
    WantedLoadBalance.L34: LoadBalance.L34,
}


def _create(tables: Tables, model: Bond, desired: Interface, number: int) -> SwInterface:
    request = BondRequest(
        number=number,
        mode=_OF_MODES[model.mode],
        load_balance=_OF_LOAD_BALANCES[model.load_balance],
        has_gso=model.has_gso,
        is_numa_only=model.is_numa_only,
    )
    return create(tables, request)


KIND = Kind(
    changes={
        "bond_create": _answer_create,
        "bond_create2": _answer_create,
        "bond_delete": lambda call, values: delete(call.tables, values["sw_if_index"]),
    },
    queries={"sw_interface_bond_dump": _dump, "sw_bond_interface_dump": _dump},
    commands={"create bond": _command_create, "delete bond": _command_delete, "show bond": _command_show},
    interface=InterfaceKind.BOND,
    create=_create,
)
