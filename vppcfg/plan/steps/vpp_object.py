"""Objects that are no interfaces: removed before what they refer to goes, set after it is there.

What follows is all from their references; no kind has stages or steps of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.kinds.kind_list import kind_of
from vppcfg.model.vpp_object import Referent, VppObject
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps of the objects that differ, and of those that refer to what is deleted or made anew."""
    observed, desired = transition.observed.objects, transition.desired.objects
    for kind in dict.fromkeys((*observed, *desired)):
        before, after = observed.get(kind, {}), desired.get(kind, {})
        for name in dict.fromkeys((*before, *after)):
            yield from _steps_of(before.get(name), after.get(name), transition)


def _steps_of(before: VppObject | None, after: VppObject | None, transition: Transition) -> Iterator[Step]:
    loses_its_ground = before is not None and _refers_to(before, transition.to_delete, transition.doomed_tables)
    if before == after and not loses_its_ground:
        return
    if before is not None and (after is None or (loses_its_ground and not _can_stand_early(after, transition))):
        yield Step(stage=Stage.REMOVE_OBJECT, operation=kind_of(before).remove(before))
        before = None
    if after is not None:
        stage = Stage.REPLACE_OBJECT if before is not None and loses_its_ground else Stage.SET_OBJECT
        yield Step(stage=stage, operation=kind_of(after).set(after))


def _refers_to(thing: VppObject, interfaces: frozenset[str], tables: frozenset[str]) -> bool:
    names: Mapping[Referent, frozenset[str]] = {Referent.INTERFACE: interfaces, Referent.TABLE: tables}
    return any(each.name in names[each.referent] for each in thing.references())


def _can_stand_early(after: VppObject, transition: Transition) -> bool:
    """Return whether all that an object refers to is there before anything is deleted, and stays."""
    is_doomed = _refers_to(after, transition.to_delete, transition.doomed_tables)
    return not is_doomed and transition.observed.has_all(after.references())
