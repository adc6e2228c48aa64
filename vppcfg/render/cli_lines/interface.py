"""State, MTUs, MAC and tag of any interface (vnet/interface_cli.c)."""

from __future__ import annotations

from vppcfg.plan.operations import SetAdminState, SetLinkMtu, SetMac, SetPacketMtu, SetTag
from vppcfg.render.cli_lines.dispatch import braced, line_of


@line_of.register
def _(operation: SetAdminState) -> str:
    return f"set interface state {operation.interface} {'up' if operation.is_up else 'down'}"


@line_of.register
def _(operation: SetLinkMtu) -> str:
    return f"set interface mtu {operation.mtu} {operation.interface}"


@line_of.register
def _(operation: SetPacketMtu) -> str | None:
    """Say it in one line, which zeroes the MTUs of the protocols; others cannot be said in the same breath."""
    if any(operation.protocol_mtus):
        return None
    return f"set interface mtu packet {operation.mtu} {operation.interface}"


@line_of.register
def _(operation: SetMac) -> str:
    return f"set interface mac address {operation.interface} {operation.mac}"


@line_of.register
def _(operation: SetTag) -> str:
    if not operation.tag:
        return f"clear interface tag {operation.interface}"
    return f"set interface tag {operation.interface} {braced(operation.tag)}"
