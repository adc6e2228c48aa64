"""Addresses: unwanted ones go, everywhere, before any new one comes, because VPP refuses overlaps.

Where it would not, an address stays until the interface has those that come in its place.

An interface that moves to another FIB table loses its addresses of that family before and gets them again after.
Borrowing ends before own addresses come and begins after they are gone: VPP would put an address of a borrower on
its donor, and hide those that a borrower still has (vnet/ip/ip_interface.c).
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.addresses import address_key
from vppcfg.model.interface import Interface
from vppcfg.plan.operations import AddAddress, RemoveAddress, SetUnnumbered, UnsetUnnumbered
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that remove the addresses that an interface loses and add those that it gains."""
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    observed = before.addresses if before else frozenset()
    desired = after.addresses if after else frozenset()
    is_deleted, replaced = name in transition.to_delete, transition.replaced_addresses(name)
    removed, added = (observed, desired) if is_deleted else (observed - desired, desired - observed)
    removed, added = removed | replaced, added | replaced
    for address in sorted(removed, key=address_key) if removed else ():
        may_wait = not is_deleted and before and after and transition.may_outlast(address, before, after)
        stage = Stage.REMOVE_REPLACED_ADDRESS if may_wait else Stage.REMOVE_ADDRESS
        yield Step(stage=stage, operation=RemoveAddress(interface=name, address=address))
    for address in sorted(added, key=address_key) if added else ():
        yield Step(stage=Stage.ADD_ADDRESS, operation=AddAddress(interface=name, address=address))
    yield from _borrowing(transition, before, after)


def _borrowing(transition: Transition, before: Interface | None, after: Interface | None) -> Iterator[Step]:
    old = before.unnumbered if before else None
    new = after.unnumbered if after else None
    is_broken = before is not None and (before.name in transition.to_delete or transition.breaks_borrowing(before))
    if old == new and not is_broken:
        return
    if before is not None and old is not None:
        unset = UnsetUnnumbered(interface=before.name, donor=old)
        yield Step(stage=Stage.UNSET_UNNUMBERED, operation=unset)
    if after is not None and new is not None:
        yield Step(stage=Stage.SET_UNNUMBERED, operation=SetUnnumbered(interface=after.name, donor=new))
