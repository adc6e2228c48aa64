"""What each operation demands of a state and does to it, as VPP does: proofs and reverse plans are made of this.

`refusal` says why VPP would refuse an operation, or why it would leave something dangling; `carry_out` does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import singledispatch

from vppcfg.model.device import FIXED_LINK_MTU, LINK_MTU_WHILE_UP
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, evolve
from vppcfg.model.lcp import LcpPair
from vppcfg.plan.draft import Draft
from vppcfg.plan.operations import (
    AddAddress,
    CreateLcpPair,
    CreateSubInterface,
    DeleteLcpPair,
    DeleteSubInterface,
    LeaveL2,
    Operation,
    RemoveAddress,
    SetAdminState,
    SetCrossConnect,
    SetLinkMtu,
    SetPacketMtu,
    SetTag,
    SetTagRewrite,
)


def refusal(operation: Operation, draft: Draft) -> str | None:
    """Return why the operation must not meet this state, or None when it may."""
    name = getattr(operation, "interface", None)
    if name is not None and not isinstance(operation, CreateSubInterface) and name not in draft.interfaces:
        return f"{name} does not exist"
    return _refusal(operation, draft)


def carry_out(operation: Operation, draft: Draft) -> None:
    """Change the draft as VPP changes when it carries the operation out."""
    _carry_out(operation, draft)


def born_sub_interface(operation: CreateSubInterface) -> Interface:
    """Return a sub-interface as VPP makes it: down, with its parent's MTU (vnet/interface.c, create_subif)."""
    return Interface(
        name=operation.interface,
        kind=InterfaceKind.SUB_INTERFACE,
        parent=operation.parent,
        sub_id=operation.sub_id,
        encapsulation=operation.encapsulation,
    )


def dependent_pairs(interface: Interface, interfaces: Mapping[str, Interface], siblings: Iterable[str]) -> set[str]:
    """Return the sub-interfaces whose LCP pair hangs on that of `interface`, out of all on its port, `siblings`.

    All pairs on a port hang on that of the port; a two-tag pair also on the one-tag pair with the same outer tag
    (linux-cp/lcp_interface.c, lcp_itf_pair_create).
    """
    if interface.parent is None:
        return set(siblings)
    outer = interface.encapsulation
    return {name for name in siblings if _carries(outer, interfaces[name].encapsulation)}


def _carries(outer: object, inner: object) -> bool:
    return isinstance(outer, Encapsulation) and isinstance(inner, Encapsulation) and outer.carries(inner)


@singledispatch
def _refusal(operation: Operation, draft: Draft) -> str | None:
    raise NotImplementedError(type(operation).__name__)


@singledispatch
def _carry_out(operation: Operation, draft: Draft) -> None:
    raise NotImplementedError(type(operation).__name__)


@_refusal.register
def _(operation: SetAdminState, draft: Draft) -> str | None:
    parent = draft.interfaces[operation.interface].parent
    if operation.is_up and parent is not None and not draft.interfaces[parent].is_up:
        return f"{operation.interface} cannot come up while {parent} is down"
    return None


@_carry_out.register
def _(operation: SetAdminState, draft: Draft) -> None:
    name = operation.interface
    draft.interfaces[name] = evolve(draft.interfaces[name], is_up=operation.is_up)


@_refusal.register
def _(operation: CreateSubInterface, draft: Draft) -> str | None:
    if operation.interface in draft.interfaces:
        return f"{operation.interface} exists"
    if operation.parent not in draft.interfaces:
        return f"{operation.parent} does not exist"
    other = draft.matches.get((operation.parent, operation.encapsulation.tags))
    return f"{other} matches the same tags" if other else None


@_carry_out.register
def _(operation: CreateSubInterface, draft: Draft) -> None:
    draft.add_interface(born_sub_interface(operation))


@_refusal.register
def _(operation: DeleteSubInterface, draft: Draft) -> str | None:
    name = operation.interface
    interface = draft.interfaces[name]
    if name in draft.lcps:
        return f"{name} has an LCP pair"
    if interface.addresses:
        return f"{name} has addresses"
    if interface.is_l2 or draft.cross_connected_to.get(name):
        return f"{name} is in L2 mode, or another interface sends to it"
    return f"{name} is up" if interface.is_up else None


@_carry_out.register
def _(operation: DeleteSubInterface, draft: Draft) -> None:
    draft.remove_interface(operation.interface)


@_refusal.register
def _(operation: SetLinkMtu, draft: Draft) -> str | None:
    interface = draft.interfaces[operation.interface]
    if interface.link_mtu is None or interface.device_class in FIXED_LINK_MTU:
        return f"{operation.interface} has no link MTU that can be set"
    if interface.is_up and interface.link_mtu != operation.mtu and interface.device_class not in LINK_MTU_WHILE_UP:
        return f"{operation.interface} is up, and its driver may refuse a new link MTU then"
    return None


@_carry_out.register
def _(operation: SetLinkMtu, draft: Draft) -> None:
    name = operation.interface
    if draft.interfaces[name].link_mtu == operation.mtu:
        return
    draft.interfaces[name] = evolve(draft.interfaces[name], link_mtu=operation.mtu)
    for overwritten in (name, *draft.sub_interfaces.get(name, ())):
        draft.interfaces[overwritten] = evolve(draft.interfaces[overwritten], packet_mtu=operation.mtu)


