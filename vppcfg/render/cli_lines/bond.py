"""Bonds and their members (vnet/bonding/cli.c)."""

from __future__ import annotations

from vppcfg.plan.operations import AddBondMember, CreateBond, DeleteBond, RemoveBondMember, SetBondWeight
from vppcfg.render.cli_lines.dispatch import line_of


@line_of.register
def _(operation: CreateBond) -> str:
    words = ["create bond mode", operation.mode.value]
    if operation.load_balance is not None:
        words.append(f"load-balance {operation.load_balance.value}")
    if operation.is_numa_only:
        words.append("numa-only")
    if operation.mac:
        words.append(f"hw-addr {operation.mac}")
    words.append(f"id {operation.instance}")
    return " ".join([*words, "gso"] if operation.has_gso else words)


@line_of.register
def _(operation: DeleteBond) -> str:
    return f"delete bond {operation.interface}"


@line_of.register
def _(operation: AddBondMember) -> str:
    words = ["bond add", operation.bond, operation.interface]
    words += ["passive"] if operation.is_passive else []
    return " ".join([*words, "long-timeout"] if operation.is_long_timeout else words)


@line_of.register
def _(operation: SetBondWeight) -> str:
    return f"set interface bond {operation.interface} weight {operation.weight}"


@line_of.register
def _(operation: RemoveBondMember) -> str:
    return f"bond del {operation.interface}"
