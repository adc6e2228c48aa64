"""Bridge domains (vnet/l2/l2_bd.c)."""

from __future__ import annotations

from vppcfg.plan.operations import BridgeFlag, CreateBridge, DeleteBridge, SetBridgeFlag, SetBridgeMacAge
from vppcfg.render.cli_lines.dispatch import braced, line_of

_WHEN_MADE = {
    "learn": BridgeFlag.LEARN,
    "forward": BridgeFlag.UNICAST_FORWARD,
    "uu-flood": BridgeFlag.UNKNOWN_UNICAST_FLOOD,
    "flood": BridgeFlag.UNICAST_FLOOD,
    "arp-term": BridgeFlag.ARP_TERMINATION,
    "arp-ufwd": BridgeFlag.ARP_UNICAST_FORWARD,
}
_LATER = {flag: word for word, flag in _WHEN_MADE.items()} | {BridgeFlag.ARP_TERMINATION: "arp term"}


@line_of.register
def _(operation: CreateBridge) -> str:
    settings = operation.settings
    words = [f"{word} {int(getattr(settings, flag.value))}" for word, flag in _WHEN_MADE.items()]
    words.append(f"mac-age {settings.mac_age_minutes}")
    if operation.tag:
        words.append(f"bd-tag {braced(operation.tag)}")
    return f"create bridge-domain {operation.bd_id} {' '.join(words)}"


@line_of.register
def _(operation: DeleteBridge) -> str:
    return f"create bridge-domain {operation.bd_id} del"


@line_of.register
def _(operation: SetBridgeFlag) -> str:
    line = f"set bridge-domain {_LATER[operation.flag]} {operation.bd_id}"
    return line if operation.is_on else f"{line} disable"


@line_of.register
def _(operation: SetBridgeMacAge) -> str:
    return f"set bridge-domain mac-age {operation.bd_id} {operation.minutes}"
