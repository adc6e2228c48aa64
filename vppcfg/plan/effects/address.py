"""Addresses, own and borrowed."""

from __future__ import annotations

from vppcfg.model.interface import Encapsulation, Interface
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.operations import AddAddress, RemoveAddress, SetUnnumbered, UnsetUnnumbered


def _cannot_route(interface: Interface) -> str | None:
    if interface.parent is not None:
        encapsulation = interface.encapsulation
        if not isinstance(encapsulation, Encapsulation) or not encapsulation.is_exact:
            return f"{interface.name} is not exact-match, so it takes no addresses"
    return f"{interface.name} is in L2 mode, where an address has no effect" if _is_switched(interface) else None


def _is_switched(interface: Interface) -> bool:
    return interface.is_l2 and not interface.is_bvi


@refusal_of.register
def _(operation: AddAddress, draft: Draft) -> str | None:
    interface = draft.interfaces[operation.interface]
    if interface.unnumbered is not None:
        return f"{interface.name} borrows addresses: one of its own would land on {interface.unnumbered}"
    owner = draft.address_index(interface, operation.address).conflict(interface.name, operation.address)
    return f"{operation.address} conflicts with an address of {owner}" if owner else _cannot_route(interface)


@effect_of.register
def _(operation: AddAddress, draft: Draft) -> None:
    interface = draft.interfaces[operation.interface]
    draft.address_index(interface, operation.address).add(interface.name, operation.address)
    draft.change(interface.name, addresses=interface.addresses | {operation.address})


@refusal_of.register
def _(operation: RemoveAddress, draft: Draft) -> str | None:
    if operation.address not in draft.interfaces[operation.interface].addresses:
        return f"{operation.interface} does not have {operation.address}"
    return None


@effect_of.register
def _(operation: RemoveAddress, draft: Draft) -> None:
    interface = draft.interfaces[operation.interface]
    draft.address_index(interface, operation.address).remove(operation.address)
    draft.change(interface.name, addresses=interface.addresses - {operation.address})


@refusal_of.register
def _(operation: SetUnnumbered, draft: Draft) -> str | None:
    interface = draft.interfaces[operation.interface]
    if operation.donor not in draft.interfaces:
        return f"{operation.donor} does not exist"
    if interface.addresses:
        return f"{interface.name} has addresses, which would vanish and still block"
    if interface.unnumbered is not None:
        return f"{interface.name} borrows from {interface.unnumbered}"
    return _cannot_route(interface)


@effect_of.register
def _(operation: SetUnnumbered, draft: Draft) -> None:
    draft.borrow(operation.interface, operation.donor)


@refusal_of.register
def _(operation: UnsetUnnumbered, draft: Draft) -> str | None:
    interface = draft.interfaces[operation.interface]
    return (
        None if interface.unnumbered == operation.donor else f"{interface.name} does not borrow from {operation.donor}"
    )


@effect_of.register
def _(operation: UnsetUnnumbered, draft: Draft) -> None:
    draft.borrow(operation.interface, None)
