"""Static neighbours that Linux has on the device of an LCP pair and linux-nl brings into VPP: no file's, but Linux'.

`Neighbor.is_of_linux` marks them. A file that declares one has it for its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vppcfg.model.interface import Interface
from vppcfg.model.neighbor import in_order
from vppcfg.model.state import State
from vppcfg.record import evolve


def with_neighbors_of_linux(state: State) -> State:
    """Return an observed state with those neighbours marked that Linux has by its facts."""
    changed = {}
    for name in {name for name, _, _ in state.facts.linux_neighbors} & state.interfaces.keys():
        interface = state.interfaces[name]
        marked = tuple(
            replace(each, is_of_linux=(name, each.address, each.mac) in state.facts.linux_neighbors)
            for each in interface.neighbors
        )
        changed[name] = evolve(interface, neighbors=marked)
    return replace(state, interfaces={**state.interfaces, **changed}) if changed else state


def with_those_of(interface: Interface, there: Interface) -> Interface:
    """Return an interface with those of Linux' neighbours that it has now, as `there`, and no others have."""
    own = {each.address for each in interface.neighbors}
    more = [each for each in there.neighbors if each.is_of_linux and each.address not in own]
    return evolve(interface, neighbors=in_order((*interface.neighbors, *more))) if more else interface


def as_in_linux(target: State, now: State) -> State:
    """Return a state to reach with the neighbours that Linux has now, and none of those that it has no longer.

    On an interface whose pair is not there now they are as in `target`, and come with it.
    """
    if not now.facts.has_linux:
        return target
    changed = {}
    for name in _with_any(target) | _with_any(now):
        interface, there, pair = target.interfaces.get(name), now.interfaces.get(name), now.lcps.get(name)
        if interface is None or there is None or pair is None or not pair.has_host:
            continue
        kept = [
            each
            for each in interface.neighbors
            if not each.is_of_linux or (name, each.address, each.mac) in now.facts.linux_neighbors
        ]
        interface = evolve(interface, neighbors=tuple(kept))
        changed[name] = with_those_of(interface, there) if name in target.lcps else interface
    return replace(target, interfaces={**target.interfaces, **changed}) if changed else target


def without_those_of_linux(state: State) -> State:
    """Return a state with no neighbours of Linux."""
    changed = {}
    for name in _with_any(state):
        own = tuple(each for each in state.interfaces[name].neighbors if not each.is_of_linux)
        changed[name] = evolve(state.interfaces[name], neighbors=own)
    return replace(state, interfaces={**state.interfaces, **changed}) if changed else state


def left_in_linux(state: State) -> Iterator[str]:
    """Yield a sentence for each neighbour of Linux, which no configuration sets."""
    for name in sorted(_with_any(state)):
        for each in state.interfaces[name].neighbors:
            if each.is_of_linux:
                yield f"the static neighbour {each.address} on {name} is Linux': left out of the configuration"


def _with_any(state: State) -> set[str]:
    return {
        name
        for name, interface in state.interfaces.items()
        if interface.neighbors and any(each.is_of_linux for each in interface.neighbors)
    }
