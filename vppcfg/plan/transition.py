"""Everything that expanding changes into steps needs to know about the way from one state to another."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.model.interface import Interface
from vppcfg.model.state import State
from vppcfg.plan.diff import Action, Difference


class Transition:
    """Two states, their difference, and the indexes that make looking up cheap."""

    def __init__(self, observed: State, desired: State, difference: Difference) -> None:
        self.observed = observed
        self.desired = desired
        self.difference = difference
        changes = difference.interfaces.values()
        self.doomed = frozenset(c.name for c in changes if c.action in (Action.DELETE, Action.REPLACE))
        """Interfaces that are deleted, to come back or not."""
        self.born = frozenset(c.name for c in changes if c.action in (Action.CREATE, Action.REPLACE))
        """Interfaces that are created, new or anew."""
        self.desired_children = desired.sub_interfaces_by_parent()
        self.sources = _sources_by_target(observed.interfaces.values())
        """Interfaces that send to each cross-connect target, as observed."""

    def kept(self, name: str) -> Interface | None:
        """Return the observed interface of that name unless it is deleted on the way."""
        return None if name in self.doomed else self.observed.interfaces.get(name)


def _sources_by_target(interfaces: Iterable[Interface]) -> dict[str, list[str]]:
    sources: dict[str, list[str]] = {}
    for interface in interfaces:
        if interface.l2xc is not None:
            sources.setdefault(interface.l2xc, []).append(interface.name)
    return sources
