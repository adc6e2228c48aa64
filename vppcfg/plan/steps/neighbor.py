"""Static neighbours: those that go, and those that come once the interface is where it is to be."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.plan.operations import RemoveNeighbor, SetNeighbor
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that take neighbours out and enter them.

    Those of an interface that is deleted are taken out before it: VPP leaves them to the next one with its index, and
    ends when it meets one before there is such an interface (up to 25.10, vnet/ip-neighbor/ip_neighbor.c).
    """
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    is_deleted = name in transition.to_delete
    old = {each.address: each for each in before.neighbors} if before is not None else {}
    new = {each.address: each for each in after.neighbors} if after is not None else {}
    for address, each in old.items():
        if is_deleted or address not in new or each.has_route != new[address].has_route:
            remove = RemoveNeighbor(interface=name, address=address, mac=each.mac)
            yield Step(stage=Stage.TURN_OFF, operation=remove)
    for address, each in new.items():
        if is_deleted or old.get(address) != each:
            enter = SetNeighbor(interface=name, address=address, mac=each.mac, has_route=each.has_route)
            yield Step(stage=Stage.SET_NEIGHBOR, operation=enter)
