"""Static neighbours: those that go, and those that come once the interface is where it is to be."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.plan.operations import RemoveNeighbor, SetNeighbor
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that take neighbours out and enter them; those of an interface that is deleted go with it."""
    after, kept = transition.desired.interfaces.get(name), transition.kept(name)
    if after is None:
        return
    old = {each.address: each for each in kept.neighbors} if kept is not None else {}
    new = {each.address: each for each in after.neighbors}
    for address, each in old.items():
        if address not in new or each.has_route != new[address].has_route:
            remove = RemoveNeighbor(interface=name, address=address, mac=each.mac)
            yield Step(stage=Stage.TURN_OFF, operation=remove)
    for address, each in new.items():
        if old.get(address) != each:
            enter = SetNeighbor(interface=name, address=address, mac=each.mac, has_route=each.has_route)
            yield Step(stage=Stage.SET_NEIGHBOR, operation=enter)
