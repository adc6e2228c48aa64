"""Addresses: all unwanted ones go, everywhere, before any new one comes, because VPP refuses overlaps."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.address import address_key
from vppcfg.plan.diff import InterfaceChange
from vppcfg.plan.operations import AddAddress, RemoveAddress
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, change: InterfaceChange) -> Iterator[Step]:
    """Yield the steps that remove the addresses that an interface loses and add those that it gains."""
    name = change.name
    observed = change.before.addresses if change.before else frozenset()
    desired = change.after.addresses if change.after else frozenset()
    is_doomed = name in transition.doomed
    unwanted, wanted = (observed, desired) if is_doomed else (observed - desired, desired - observed)
    for address in sorted(unwanted, key=address_key):
        yield Step(stage=Stage.REMOVE_ADDRESS, operation=RemoveAddress(interface=name, address=address))
    for address in sorted(wanted, key=address_key):
        yield Step(stage=Stage.ADD_ADDRESS, operation=AddAddress(interface=name, address=address))
