"""The two operations that every kind of object has: one sets an object, new or instead of another, one removes it."""

from __future__ import annotations

from vppcfg.model.state import State
from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.operations.operation import Operation, Predicate
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record


@record
class SetObject(Operation):
    """Create an object, or replace the one of its name."""

    item: VppObject

    @property
    def subject(self) -> str:
        return self.item.name

    def _refusal(self, working: WorkingState) -> str | None:
        if not self.item.is_replaceable and self.item.name in working.objects.get(type(self.item), {}):
            return f"there is a {self.item.noun} {self.item.name} already"
        missing = next((each for each in self.item.references() if not working.has(each)), None)
        return None if missing is None else f"there is no {missing}"

    def apply_to(self, working: WorkingState) -> None:
        working.set_object(self.item)

    def effect(self, observed: State, desired: State) -> Predicate:
        is_new = self.subject not in observed.of(type(self.item))
        return Predicate("is set", "are set") if is_new else Predicate("changes", "change")


@record
class RemoveObject(Operation):
    """Remove an object."""

    item: VppObject

    @property
    def subject(self) -> str:
        return self.item.name

    def _refusal(self, working: WorkingState) -> str | None:
        if working.objects.get(type(self.item), {}).get(self.item.name) != self.item:
            return f"there is no such {self.item.label}"
        others = working.referring.get(Reference(Referent.OBJECT, self.item.label))
        return f"{min(others)} refers to {self.item.label}" if others else None

    def apply_to(self, working: WorkingState) -> None:
        working.remove_object(self.item)

    def effect(self, observed: State, desired: State) -> Predicate:
        is_set_anew = self.subject in desired.of(type(self.item))
        return Predicate("is set anew", "are set anew") if is_set_anew else Predicate("is removed", "are removed")
