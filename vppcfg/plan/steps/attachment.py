"""Steps that carry over what other programs configured on interfaces, FIB tables and bridge domains.

It is removed before its holder is deleted, and restored once the holder is recreated. Some kinds of objects decide by
themselves when theirs is removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.kinds.kind_list import KINDS
from vppcfg.model.attachment import Attachment, Layer
from vppcfg.model.state import State
from vppcfg.operations.attachment import RemoveAttachment, RestoreInLinux, RestoreInVpp
from vppcfg.operations.carried_in_linux import carried, is_sysctl, place_for
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition


def steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps that remove attachments from what is deleted, and restore them on what is recreated.

    The attachment that was added last is removed first. What VPP cannot remove has no step.
    """
    left = set(transition.observed.unmanaged)
    for each in reversed(transition.observed.unmanaged):
        removal = _removal(each, transition)
        if removal is not None:
            left.discard(each)
            yield from removal
        elif _is_reset(each, transition):
            left.discard(each)
    for each in transition.desired.unmanaged:
        if each not in left and each.put is not None and _can_have(each, transition):
            stage = Stage.PUT_GUARD_BACK if each.guards else Stage.PUT_BACK
            yield Step(stage=stage, operation=RestoreInVpp(attachment=each))


def steps_in_linux(reached: State, observed: State, desired: State) -> Iterator[Step]:
    """Yield the steps that bring back what Linux lost on the way from `observed`, once a state is `reached`.

    A sysctl goes with its device alone, or with IPv6 there: one that a device had, and has no more before the plan,
    somebody has changed.
    """
    if not observed.facts.has_linux:
        return
    missing = set(desired.unmanaged).difference(reached.unmanaged)
    there = set(observed.unmanaged)
    missing = {each for each in missing if not is_sysctl(each) or each in there or place_for(each, observed) is None}
    for each in carried((each for each in desired.unmanaged if each in missing), observed, desired):
        place = place_for(each, desired)
        if place is not None and each.linux is not None:
            restore = RestoreInLinux(attachment=each, netns=place[0], setting=each.linux.on(place[1]))
            yield Step(stage=Stage.RESTORE_IN_LINUX, operation=restore)


_KIND_OF = {name: kind for kind in KINDS for name in kind.own_attachments}


def _removal(attachment: Attachment, transition: Transition) -> Sequence[Step] | None:
    """Return the steps that remove an attachment; None where it stays."""
    removal = () if attachment.take is None else (RemoveAttachment(attachment=attachment),)
    if kind := _KIND_OF.get(attachment.kind):
        return kind.attachment_removal(attachment, removal, transition)
    if not attachment.needs(transition.deleted):
        return None
    return [Step(stage=Stage.TAKE_OFF, operation=each) for each in removal]


def _is_reset(attachment: Attachment, transition: Transition) -> bool:
    """Return whether VPP forgets it because its interface changes its bridge domain or cross-connect."""
    if attachment.layer is not Layer.SWITCHED or attachment.holder not in transition.desired.interfaces:
        return False
    return transition.leaves_l2(transition.observed.interfaces[attachment.holder])


def _can_have(attachment: Attachment, transition: Transition) -> bool:
    interface = transition.desired.interfaces.get(attachment.holder)
    is_misplaced = attachment.layer is Layer.SWITCHED and interface is not None and not interface.is_l2
    return transition.desired.can_have(attachment) and not is_misplaced
