"""MPLS (vnet/mpls)."""

from __future__ import annotations

from vppcfg.plan.operations import CreateMplsTable, SetMpls
from vppcfg.render.cli_lines.dispatch import line_of


@line_of.register
def _(operation: CreateMplsTable) -> str:
    return "mpls table add 0"


@line_of.register
def _(operation: SetMpls) -> str:
    return f"set interface mpls {operation.interface} {'enable' if operation.is_on else 'disable'}"
