"""What is protected is protected from everything that a slow account of services finds, by `plan` and `apply` alike."""

import random
from dataclasses import replace

import pytest

from tests.laws.journal_world import Obedient
from tests.laws.networks import numbered_edit, numbered_plan_ends
from tests.laws.test_impact_laws import states_on_the_way
from tests.services import found_on_the_way
from vppcfg.app.approval import Terms, guard, rollback_objections
from vppcfg.app.console import Silent
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.errors import PlanRefusedError
from vppcfg.model.state import State
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.unmanaged import harmful, unmanaged_changes
from vppcfg.transaction.guard import Limits, objections


def is_refused(plan: Plan, protected: list[str], limits: Limits) -> bool:
    """Return whether `apply` refuses a plan, before it makes the way back."""
    try:
        guard(plan, protected, Terms(limits=limits), Silent(), Obedient(plan.observed))
    except PlanRefusedError as error:
        assert error.exit_code == 5
        return True
    return False


def check_pair(number: int, observed: State, configuration: Configuration) -> bool:
    """Hold both against the slow account, for some protected interfaces; return whether they are hurt."""
    plan = make_plan(observed, resolve(configuration, observed).desired)
    dice = random.Random(number)
    names = sorted({*observed.interfaces, *configuration.interfaces})
    protected = dice.sample(names, dice.randint(1, min(3, len(names))))
    suffering = {name for name, _, _ in found_on_the_way(states_on_the_way(plan))}
    is_hurt = not suffering.isdisjoint(protected)
    is_robbed = any(each.holder in protected for each in harmful(unmanaged_changes(plan)))
    limits = Limits(allow_mass_deletion=True, lose_unmanaged=True)
    assert is_refused(plan, protected, limits) is (is_hurt or is_robbed)
    assert bool([*objections(plan, protected, limits)]) is is_hurt
    limits_lifted = replace(limits, override_protected=True)
    assert is_refused(plan, protected, limits_lifted) is is_robbed, "what others have on it is not the file's to give"
    assert list(rollback_objections(plan, (), limits)) == []
    return is_hurt


def check_pairs(numbers: range) -> None:
    hurt = [
        check_pair(number, *pair) for number in numbers for pair in (numbered_plan_ends(number), numbered_edit(number))
    ]
    assert len(hurt) / 5 < sum(hurt) < 4 * len(hurt) / 5


def test_a_plan_is_refused_exactly_when_a_protected_service_changes() -> None:
    check_pairs(range(18))


@pytest.mark.long
def test_so_it_is_for_two_thousand_pairs() -> None:
    check_pairs(range(1000))
