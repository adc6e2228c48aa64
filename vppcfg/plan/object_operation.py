"""The two operations that every kind of object has: one sets an object, new or instead of another, one removes it."""

from __future__ import annotations

from vppcfg.model.state import State
from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.plan.operation import Operation, Predicate
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record


@record
class SetObject(Operation):
    """Create an object, or replace the one of its name."""

    thing: VppObject

    @property
    def subject(self) -> str:
        """Return the name of the object."""
        return self.thing.name

    def _refusal(self, draft: WorkingState) -> str | None:
        if not self.thing.is_replaceable and self.thing.name in draft.objects.get(type(self.thing), {}):
            return f"there is a {self.thing.noun} {self.thing.name} already"
        missing = next((each for each in self.thing.references() if not draft.has(each)), None)
        return None if missing is None else f"there is no {missing}"

    def apply_to(self, draft: WorkingState) -> None:
        """Enter the object."""
        draft.set_object(self.thing)

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return what it does to its object."""
        is_new = self.subject not in observed.of(type(self.thing))
        return Predicate("is set", "are set") if is_new else Predicate("changes", "change")


@record
class RemoveObject(Operation):
    """Remove an object."""

    thing: VppObject

    @property
    def subject(self) -> str:
        """Return the name of the object."""
        return self.thing.name

    def _refusal(self, draft: WorkingState) -> str | None:
        if draft.objects.get(type(self.thing), {}).get(self.thing.name) != self.thing:
            return f"there is no such {self.thing.label}"
        others = draft.referring.get(Reference(Referent.OBJECT, self.thing.label))
        return f"{min(others)} refers to {self.thing.label}" if others else None

    def apply_to(self, draft: WorkingState) -> None:
        """Take the object out."""
        draft.remove_object(self.thing)

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return what it does to its object."""
        return Predicate("is removed", "are removed")
