"""The Linux side as `ip` commands (iproute2), in comments: VPP's prompt passes over them, a person can run them."""

from __future__ import annotations

from vppcfg.plan.operations import CreateLinuxBridge, CreateNamespace, SetLinuxBridge, SetLinuxLink
from vppcfg.render.cli_lines.dispatch import line_of


def _ip(netns: str) -> str:
    return f"ip -n {netns} link" if netns else "ip link"


@line_of.register
def _(operation: CreateNamespace) -> str:
    return f"comment {{ vppcfg: ip netns add {operation.netns} }}"


@line_of.register
def _(operation: CreateLinuxBridge) -> str:
    return f"comment {{ vppcfg: {_ip(operation.netns)} add {operation.bridge} up type bridge }}"


@line_of.register
def _(operation: SetLinuxLink) -> str:
    state = "up" if operation.is_up else "down"
    return f"comment {{ {_ip(operation.netns)} set {operation.host_name} mtu {operation.mtu} {state} }}"


@line_of.register
def _(operation: SetLinuxBridge) -> str:
    master = f"master {operation.bridge}" if operation.bridge else "nomaster"
    return f"comment {{ {_ip(operation.netns)} set {operation.host_name} {master} }}"
