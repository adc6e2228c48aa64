"""Loopbacks (vnet/ethernet/interface.c)."""

from __future__ import annotations

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import FloodClass, HwInterface, SwInterface, Tables

DEVICE_CLASS = "Loopback"
_BORN_MTU = 9000
_COUNT = 16384
_MAC = bytes([0xDE, 0xAD, 0, 0, 0])
"""How the MAC of a loopback begins that is given none; the last byte is the low one of its number."""


def create(tables: Tables, number: int | None, mac: bytes) -> SwInterface:
    """Make loopN, with the lowest free number for None; raise RefusedError when it is taken or too large."""
    if number is None:
        number = next(free for free in range(_COUNT + 1) if free not in tables.loopbacks)
    if number >= _COUNT or number in tables.loopbacks:
        raise RefusedError(Retval.INVALID_REGISTRATION, "vnet_create_loopback_interface failed")
    tables.loopbacks.add(number)
    row = interface.create_port(tables, _port(tables, number, mac), _BORN_MTU)
    row.flood_class = FloodClass.NO_FLOOD
    return row


def _port(tables: Tables, number: int, mac: bytes) -> HwInterface:
    def port_at(index: int) -> HwInterface:
        return HwInterface(
            index=index,
            name=f"loop{number}",
            device_class=DEVICE_CLASS,
            mac=mac if any(mac) else _MAC + bytes([number & 0xFF]),
            link_mtu=_BORN_MTU,
            has_gso=False,
        )

    return tables.hw.add(port_at)


def delete(tables: Tables, sw_if_index: int) -> None:
    """Delete a loopback, that of a sub-interface too; raise RefusedError for anything else."""
    row = tables.sw.get(sw_if_index)
    if row is None or tables.hw_of(row).device_class != DEVICE_CLASS:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX, "vnet_delete_loopback_interface failed")
    port = tables.hw_of(row)
    tables.loopbacks.discard(int(port.name.removeprefix("loop")))
    interface.delete_port(tables, port.index)
