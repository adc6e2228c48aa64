"""What must hold for static routes in every plan: no gap where one stays, and all they stand on before and after."""

from __future__ import annotations

from hypothesis import given

from tests.laws.examples import examples
from tests.laws.networks import configurations, numbered_edit, numbered_plan_ends, states
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.kinds.address import AddAddress
from vppcfg.kinds.route import RemoveRoute, SetRoute
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Referent
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.plan import Plan, make_plan


def check(observed: State, configuration: Configuration) -> int:
    """Hold a plan against the laws, and return how many of its steps are about routes."""
    plan = make_plan(observed, resolve(configuration, observed).desired)
    before, after = plan.observed.of(Route), plan.desired.of(Route)
    removed = [each.subject for each in plan.operations if isinstance(each, RemoveRoute)]
    replaced = [each.subject for each in plan.operations if isinstance(each, SetRoute)]
    gone = _gone_on_the_way(plan)
    for name in removed:
        is_forced = name in after and any(reference in gone for reference in _grounds(before[name], after[name]))
        assert name not in after or is_forced, f"{name} is removed and set again without need"
    assert len(set(replaced)) == len(replaced)
    assert {name for name in after if after[name] != before.get(name)} <= set(replaced)
    _look_at_order(plan)
    return len(removed) + len(replaced)


def _grounds(old: Route, new: Route) -> set[tuple[Referent, str]]:
    return {(each.referent, each.name) for route in (old, new) for each in route.references()}


def _gone_on_the_way(plan: Plan) -> set[tuple[Referent, str]]:
    """Return the interfaces and tables that are missing at some moment of a plan, or are made by it."""
    working = WorkingState(plan.observed)
    missing = _missing(plan, working)
    for operation in plan.operations:
        operation.apply_to(working)
        missing |= _missing(plan, working)
    return missing


def _missing(plan: Plan, working: WorkingState) -> set[tuple[Referent, str]]:
    names = plan.observed.interfaces.keys() | plan.desired.interfaces.keys()
    tables = plan.observed.vrfs.keys() | plan.desired.vrfs.keys()
    return {(Referent.INTERFACE, name) for name in names - working.interfaces.keys()} | {
        (Referent.TABLE, key) for key in tables - working.vrfs.keys()
    }


def _look_at_order(plan: Plan) -> None:
    """See that a route leads nowhere that is not there, at each step, and that what stays comes after all addresses."""
    working = WorkingState(plan.observed)
    last_address = max(
        (place for place, each in enumerate(plan.operations) if isinstance(each, AddAddress)), default=-1
    )
    for place, operation in enumerate(plan.operations):
        operation.apply_to(working)
        if isinstance(operation, SetRoute):
            for referent, name in _grounds(operation.item, operation.item):
                assert name in (working.interfaces if referent is Referent.INTERFACE else working.vrfs)
            if operation.subject in plan.desired.of(Route).keys() - plan.observed.of(Route).keys():
                assert place > last_address, f"{operation.subject} is set before an address"
        for route in working.state().of(Route).values():
            assert all(
                each.name in (working.interfaces if each.referent is Referent.INTERFACE else working.vrfs)
                for each in route.references()
            ), f"{route.name} leads through what is gone after {operation}"


@examples(12)
@given(observed=states(with_linux=True), configuration=configurations(with_linux=True))
def test_routes_of_any_plan_have_their_ground_and_no_gap(observed: State, configuration: Configuration) -> None:
    check(observed, configuration)


def test_so_it_is_for_everyday_edits() -> None:
    for number in range(30):
        check(*numbered_edit(number))


def test_these_plans_have_routes_to_set_and_to_remove() -> None:
    assert sum(check(*numbered_plan_ends(number)) for number in range(30)) > 60
