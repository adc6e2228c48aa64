"""Simulates loopbacks (vnet/ethernet/interface.c)."""

from __future__ import annotations

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import FloodClass, HwInterface, SwInterface, Tables
from vppcfg.simulator.wire import Outgoing, Values

_DEVICE_CLASS = "Loopback"
_BORN_MTU = 9000
_COUNT = 16384
_MAC = bytes([0xDE, 0xAD, 0, 0, 0])
"""How the MAC of a loopback begins that is given none; the last byte is the low one of its number."""


class _Numbers(set[int]):
    """The N of every loopN."""


def create(tables: Tables, number: int | None, mac: bytes) -> SwInterface:
    """Make loopN, with the lowest free number for None; raise RefusedError when it is taken or too large."""
    taken = tables.part(_Numbers)
    if number is None:
        number = next(free for free in range(_COUNT + 1) if free not in taken)
    if number >= _COUNT or number in taken:
        raise RefusedError(Retval.INVALID_REGISTRATION, "vnet_create_loopback_interface failed")
    taken.add(number)
    row = interfaces.create_port(tables, _port(number, mac), _BORN_MTU)
    row.flood_class = FloodClass.NO_FLOOD
    return row


def _port(number: int, mac: bytes) -> HwInterface:
    return HwInterface(
        name=f"loop{number}",
        device_class=_DEVICE_CLASS,
        device_instance=number,
        mac=mac if any(mac) else _MAC + bytes([number & 0xFF]),
        link_mtu=_BORN_MTU,
        has_gso=False,
    )


def delete(tables: Tables, sw_if_index: int) -> None:
    """Delete a loopback, that of a sub-interface too; raise RefusedError for anything else."""
    row = tables.sw.get(sw_if_index)
    if row is None or tables.hw_of(row).device_class != _DEVICE_CLASS:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX, "vnet_delete_loopback_interface failed")
    port = tables.hw_of(row)
    tables.part(_Numbers).discard(port.device_instance)
    interfaces.delete_port(tables, port.index)


def _answer_create(call: Call, values: Values) -> Outgoing:
    """Make a loopback, with a number of one's own or the lowest that is free."""
    number = values["user_instance"] if values.get("is_specified") else None
    return call.reply(sw_if_index=create(call.tables, number, values["mac_address"]).index)


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


def _create(tables: Tables, _virtual: None, desired: Interface, number: int) -> SwInterface:
    return create(tables, number, mac_bytes(desired.mac))


KIND = Kind(
    changes={
        "create_loopback": _answer_create,
        "create_loopback_instance": _answer_create,
        "delete_loopback": lambda call, values: delete(call.tables, values["sw_if_index"]),
    },
    commands={
        "create loopback interface": _command_create,
        "loopback create-interface": _command_create,
        "delete loopback interface": _command_delete,
        "loopback delete-interface": _command_delete,
    },
    interface=InterfaceKind.LOOPBACK,
    create=_create,
)
