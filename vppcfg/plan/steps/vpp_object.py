"""The steps of objects that are no interfaces, such as routes: removed before what they refer to, set after it.

When an object is set and removed follows from its references alone. Kinds for which that is not enough have steps of
their own (`has_own_steps`), and are left out here.

An object loses its ground when the plan deletes something that it refers to, such as the interface of a next hop,
whether that comes back or not.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.kinds.kind_list import kind_of, kind_of_class
from vppcfg.model.vpp_object import Referent, VppObject
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition


def steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps of the objects that differ, that lose their ground, or that VPP breaks during the change.

    Objects of other programs stay as they are, whatever the desired state. They are only removed where they lose their
    ground, and set again where it comes back.
    """
    observed, desired = transition.observed.objects, transition.desired.objects
    for kind in dict.fromkeys((*observed, *desired)):
        if kind_of_class(kind).has_own_steps:
            continue
        before, after = observed.get(kind, {}), desired.get(kind, {})
        disturbed = kind_of_class(kind).disturbed(before, after)
        for name in dict.fromkeys((*before, *after)):
            old, new = before.get(name), after.get(name)
            if old is not None and new is None and old.is_permanent:
                continue  # VPP cannot remove it
            if old is not None and kind_of(old).is_of_others(old):
                new = old if transition.desired.has_all(old.references()) else None
                if new is old and not transition.takes_ground_from(old):
                    continue
            elif old is None and new is not None and kind_of(new).is_of_others(new):
                continue  # what another program had, as in the target of a rollback, is not brought back
            yield from _steps_of(old, new, transition, is_disturbed=name in disturbed)


def _steps_of(
    before: VppObject | None, after: VppObject | None, transition: Transition, *, is_disturbed: bool
) -> Iterator[Step]:
    """Yield the steps that remove an object as it was and set it as it is to be.

    One that is replaced in place, and would otherwise lose its ground, is set early: before that is deleted.
    """
    loses_its_ground = before is not None and transition.takes_ground_from(before)
    if before == after and not loses_its_ground and not is_disturbed:
        return
    if before is not None and (
        is_disturbed or _removed_first(before, after, transition, loses_its_ground=loses_its_ground)
    ):
        places = (each.name for each in before.references() if each.referent is Referent.TABLE)
        for operation in kind_of(before).removal(before, with_table=not transition.deleted_tables.isdisjoint(places)):
            yield Step(stage=Stage.REMOVE_OBJECT, operation=operation, depth=_depth(before))
        before = None
    if after is not None:
        kind = kind_of(after)
        stage = Stage.REPLACE_OBJECT if before is not None and loses_its_ground else kind.set_stage
        yield Step(stage=stage, operation=kind.set(after), depth=_depth(after))


def _removed_first(
    before: VppObject, after: VppObject | None, transition: Transition, *, loses_its_ground: bool
) -> bool:
    """Return whether an object is removed before anything comes in its place."""
    if after is None or not before.is_replaceable:
        return True
    return loses_its_ground and not _can_stand_early(after, transition)


def _depth(item: VppObject) -> int:
    """Return 1 for what refers to another object: it is set after that, and removed before it."""
    return int(any(each.referent is Referent.OBJECT for each in item.references()))


def _can_stand_early(after: VppObject, transition: Transition) -> bool:
    """Return whether an object can be set before anything is deleted: all that it refers to is there, and stays."""
    return not transition.takes_ground_from(after) and transition.observed.has_all(after.references())
