"""The base of operations that set features of interfaces, and how a plan turns a feature on and off."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, ClassVar, NamedTuple

from vppcfg.model.interface import FEATURE_DEFAULTS, FEATURES
from vppcfg.model.state import State
from vppcfg.operations.operation import InterfaceOperation, Predicate
from vppcfg.operations.stages import Stage
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record


@record
class SetFeature(InterfaceOperation):
    """An operation that sets a feature of an interface, or one part of it."""

    attribute: ClassVar[str]
    """Of Interface, a key of FEATURES."""
    is_plural: ClassVar[bool] = False
    """Whether FEATURES names it in the plural."""
    is_value: ClassVar[bool] = False
    """Whether it is set to something rather than on."""

    @property
    def part(self) -> Hashable:
        """Return which part of the feature it sets; a plan sets each once."""
        return ()

    @property
    def inverse(self) -> SetFeature:
        """Return the operation that turns off what this one sets."""
        raise NotImplementedError(type(self).__name__)

    @property
    def undoing(self) -> tuple[SetFeature, ...]:
        """Return the operations that do so, where it takes several."""
        return (self.inverse,)

    @property
    def looks_at_frames(self) -> bool:
        """Return whether VPP forgets it when the interface is put into L2 mode, so that it is set again."""
        return False

    @property
    def needs(self) -> str | None:
        """Return another interface on which it hangs."""
        return None

    def replaces(self, former: SetFeature) -> bool:
        """Return whether VPP takes it where `former` has set the same part, which otherwise is undone before."""
        return True

    def applied(self, value: Any) -> Any:
        """Return what the attribute is after this, where it was `value` before."""
        raise NotImplementedError(type(self).__name__)

    def apply_to(self, working: WorkingState) -> None:
        value = self.applied(getattr(working.interfaces[self.interface], self.attribute))
        working.change(self.interface, **{self.attribute: value})

    def effect(self, observed: State, desired: State) -> Predicate:
        off = FEATURE_DEFAULTS[self.attribute]
        ends = (observed.interfaces.get(self.interface), desired.interfaces.get(self.interface))
        was, will = (end is not None and getattr(end, self.attribute) != off for end in ends)
        on, off_again = ("set", "removed") if self.is_value else ("enabled", "disabled")
        return self._becomes("changed" if was == will else on if will else off_again)

    def _becomes(self, what: str) -> Predicate:
        """Return that the feature is enabled, disabled and so on."""
        name, verb = FEATURES[self.attribute], "are" if self.is_plural else "is"
        clause = f"{name} {verb} {what}"
        return Predicate(f"has {name} {what}", f"have {name} {what}", (clause, clause))


@record
class Switch(SetFeature):
    """An operation that turns a feature on or off."""

    is_on: bool

    @property
    def inverse(self) -> Switch:
        """Return the operation that turns it off."""
        return type(self)(interface=self.interface, is_on=False)

    def applied(self, value: Any) -> bool:
        return self.is_on

    def _refusal(self, working: WorkingState) -> str | None:
        if getattr(working.interfaces[self.interface], self.attribute) != self.is_on:
            return None
        return f"{FEATURES[self.attribute]} on {self.interface} is {'on' if self.is_on else 'off'} already"

    def effect(self, observed: State, desired: State) -> Predicate:
        after = desired.interfaces.get(self.interface)
        comes_back = after is not None and getattr(after, self.attribute) != FEATURE_DEFAULTS[self.attribute]
        return self._becomes("enabled" if self.is_on else "off for a moment" if comes_back else "disabled")


def _never(transition: Transition, name: str) -> bool:
    return False


def _unchanged(operation: SetFeature, transition: Transition) -> SetFeature:
    return operation


class Feature(NamedTuple):
    """How a plan sets a feature."""

    operations: Callable[[str, Any], Iterable[SetFeature]]
    """Returns what sets a value on an interface that has none of it."""
    turn_on: Stage = Stage.TURN_FEATURE_ON
    is_interrupted: Callable[[Transition, str], bool] = _never
    """Whether it must be off for a while on an interface that stays."""
    is_forgotten: Callable[[Transition, str], bool] = _never
    """Whether VPP forgets it during the change."""
    completed: Callable[[SetFeature, Transition], SetFeature] = _unchanged
    """Returns an operation with what it takes of other objects."""
