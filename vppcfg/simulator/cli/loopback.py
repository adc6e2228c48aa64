"""CLI commands for loopbacks (vnet/ethernet/interface.c)."""

from __future__ import annotations

from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.vnet import loopback


def create(tables: Tables, line: Input) -> str:
    """`create loopback interface [mac <mac>] [instance <number>]`."""
    mac, number = bytes(6), None
    while not line.is_at_end:
        mac = line.mac_after("mac") or mac
        found = line.number_after("instance")
        if found is None:
            break
        number = found
    return f"{tables.name_of(loopback.create(tables, number, mac))}\n"


def delete(tables: Tables, line: Input) -> str:
    """`delete loopback interface intfc <interface>`."""
    row = line.interface_after(tables, "intfc")
    if row is None:
        raise RefusedError(Retval.UNSPECIFIED, "interface not specified")
    loopback.delete(tables, row.index)
    return ""
