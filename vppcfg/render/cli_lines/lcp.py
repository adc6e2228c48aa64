"""Linux Control Plane pairs (linux-cp/lcp_cli.c)."""

from __future__ import annotations

from vppcfg.plan.operations import CreateLcpPair, DeleteLcpPair
from vppcfg.render.cli_lines.dispatch import line_of


@line_of.register
def _(operation: CreateLcpPair) -> str:
    netns = "" if operation.is_default_netns else f" netns {operation.netns}"
    return f"lcp create {operation.interface} host-if {operation.host_name}{netns}"


@line_of.register
def _(operation: DeleteLcpPair) -> str:
    return f"lcp delete {operation.interface}"
