"""A plan: the ordered, proved steps from an observed to a desired state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import Any, TypeVar

from vppcfg.errors import ContradictionError, PlanProofError
from vppcfg.kinds.lcp.automatic_pairs import with_automatic_pairs
from vppcfg.model.live_state import without_live
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Referent, left_alone
from vppcfg.operations.attachment import AttachmentOperation
from vppcfg.operations.change import Change
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import InterfaceOperation, Operation
from vppcfg.operations.recreate import replaced_interfaces
from vppcfg.operations.stages import Step, ordered
from vppcfg.operations.transition import Transition
from vppcfg.plan.bootstrap_state import ports_alone, restorable
from vppcfg.plan.diff import diff
from vppcfg.plan.impact import Effect, Impact, effects_of
from vppcfg.plan.pauses import Pauses, pauses_of
from vppcfg.plan.proof import prove, replay
from vppcfg.plan.steps import steps_of
from vppcfg.plan.steps.attachment import steps_in_linux

_OperationT = TypeVar("_OperationT", bound=Operation)


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """What to do, in order, and why.

    Without slots, so that what follows from the steps is found out once, and equal to nothing else, so that a plan can
    be the key of what others find out about it.
    """

    observed: State
    desired: State
    changes: tuple[Change[Any], ...]
    steps: tuple[Step, ...]
    reached: State
    """Where the steps lead: the desired state with what it leaves open."""

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """Return the operations in the order in which they must run."""
        return tuple(step.operation for step in self.steps)

    def of(self, kind: type[_OperationT]) -> list[_OperationT]:
        """Return the operations of a class and of those below it, in their order."""
        found = [each for other, operations in self._by_class.items() if issubclass(other, kind) for each in operations]
        return [operation for _, operation in sorted(found, key=itemgetter(0))]

    @cached_property
    def _by_class(self) -> dict[type, list[tuple[int, Any]]]:
        """Return the operations with their places by their classes: few of these, where operations are many."""
        found: dict[type, list[tuple[int, Any]]] = {}
        for place, operation in enumerate(self.operations):
            found.setdefault(operation.__class__, []).append((place, operation))
        return found

    @cached_property
    def touched_interfaces(self) -> frozenset[str]:
        """Return the interfaces that the operations are about, and those that what they set or remove refers to."""
        names = {each.interface for each in self.of(InterfaceOperation)}
        names |= {each.attachment.holder for each in self.of(AttachmentOperation)}
        items = [*(each.item for each in self.of(SetObject)), *(each.item for each in self.of(RemoveObject))]
        references = (reference for item in items for reference in item.references())
        return frozenset(names).union(each.name for each in references if each.referent is Referent.INTERFACE)

    @cached_property
    def effects(self) -> dict[str, Effect]:
        """Return what the plan does to each affected interface."""
        before = self.observed.managed(self.observed.owned)
        return effects_of(before, self.steps, replace(self.reached, hidden_by=self.desired.hidden_by))

    @cached_property
    def impacts(self) -> dict[str, Impact]:
        """Return the worst impact on each affected interface."""
        return {name: effect.impact for name, effect in self.effects.items()}

    @cached_property
    def step_impacts(self) -> dict[int, Impact]:
        """Return the worst impact of each step that has any, by position."""
        worst: dict[int, Impact] = {}
        for loss in (loss for effect in self.effects.values() for loss in effect.losses):
            worst[loss.step] = max(loss.impact, worst.get(loss.step, Impact.NONE))
        return worst

    @cached_property
    def pauses(self) -> Pauses:
        """Return for which steps VPP forwards nothing for more than a millisecond."""
        return pauses_of(self.operations, self.observed, self.desired)

    @cached_property
    def impact(self) -> Impact:
        """Return the worst impact of all."""
        return max(self.impacts.values(), default=Impact.NONE)


def make_plan(observed: State, desired: State) -> Plan:
    """Return the plan from `observed` to `desired`.

    Raise PlanProofError when it cannot be proved, which is a bug, and ContradictionError when that is because
    `observed` is no state that a VPP can have.
    """
    try:
        return _proved_plan(observed, desired)
    except (PlanProofError, LookupError) as error:
        if _can_be_created(observed):
            raise
        reason = error.message if isinstance(error, PlanProofError) else f"{error} is not there, or there twice"
        raise ContradictionError(reason, getattr(error, "commands", ())) from error


def _proved_plan(observed: State, desired: State) -> Plan:
    if any(interface.live for interface in desired.interfaces.values()):
        desired = without_live(desired, replaced_interfaces(observed, desired))
    before, after = observed.managed(desired.owned), desired.managed(desired.owned)
    difference = diff(before, after)
    changes = tuple(difference)
    steps = ordered(steps_of(Transition(before, after, difference, left_alone(observed.objects, desired.owned))))
    if observed.facts.lcp.is_auto_subint:
        steps = ordered(with_automatic_pairs(steps, before, after))
    reached = prove(before, after, steps) if steps or changes else before
    if back := ordered(steps_in_linux(reached, before, after)):
        steps, reached = (*steps, *back), replay(reached, back)
    observed = replace(observed, owned=desired.owned)
    reached = _with_objects_of_others(reached, observed)
    return Plan(observed=observed, desired=desired, changes=changes, steps=steps, reached=reached)


def _with_objects_of_others(reached: State, observed: State) -> State:
    """Return where steps lead with the objects that plans leave alone, as far as what they refer to stays."""
    objects = {kind: dict(found) for kind, found in reached.objects.items()}
    for each in left_alone(observed.objects, observed.owned):
        if reached.has_all(each.references()):
            objects.setdefault(type(each), {})[each.name] = each
    return replace(reached, objects=objects) if objects != reached.objects else reached


def _can_be_created(state: State) -> bool:
    """Return whether there is a plan that leads to a state from its ports alone."""
    try:
        _proved_plan(ports_alone(state), restorable(state))
    except (PlanProofError, LookupError):
        return False
    return True