@_refusal.register
def _(operation: SetPacketMtu, draft: Draft) -> str | None:
    return None


@_carry_out.register
def _(operation: SetPacketMtu, draft: Draft) -> None:
    name = operation.interface
    draft.interfaces[name] = evolve(
        draft.interfaces[name], packet_mtu=operation.mtu, protocol_mtus=operation.protocol_mtus
    )


@_refusal.register
def _(operation: AddAddress, draft: Draft) -> str | None:
    interface = draft.interfaces[operation.interface]
    if interface.parent is not None:
        encapsulation = interface.encapsulation
        if not isinstance(encapsulation, Encapsulation) or not encapsulation.is_exact:
            return f"{interface.name} is not exact-match, so it takes no addresses"
    if interface.is_l2:
        return f"{interface.name} is in L2 mode, where an address has no effect"
    owner = draft.address_index(interface, operation.address).conflict(interface.name, operation.address)
    return f"{operation.address} conflicts with an address of {owner}" if owner else None


@_carry_out.register
def _(operation: AddAddress, draft: Draft) -> None:
    interface = draft.interfaces[operation.interface]
    draft.address_index(interface, operation.address).add(interface.name, operation.address)
    draft.interfaces[interface.name] = evolve(interface, addresses=interface.addresses | {operation.address})


@_refusal.register
def _(operation: RemoveAddress, draft: Draft) -> str | None:
    if operation.address not in draft.interfaces[operation.interface].addresses:
        return f"{operation.interface} does not have {operation.address}"
    return None


@_carry_out.register
def _(operation: RemoveAddress, draft: Draft) -> None:
    interface = draft.interfaces[operation.interface]
    draft.address_index(interface, operation.address).remove(operation.address)
    draft.interfaces[interface.name] = evolve(interface, addresses=interface.addresses - {operation.address})


@_refusal.register
def _(operation: CreateLcpPair, draft: Draft) -> str | None:
    name = operation.interface
    if name in draft.lcps:
        return f"{name} has an LCP pair"
    holder = draft.linux_names.get((operation.netns, operation.host_name))
    if holder is not None:
        return f"the Linux name {operation.host_name} is held by {holder}"
    return _missing_carrier(draft.interfaces[name], draft)


def _missing_carrier(interface: Interface, draft: Draft) -> str | None:
    """Return what a sub-interface lacks for an LCP pair of its own."""
    if interface.parent is None:
        return None
    encapsulation = interface.encapsulation
    if not isinstance(encapsulation, Encapsulation) or not encapsulation.is_exact:
        return f"{interface.name} is not exact-match, so it takes no LCP"
    if not _has_working_pair(interface.parent, draft):
        return f"{interface.parent} has no LCP pair"
    if encapsulation.tag_count == 1:
        return None
    for sibling in draft.sub_interfaces[interface.parent]:
        if _carries(draft.interfaces[sibling].encapsulation, encapsulation) and _has_working_pair(sibling, draft):
            return None
    return f"no sub-interface with the outer tag of {interface.name} has an LCP pair"


def _has_working_pair(name: str, draft: Draft) -> bool:
    return name in draft.lcps and draft.lcps[name].has_host


@_carry_out.register
def _(operation: CreateLcpPair, draft: Draft) -> None:
    draft.add_pair(operation.interface, LcpPair(host_name=operation.host_name, netns=operation.netns))


@_refusal.register
def _(operation: DeleteLcpPair, draft: Draft) -> str | None:
    name = operation.interface
    if name not in draft.lcps:
        return f"{name} has no LCP pair"
    interface = draft.interfaces[name]
    siblings = draft.sub_interfaces.get(interface.parent or name, set())
    left = sorted(dependent_pairs(interface, draft.interfaces, siblings) & draft.lcps.keys())
    return f"the LCP pair of {left[0]} hangs on that of {name}" if left else None


@_carry_out.register
def _(operation: DeleteLcpPair, draft: Draft) -> None:
    draft.remove_pair(operation.interface)


@_refusal.register
def _(operation: SetCrossConnect, draft: Draft) -> str | None:
    return None if operation.target in draft.interfaces else f"{operation.target} does not exist"


@_carry_out.register
def _(operation: SetCrossConnect, draft: Draft) -> None:
    draft.cross_connect(operation.interface, operation.target)


@_refusal.register
def _(operation: LeaveL2, draft: Draft) -> str | None:
    return None if draft.interfaces[operation.interface].is_l2 else f"{operation.interface} is not in L2 mode"


@_carry_out.register
def _(operation: LeaveL2, draft: Draft) -> None:
    name = operation.interface
    draft.cross_connect(name, None)
    draft.interfaces[name] = evolve(draft.interfaces[name], tag_rewrite=None)


@_refusal.register
def _(operation: SetTagRewrite, draft: Draft) -> str | None:
    return None


@_carry_out.register
def _(operation: SetTagRewrite, draft: Draft) -> None:
    name = operation.interface
    draft.interfaces[name] = evolve(draft.interfaces[name], tag_rewrite=operation.tag_rewrite)


@_refusal.register
def _(operation: SetTag, draft: Draft) -> str | None:
    return None


@_carry_out.register
def _(operation: SetTag, draft: Draft) -> None:
    name = operation.interface
    draft.interfaces[name] = evolve(draft.interfaces[name], tag=operation.tag)
