"""What must hold for the plan between any two states, whatever they are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.laws.examples import examples
from tests.laws.networks import EMPTY_VPP, configurations, states, without_what_is_left_open
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.model.bridge import bridge_name
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.ownership import is_foreign
from vppcfg.model.state import State, tables_in_use
from vppcfg.operations.change import ObjectKind
from vppcfg.plan.bootstrap_state import restorable
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.proof import replay
from vppcfg.plan.rollback import closest_to, reverse_plan
from vppcfg.render.diff_view import diff_lines, difference_lines
from vppcfg.render.plan_text import plan_text

many = examples(36)
some = examples(9)


def plan_for(configuration: Configuration, observed: State) -> Plan:
    resolution = resolve(configuration, observed)
    assert {problem.rule for problem in resolution.problems} <= {"sub-mtu-unset"}  # a warning
    return make_plan(observed, resolution.desired)


@many
@given(observed=states(with_linux=True), configuration=configurations(with_linux=True))
def test_a_plan_leads_from_any_state_to_any_configuration(observed: State, configuration: Configuration) -> None:
    plan = plan_for(configuration, observed)
    reached = replay(observed, plan.steps)
    assert list(diff(reached, plan.desired)) == []
    assert plan_for(configuration, reached).steps == ()


@some
@given(observed=states(with_linux=True), configuration=configurations(with_linux=True))
def test_the_reverse_plan_brings_the_old_state_back(observed: State, configuration: Configuration) -> None:
    back = reverse_plan(plan_for(configuration, observed))
    reached = replay(back.observed, back.steps)
    assert list(diff(reached, restorable(observed))) == []


@many
@given(
    observed=states(with_linux=True),
    configuration=configurations(with_linux=True),
    share=st.floats(min_value=0, max_value=1),
)
def test_from_every_step_of_a_plan_there_is_a_way_back(
    observed: State, configuration: Configuration, share: float
) -> None:
    steps = plan_for(configuration, observed).steps
    between = replay(observed, steps[: round(share * len(steps))])
    target = closest_to(observed, between, is_unmanaged=lambda name: False)
    assert target.missing == ()
    back = make_plan(between, target.state)
    assert list(diff(back.reached, closest_to(observed, back.reached, is_unmanaged=lambda name: False).state)) == []


@some
@given(state=states(with_linux=True))
def test_nothing_is_to_be_done_between_a_state_and_itself(state: State) -> None:
    assert make_plan(state, state).steps == ()


@some
@given(observed=states(with_linux=True), configuration=configurations())
def test_where_a_plan_starts_does_not_matter_for_where_it_ends(observed: State, configuration: Configuration) -> None:
    ours = without_what_is_not_ours(observed)
    empty = replace(EMPTY_VPP, facts=observed.facts, namespaces=observed.namespaces)
    from_here = without_what_is_left_open(plan_for(configuration, ours).desired)
    from_nothing = without_what_is_left_open(plan_for(configuration, empty).desired)
    assert list(diff(without_open_marks(from_here), without_open_marks(from_nothing))) == []


@some
@given(observed=states(with_linux=True), configuration=configurations(with_linux=True))
def test_a_difference_is_shown_where_there_is_a_plan_and_nowhere_else(
    observed: State, configuration: Configuration
) -> None:
    plan = plan_for(configuration, observed)
    back = closest_to(observed, plan.reached, is_unmanaged=lambda name: False)
    for before, after in ((observed, plan.desired), (plan.reached, back.state), (plan.reached, plan.desired)):
        other = make_plan(before, after)
        assert bool(list(difference_lines(before, after))) == bool(other.steps) == bool(list(diff_lines(other)))


FOLLOWING = {
    "link_mtu": {"packet_mtu"},
    "tag_rewrite": {"bridge", "encapsulation", "l2xc"},
    "split_horizon_group": {"bridge"},
    "is_bvi": {"bridge"},
}
"""Attributes that go without saying when one of the others is shown."""


@some
@given(
    observed=states(with_linux=True),
    configuration=configurations(with_linux=True),
    random=st.randoms(use_true_random=False),
)
def test_nothing_that_a_plan_changes_is_hidden(observed: State, configuration: Configuration, random: object) -> None:
    plan = plan_for(configuration, observed)
    updates = [change for change in plan.changes if change.before is not None and change.after is not None]
    # What is wanted of `ra_mtu` follows from the MTU: a desired state has none.
    told = [(change, each) for change in updates for each in change.attributes if each.name != "ra_mtu"]
    for change, attribute in random.sample(told, min(3, len(told))):  # type: ignore[attr-defined]
        others = {each.name for each in change.attributes}
        if FOLLOWING.get(attribute.name, set()) & others:
            continue
        if change.kind is not ObjectKind.INTERFACE or not hasattr(change.before, attribute.name):
            continue
        less = replace(change.after, **{attribute.name: getattr(change.before, attribute.name)})
        desired = replace(plan.desired, interfaces={**plan.desired.interfaces, change.name: less})
        if refers_to_what_is_gone(desired, change.name):
            continue
        assert list(difference_lines(observed, desired)) != list(difference_lines(observed, plan.desired))


def refers_to_what_is_gone(state: State, name: str) -> bool:
    """Return whether an interface is in a VRF or a bridge domain that the state has not: their removal is shown."""
    bridge = state.interfaces[name].bridge
    is_bridge_gone = bridge is not None and bridge_name(bridge) not in state.bridges
    return is_bridge_gone or not set(tables_in_use(state, [name])) <= state.vrfs.keys()


def without_what_is_not_ours(state: State) -> State:
    """Take away what the generator has added from other hands."""
    return replace(
        state,
        interfaces={name: each for name, each in state.interfaces.items() if not name.endswith(".7")},
        vrfs={key: table for key, table in state.vrfs.items() if not table.is_unnamed},
        bridges={name: bridge for name, bridge in state.bridges.items() if not is_foreign(bridge.tag)},
        acls={name: acl for name, acl in state.acls.items() if not is_foreign(acl.tag)},
        macips={name: macip for name, macip in state.macips.items() if not is_foreign(macip.tag)},
    )


def without_open_marks(state: State) -> State:
    """Take away the bare mark, which an object may have or lack."""
    return replace(
        state,
        interfaces={
            name: replace(interface, tag="") if interface.tag == "vppcfg" else interface
            for name, interface in state.interfaces.items()
        },
    )


@some
@given(observed=states(with_linux=True), configuration=configurations(), random=st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(observed: State, configuration: Configuration, random: object) -> None:
    def shuffled(mapping: dict[str, object]) -> dict[str, object]:
        items = list(mapping.items())
        random.shuffle(items)  # type: ignore[attr-defined]
        return dict(items)

    mixed = replace(
        observed,
        interfaces=shuffled(dict(observed.interfaces)),  # type: ignore[arg-type]
        lcps=shuffled(dict(observed.lcps)),  # type: ignore[arg-type]
    )
    reordered = replace(configuration, interfaces=shuffled(dict(configuration.interfaces)))  # type: ignore[arg-type]
    assert plan_text(plan_for(reordered, mixed)) == plan_text(plan_for(configuration, observed))


@some
@given(observed=states(with_linux=True), configuration=configurations())
def test_a_plan_leaves_alone_what_is_not_ours(observed: State, configuration: Configuration) -> None:
    reached = replay(observed, plan_for(configuration, observed).steps).with_explicit_mtus()
    for name, before in observed.interfaces.items():
        if name.endswith(".7") and name not in configuration.interfaces:
            assert is_foreign(before.tag) or before.kind is InterfaceKind.SUB_INTERFACE
            inherited = replace(before, packet_mtu=before.packet_mtu or reached.packet_mtu(before.parent or ""))
            assert reached.interfaces[name] == inherited


@pytest.mark.long
@settings(max_examples=50_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(observed=states(with_linux=True), configuration=configurations())
def test_a_plan_leads_from_any_state_to_any_configuration_at_length(
    observed: State, configuration: Configuration
) -> None:
    plan = plan_for(configuration, observed)
    assert plan_for(configuration, replay(observed, plan.steps)).steps == ()
