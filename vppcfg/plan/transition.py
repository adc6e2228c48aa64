"""Everything that expanding changes into steps needs to know about the way from one state to another."""

from __future__ import annotations

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
        self.touched = self._touched()
        """Names of the interfaces that need steps: those that change, and those that refer to a doomed one."""

    def kept(self, name: str) -> Interface | None:
        """Return the observed interface of that name unless it is deleted on the way."""
        return None if name in self.doomed else self.observed.interfaces.get(name)

    def _touched(self) -> list[str]:
        changed = self.difference.interfaces
        if not self.doomed:
            return list(changed)
        referring = [
            interface.name
            for interface in self.observed.interfaces.values()
            if interface.name not in changed and (interface.l2xc in self.doomed or interface.unnumbered in self.doomed)
        ]
        bonds = (name for name, bond in self.observed.bonds.items() if not self.doomed.isdisjoint(bond.members))
        return list(dict.fromkeys([*changed, *referring, *bonds]))
