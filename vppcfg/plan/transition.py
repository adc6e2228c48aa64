"""What the modules of `steps` look up about the way from one state to another."""

from __future__ import annotations

from vppcfg.model.bond import Bond
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
        self.created = frozenset(c.name for c in changes if c.action in (Action.CREATE, Action.REPLACE))
        """Interfaces that are created, new or anew."""
        pairs = difference.lcps.items()
        self.doomed_pairs = frozenset(name for name, c in pairs if c.before is not None and c.before.has_host)
        """Interfaces whose LCP pair, a whole one, is deleted, to come back or not."""
        self.shifting = frozenset(c.name for c in changes if c.action is Action.UPDATE and _shifts(c.before, c.after))
        """Interfaces whose unnumbered users must be set again.

        VPP notes the donor's first address when unnumbered is set, and does not follow later changes
        (vnet/interface.c).
        """
        self.leaving = self._leaving()
        """Interfaces that leave a bond, for good or to join again, and then have a MAC that nobody could read."""
        self.desired_children = desired.sub_interfaces_by_parent()
        self.touched = self._touched()
        """Names of the interfaces that need steps: those that change, and those that refer to a doomed one."""

    def kept(self, name: str) -> Interface | None:
        """Return the observed interface of that name unless it is deleted on the way."""
        return None if name in self.doomed else self.observed.interfaces.get(name)

    def _leaving(self) -> frozenset[str]:
        leaving: set[str] = set()
        for name, bond in self.observed.made_as(Bond).items():
            after = self.desired.making(name, Bond)
            staying = after.members.keys() if after is not None and name not in self.doomed else set()
            leaving.update(bond.members.keys() - staying)
        return frozenset(leaving)

    def breaks_borrowing(self, interface: Interface) -> bool:
        """Return whether an interface cannot go on borrowing addresses as it does."""
        donor = interface.unnumbered
        return donor is not None and (donor in self.doomed or donor in self.shifting)

    def _touched(self) -> list[str]:
        changed = self.difference.interfaces
        if not (self.doomed or self.shifting or self.doomed_pairs or self.leaving):
            return list(changed)
        referring = [
            interface.name
            for interface in self.observed.interfaces.values()
            if interface.l2xc in self.doomed
            or self.breaks_borrowing(interface)
            or (interface.has_mpls and interface.name in self.doomed_pairs)
        ]
        made = self.observed.made_as(Bond)
        bonds = (name for name, bond in made.items() if not self.doomed.isdisjoint(bond.members))
        return list(dict.fromkeys([*changed, *referring, *bonds, *sorted(self.leaving)]))


def _shifts(before: Interface | None, after: Interface | None) -> bool:
    """Return whether unnumbered users of an interface would be left with an address that is gone, or without a new one.

    A user points at the first address that the donor had when unnumbered was set. It does not see one that comes later
    in a family that had none, and points nowhere when its own goes.
    """
    if before is None or after is None:
        return False
    return bool(before.addresses - after.addresses) or _families(before) != _families(after)


def _families(interface: Interface) -> set[bool]:
    return {":" in address for address in interface.addresses}
