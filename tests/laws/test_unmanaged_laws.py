"""What others have configured survives every plan where it can, comes back, and reaches nobody else."""

import random
from collections.abc import Iterator
from functools import cache

import pytest

from tests.laws.networks import numbered_plan_ends
from tests.unit.plan.test_carried_in_linux import address, route
from vppcfg.config.resolve import resolve
from vppcfg.kinds.interface import SetAdminState
from vppcfg.model.attachment import Attachment, Layer, index_placeholder, stored_call
from vppcfg.model.linux_setting import LinuxKind
from vppcfg.model.state import State
from vppcfg.operations.attachment import RestoreInLinux, RestoreInVpp
from vppcfg.operations.operation import DeleteInterface
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import rollback_plan
from vppcfg.plan.unmanaged import (
    Survival,
    in_question,
    irremovable,
    touched,
    touched_in_linux,
    unmanaged_changes,
    with_unmanaged,
)

NUMBERS = range(60)


def attachments_of(state: State, seed: int) -> Iterator[Attachment]:
    """Yield some of every sort on every interface and table: with and without a way back, inherited or not."""
    draw = random.Random(seed)
    for holder in sorted({*state.interfaces, *state.vrfs}):
        is_interface = holder in state.interfaces
        values = {"sw_if_index": index_placeholder(holder)} if is_interface else {"table_id": 1}
        for number in range(draw.randrange(4)):
            call = stored_call("a_message", {**values, "number": number})
            can_return, outlives = draw.random() < 0.7, draw.random() < 0.5
            is_switched = is_interface and state.interfaces[holder].is_l2 and draw.random() < 0.3
            yield Attachment(
                holder=holder,
                kind="service",
                name=str(number),
                layer=Layer.SWITCHED if is_switched else draw.choice([Layer.ALL, Layer.ROUTED]),
                put=call if can_return else None,
                take=call if outlives or draw.random() < 0.5 else None,
                outlives=outlives,
                guards=is_interface and can_return and not is_switched and draw.random() < 0.3,
            )
    for holder, device in sorted(state.linux.items()):
        yield address("198.51.100.9/24", holder)
        if device.is_up:
            yield route("10.1.0.0/16", "198.51.100.7", holder)
            yield route("10.2.0.0/16", "", holder, is_exact=False)


def with_found(number: int) -> tuple[Plan, list[Attachment]]:
    observed, configuration = numbered_plan_ends(number)
    plan = make_plan(observed, resolve(configuration, observed).desired)
    holders = touched(plan) | touched_in_linux(plan)
    return plan, [each for each in attachments_of(observed, number) if each.holder in holders]


@cache
def plan_of(number: int) -> Plan:
    return with_unmanaged(*with_found(number))


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_left_out_of_question_changes_no_plan(number: int) -> None:
    plan, found = with_found(number)
    asked = with_unmanaged(plan, in_question(plan, found))
    assert asked.steps == plan_of(number).steps
    assert unmanaged_changes(asked) == unmanaged_changes(plan_of(number))


@pytest.mark.parametrize("number", NUMBERS)
def test_a_plan_carries_over_what_it_can_and_names_the_rest(number: int) -> None:
    plan = plan_of(number)
    assert irremovable(plan) == []
    left = set(plan.reached.unmanaged)
    named = {each: change.survival for change in unmanaged_changes(plan) for each in change.attachments}
    for each in plan.observed.unmanaged:
        has_holder = each.holder in plan.desired.interfaces or each.holder in plan.desired.vrfs
        assert has_holder or each not in left, "nothing stays on what is gone"
        assert each in left or named[each] is Survival.LOST
        if each.is_restorable and has_holder and not is_left_behind(each, plan):
            assert each in left, "what can be carried over is carried over"


def is_left_behind(attachment: Attachment, plan: Plan) -> bool:
    if attachment.linux is not None:
        device = plan.reached.linux.get(attachment.holder)
        return device is None or not (device.is_up or attachment.linux.kind is LinuxKind.ADDRESS)
    return attachment.layer is Layer.SWITCHED and not plan.desired.interfaces[attachment.holder].is_l2


@pytest.mark.parametrize("number", NUMBERS)
def test_what_guards_traffic_is_there_whenever_its_interface_is_up(number: int) -> None:
    plan = plan_of(number)
    guards = [each for each in plan.observed.unmanaged if each.guards and each in plan.reached.unmanaged]
    working = WorkingState(plan.observed)
    for step in plan.steps:
        step.operation.apply_to(working)
        for each in guards:
            interface = working.interfaces.get(each.holder)
            if interface is not None and interface.is_up and (interface.addresses or interface.is_l2):
                assert each in working.unmanaged.get(each.holder, ()), step


@pytest.mark.parametrize("number", NUMBERS)
def test_nothing_is_left_to_the_next_interface_with_the_index(number: int) -> None:
    plan = plan_of(number)
    working = WorkingState(plan.observed)
    for step in plan.steps:
        if isinstance(step.operation, DeleteInterface):
            left = working.unmanaged.get(step.operation.interface, ())
            assert not [each for each in left if each.outlives]
        step.operation.apply_to(working)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_way_back_brings_back_what_can_be_brought_back(number: int) -> None:
    plan = plan_of(number)
    back = rollback_plan(plan, lambda name: False)
    again = set(back.reached.unmanaged)
    for each in plan.observed.unmanaged:
        assert each in again or not each.is_restorable


def test_the_laws_see_attachments_carried_and_brought_back() -> None:
    kinds = {type(each) for number in NUMBERS for each in plan_of(number).operations}
    assert {RestoreInVpp, RestoreInLinux, SetAdminState} <= kinds
