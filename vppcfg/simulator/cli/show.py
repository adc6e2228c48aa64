"""CLI commands that show interfaces (vnet/interface_cli.c, vnet/l2/l2_input.c)."""

from __future__ import annotations

import ipaddress

from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.unformat import Input

_HEADER = "              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter          Count     "


def interfaces(tables: Tables, line: Input) -> str:
    """`show interface [<interface>...] [address]`."""
    rows: list[SwInterface] = []
    is_address = False
    while not line.is_at_end:
        if line.take("address") or line.take("addr"):
            is_address = True
        elif (row := line.interface(tables)) is not None:
            rows.append(row)
        else:
            line.skip_space()
            raise line.unknown()
    rows = rows or _sorted(tables)
    if is_address:
        return "".join(_addresses(tables, row) for row in rows)
    return f"{_HEADER}\n" + "".join(_summary(tables, row) for row in rows)


def modes(tables: Tables, line: Input) -> str:
    """`show mode [<interface>...]`."""
    rows: list[SwInterface] = []
    while not line.is_at_end:
        row = line.interface(tables)
        if row is None:
            line.skip_space()
            raise line.unknown()
        rows.append(row)
    return "".join(_mode(tables, row) for row in rows or tables.sw)


def _sorted(tables: Tables) -> list[SwInterface]:
    return sorted(tables.sw, key=lambda row: (tables.hw_of(row).name, row.index))


def _summary(tables: Tables, row: SwInterface) -> str:
    state = _centered("up" if row.is_up else "down", 10)
    mtus = _centered("/".join(map(str, row.mtus)), 21)
    return f"{tables.name_of(row):<32}{_centered(str(row.index), 5)}{state}{mtus}\n"


def _centered(text: str, width: int) -> str:
    left = (width - len(text) + 1) // 2
    return " " * left + text + " " * (width - len(text) - left)


def _addresses(tables: Tables, row: SwInterface) -> str:
    lines = [f"{tables.name_of(row)} ({'up' if row.is_up else 'dn'}):\n"]
    for assigned in tables.ip4.of(row.index):
        lines.append(f"  L3 {ipaddress.IPv4Address(assigned.address)}/{assigned.length}\n")
    for assigned in tables.ip6.of(row.index):
        lines.append(f"  L3 {ipaddress.IPv6Address(assigned.address)}/{assigned.length}\n")
    return "".join(lines)


def _mode(tables: Tables, row: SwInterface) -> str:
    config = tables.l2.get(row.index)
    name = tables.name_of(row)
    if config is not None and config.bridge is not None:
        bd_id = tables.bridges.domains[config.bridge].bd_id
        shown = 0xFFFFFFFF if bd_id is None else bd_id
        return f"l2 bridge {name} bd_id {shown}{' bvi' if config.is_bvi else ''} shg {config.group}\n"
    if config is not None and config.xconnect_to is not None:
        target = tables.sw.get(config.xconnect_to)
        return f"l2 xconnect {name} {tables.name_of(target) if target else 'DELETED'}\n"
    return f"l3 {name}  \n"
