"""Addresses, own and borrowed (vnet/ip/ip46_cli.c, vnet/interface_cli.c)."""

from __future__ import annotations

from vppcfg.plan.operations import AddAddress, RemoveAddress, SetUnnumbered, UnsetUnnumbered
from vppcfg.render.cli_lines.dispatch import line_of


@line_of.register
def _(operation: AddAddress) -> str:
    return f"set interface ip address {operation.interface} {operation.address}"


@line_of.register
def _(operation: RemoveAddress) -> str:
    return f"set interface ip address del {operation.interface} {operation.address}"


@line_of.register
def _(operation: SetUnnumbered) -> str:
    return f"set interface unnumbered {operation.interface} use {operation.donor}"


@line_of.register
def _(operation: UnsetUnnumbered) -> str:
    return f"set interface unnumbered del {operation.interface}"
