"""Steps that carry over what other programs configured on interfaces, FIB tables and bridge domains.

It is removed before its holder is deleted, and restored once the holder is recreated; so is what NAT44 has by the
address of an interface, where VPP would not follow its change.
"""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.kinds.l2_steps import leaves_l2
from vppcfg.kinds.nat44.followed import goes_after_addresses, must_be_renewed
from vppcfg.kinds.path_mtu import anchored
from vppcfg.model.attachment import Attachment, Layer
from vppcfg.model.path_mtu import PathMtu
from vppcfg.model.state import State
from vppcfg.operations.attachment import RemoveAttachment, RestoreInLinux, RestoreInVpp
from vppcfg.operations.carried_in_linux import carried, is_sysctl, place_for
from vppcfg.operations.operation import Operation
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition


def steps(transition: Transition) -> Iterator[Step]:
    """Yield the steps that remove attachments from what is deleted, and restore them on what is recreated.

    The attachment that was added last is removed first. What VPP cannot remove has no step.
    """
    going = transition.to_delete | transition.deleted_tables | transition.deleted_bridges
    left = set(transition.observed.unmanaged)
    for each in reversed(transition.observed.unmanaged):
        if each.needs(going) or _is_renewed(each, transition):
            left.discard(each)
            is_late = each.needs(going) and goes_after_addresses(each, transition.observed)
            stage = Stage.TAKE_OFF_FOLLOWER if is_late else Stage.TAKE_OFF
            yield from (Step(stage=stage, operation=operation) for operation in _taking_off(each))
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


def _taking_off(attachment: Attachment) -> tuple[Operation, ...]:
    if attachment.take is None:
        return ()
    take = RemoveAttachment(attachment=attachment)
    return anchored(PathMtu.named(attachment.name), take) if attachment.kind == PathMtu.noun else (take,)


def _is_reset(attachment: Attachment, transition: Transition) -> bool:
    """Return whether VPP forgets it because its interface changes its bridge domain or cross-connect."""
    if attachment.layer is not Layer.SWITCHED or attachment.holder not in transition.desired.interfaces:
        return False
    return leaves_l2(transition, transition.observed.interfaces[attachment.holder])


def _is_renewed(attachment: Attachment, transition: Transition) -> bool:
    is_moved = transition.moves_ipv4(attachment.holder)
    return must_be_renewed(attachment, transition.observed, transition.desired, is_moved=is_moved)


def _can_have(attachment: Attachment, transition: Transition) -> bool:
    interface = transition.desired.interfaces.get(attachment.holder)
    is_misplaced = attachment.layer is Layer.SWITCHED and interface is not None and not interface.is_l2
    return transition.desired.can_have(attachment) and not is_misplaced
