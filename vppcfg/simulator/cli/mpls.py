"""CLI commands for MPLS (vnet/mpls/mpls.c, interface.c)."""

from __future__ import annotations

from vppcfg.simulator.mains.mpls import Source
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.vnet import mpls
from vppcfg.simulator.wire import to_bytes


def table(tables: Tables, rest: Input) -> str:
    """`mpls table [add|del] <id> [name <name>]`."""
    line = rest.line()
    if line.is_at_end:
        return ""
    table_id, is_add, name = None, True, ""
    while not line.is_at_end:
        number = line.number()
        if number is not None:
            table_id = number
        elif line.take("del"):
            is_add = False
        elif line.take("add"):
            is_add = True
        elif line.take("name"):
            name = line.string() or ""
        else:
            line.skip_space()
            raise line.unknown("parse error")
    if table_id is None:
        raise RefusedError(Retval.UNSPECIFIED, "No table id")
    if is_add:
        mpls.create_table(tables, table_id, Source.CLI, to_bytes(name))
    else:
        mpls.delete_table(tables, table_id, Source.CLI)
    return ""


def set_interface(tables: Tables, line: Input) -> str:
    """`set interface mpls <interface> enable|disable`."""
    row = line.require_interface(tables)
    is_on = line.take("enable")
    if not is_on and not line.take("disable"):
        raise RefusedError(Retval.UNSPECIFIED, "expected 'enable' or 'disable'")
    mpls.set_enabled(tables, row.index, is_on)
    return ""


def show_interfaces(tables: Tables, line: Input) -> str:
    """`show mpls interface [<interface>]`."""
    row = line.interface(tables)
    if row is not None:
        return _shown(tables, row)
    return "".join(_shown(tables, row) for row in tables.sw if mpls.is_enabled(tables, row.index))


def _shown(tables: Tables, row: SwInterface) -> str:
    state = "enabled" if mpls.is_enabled(tables, row.index) else "disabled"
    return f"{tables.name_of(row)}\n  MPLS {state}\n"
