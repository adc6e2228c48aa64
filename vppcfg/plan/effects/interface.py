"""State, MTUs, MAC and tag of any interface."""

from __future__ import annotations

from vppcfg.model.device import FIXED_LINK_MTU
from vppcfg.model.interface import must_be_down_for_link_mtu
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.operations import SetAdminState, SetLinkMtu, SetMac, SetPacketMtu, SetTag


@refusal_of.register
def _(operation: SetAdminState, draft: Draft) -> str | None:
    parent = draft.interfaces[operation.interface].parent
    if operation.is_up and parent is not None and not draft.interfaces[parent].is_up:
        return f"{operation.interface} cannot come up while {parent} is down"
    return None


@effect_of.register
def _(operation: SetAdminState, draft: Draft) -> None:
    draft.change(operation.interface, is_up=operation.is_up)


@refusal_of.register
def _(operation: SetLinkMtu, draft: Draft) -> str | None:
    interface = draft.interfaces[operation.interface]
    if interface.link_mtu is None or interface.device_class in FIXED_LINK_MTU:
        return f"{operation.interface} has no link MTU that can be set"
    is_change = interface.link_mtu != operation.mtu
    if interface.is_up and is_change and must_be_down_for_link_mtu(interface):
        return f"{operation.interface} is up, and its driver may refuse a new link MTU then"
    return None


@effect_of.register
def _(operation: SetLinkMtu, draft: Draft) -> None:
    name = operation.interface
    if draft.interfaces[name].link_mtu == operation.mtu:
        return
    draft.change(name, link_mtu=operation.mtu)
    for overwritten in (name, *draft.stacking.on_port(name)):
        draft.change(overwritten, packet_mtu=operation.mtu)


@refusal_of.register
def _(operation: SetPacketMtu, draft: Draft) -> str | None:
    return None


@effect_of.register
def _(operation: SetPacketMtu, draft: Draft) -> None:
    draft.change(operation.interface, packet_mtu=operation.mtu, protocol_mtus=operation.protocol_mtus)


@refusal_of.register
def _(operation: SetMac, draft: Draft) -> str | None:
    if operation.interface in draft.lcps:
        return f"{operation.interface} has an LCP pair, whose Linux device would keep the old MAC"
    return None


@effect_of.register
def _(operation: SetMac, draft: Draft) -> None:
    draft.change(operation.interface, mac=operation.mac)


@refusal_of.register
def _(operation: SetTag, draft: Draft) -> str | None:
    return None


@effect_of.register
def _(operation: SetTag, draft: Draft) -> None:
    draft.change(operation.interface, tag=operation.tag)
