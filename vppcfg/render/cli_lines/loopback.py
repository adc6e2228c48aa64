"""Loopbacks (vnet/ethernet/interface.c)."""

from __future__ import annotations

from vppcfg.plan.operations import CreateLoopback, DeleteLoopback
from vppcfg.render.cli_lines.dispatch import line_of


@line_of.register
def _(operation: CreateLoopback) -> str:
    mac = f" mac {operation.mac}" if operation.mac else ""
    return f"create loopback interface{mac} instance {operation.instance}"


@line_of.register
def _(operation: DeleteLoopback) -> str:
    return f"delete loopback interface intfc {operation.interface}"
