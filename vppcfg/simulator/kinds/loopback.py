"""Simulates loopbacks (vnet/ethernet/interface.c), and interfaces that are made to be BVIs (vnet/l2/l2_bvi.c)."""

from __future__ import annotations

from collections import defaultdict

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import FloodClass, HwInterface, SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_LOOPBACK, _BVI = "Loopback", "BVI"
_WORDS = {_LOOPBACK: "loop", _BVI: "bvi"}
_REFUSED = {_LOOPBACK: "vnet_{}_loopback_interface failed", _BVI: "BVI {} failed"}
_BORN_MTU = 9000
_COUNT = 16384
_MACS = {_LOOPBACK: bytes([0xDE, 0xAD, 0, 0, 0]), _BVI: bytes([0xB0, 0xB0, 0, 0, 0])}
"""How the MAC of one begins that is given none; the last byte is the low one of its number."""


class _Numbers(defaultdict[str, set[int]]):
    """The N of every loopN and bviN, by their class."""

    def __init__(self) -> None:
        super().__init__(set)


def create(tables: Tables, number: int | None, mac: bytes, device_class: str = _LOOPBACK) -> SwInterface:
    """Make one, with the lowest free number for None; raise RefusedError when it is taken or too large."""
    taken = tables.part(_Numbers)[device_class]
    if number is None:
        number = next(free for free in range(_COUNT + 1) if free not in taken)
    if number >= _COUNT or number in taken:
        raise RefusedError(Retval.INVALID_REGISTRATION, _REFUSED[device_class].format("create"))
    taken.add(number)
    row = interfaces.create_port(tables, _port(number, mac, device_class), _BORN_MTU)
    row.flood_class = FloodClass.BVI if device_class == _BVI else FloodClass.NO_FLOOD
    return row


def _port(number: int, mac: bytes, device_class: str) -> HwInterface:
    return HwInterface(
        name=f"{_WORDS[device_class]}{number}",
        device_class=device_class,
        device_instance=number,
        mac=mac if any(mac) else _MACS[device_class] + bytes([number & 0xFF]),
        link_mtu=_BORN_MTU,
        has_gso=False,
    )


def delete(tables: Tables, sw_if_index: int, device_class: str = _LOOPBACK) -> None:
    """Delete one, that of a sub-interface too; raise RefusedError for anything else."""
    row = tables.sw.get(sw_if_index)
    if row is None or tables.hw_of(row).device_class != device_class:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX, _REFUSED[device_class].format("delete"))
    port = tables.hw_of(row)
    tables.part(_Numbers)[device_class].discard(port.device_instance)
    interfaces.delete_port(tables, port.index)


def _answer_create(call: Call, values: Values) -> Outgoing:
    """Make a loopback, with a number of one's own or the lowest that is free."""
    number = values["user_instance"] if values.get("is_specified") else None
    return call.reply(sw_if_index=create(call.tables, number, values["mac_address"]).index)


def _answer_create_bvi(call: Call, values: Values) -> Outgoing:
    number = None if values["user_instance"] == NONE else values["user_instance"]
    return call.reply(sw_if_index=create(call.tables, number, values["mac"], _BVI).index)


def _command_create(tables: Tables, line: Input) -> str:
    """`create loopback interface [mac <mac>] [instance <number>]`."""
    mac, number = bytes(6), None
    while not line.is_at_end:
        mac = line.mac_after("mac") or mac
        found = line.number_after("instance")
        if found is None:
            break
        number = found
    return f"{tables.name_of(create(tables, number, mac))}\n"


def _command_delete(tables: Tables, line: Input) -> None:
    """`delete loopback interface intfc <interface>`."""
    row = required(line.interface_after(tables, "intfc"), "interface not specified")
    delete(tables, row.index)


def _command_create_bvi(tables: Tables, rest: Input) -> str:
    """`bvi create [mac <mac>] [instance <number>]`."""
    line, mac, number = rest.line(), bytes(6), None
    while not line.is_at_end:
        if (found := line.mac_after("mac")) is not None:
            mac = found
        elif (instance := line.number_after("instance")) is not None:
            number = instance
        else:
            raise RefusedError(Retval.UNSPECIFIED, f"unknown input: {line.shown}")
    return f"{tables.name_of(create(tables, number, mac, _BVI))}\n"


def _command_delete_bvi(tables: Tables, line: Input) -> None:
    """`bvi delete <interface>`."""
    row = required(line.interface(tables), f"no such interface: {line.shown}")
    delete(tables, row.index, _BVI)


def _create(tables: Tables, _virtual: None, desired: Interface, number: int) -> SwInterface:
    device_class = _BVI if desired.name.startswith(_WORDS[_BVI]) else _LOOPBACK
    return create(tables, number, mac_bytes(desired.mac), device_class)


KIND = Kind(
    changes={
        "create_loopback": _answer_create,
        "create_loopback_instance": _answer_create,
        "delete_loopback": lambda call, values: delete(call.tables, values["sw_if_index"]),
        "bvi_create": _answer_create_bvi,
        "bvi_delete": lambda call, values: delete(call.tables, values["sw_if_index"], _BVI),
    },
    commands={
        "create loopback interface": _command_create,
        "loopback create-interface": _command_create,
        "bvi create": _command_create_bvi,
        "bvi delete": _command_delete_bvi,
        "delete loopback interface": _command_delete,
        "loopback delete-interface": _command_delete,
    },
    interface=InterfaceKind.LOOPBACK,
    create=_create,
)
