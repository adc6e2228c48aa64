"""VXLAN tunnels (plugins/vxlan/vxlan.c)."""

from __future__ import annotations

from vppcfg.plan.operations import CreateVxlan, DeleteVxlan
from vppcfg.render.cli_lines.dispatch import line_of


@line_of.register
def _(operation: CreateVxlan) -> str:
    return f"{_tunnel(operation)} decap-next l2"


@line_of.register
def _(operation: DeleteVxlan) -> str:
    return f"{_tunnel(operation)} del"


def _tunnel(operation: CreateVxlan | DeleteVxlan) -> str:
    ends = f"src {operation.local} dst {operation.remote}"
    return f"create vxlan tunnel {ends} instance {operation.instance} vni {operation.vni}"
