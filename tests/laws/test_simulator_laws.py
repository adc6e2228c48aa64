"""The laws again, with a simulated VPP as the judge: its refusals come from VPP's behaviour, not from the planner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import example, given, settings

from tests.laws.examples import examples
from tests.laws.networks import EMPTY_VPP, configurations, numbered_pair, states
from tests.simulated_vpp import connected
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.model.lcp import LcpSettings
from vppcfg.model.state import State
from vppcfg.plan.bootstrap_state import restorable
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import reverse_plan
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane

CHECKS = examples(18)


@contextmanager
def simulated(state: State, *, reads_all: bool = False) -> Iterator[LiveDataplane]:
    """Run a simulated VPP in that state, and connect to it over its binary API."""
    with connected(SimulatedVpp(state=state), reads_all=reads_all) as dataplane:
        yield dataplane


def apply(configuration: Configuration, dataplane: LiveDataplane) -> Plan:
    """Bring the dataplane to the configuration, and check that it was carried out and got there."""
    observed = dataplane.observe()
    plan = make_plan(observed, resolve(configuration, observed).desired)
    reached = apply_to(plan, dataplane)
    assert make_plan(reached, resolve(configuration, reached).desired).steps == ()
    return plan


def apply_to(plan: Plan, dataplane: LiveDataplane) -> State:
    """Carry out a plan, which leads where it says, and return the state that is reached."""
    performance = dataplane.perform(plan.operations)
    assert performance.refusals == ()
    assert len(performance.done) == len(plan.operations)
    again = dataplane.observe_again(plan.operations, plan.touched_interfaces, plan.desired)
    reached = dataplane.observe()
    assert again == reached, "what is read again is all that can have changed"
    assert list(diff(reached, plan.desired)) == []
    return reached


@CHECKS
@given(observed=states(), configuration=configurations())
@example(**numbered_pair(306706341452406720, 1839271253307)).via("a bond takes the MAC of its first member")
def test_a_simulated_vpp_refuses_nothing_and_ends_where_it_should(
    observed: State, configuration: Configuration
) -> None:
    with simulated(observed) as dataplane:
        plan = apply(configuration, dataplane)
        back = reverse_plan(plan)
        assert list(diff(apply_to(back, dataplane), restorable(plan.observed))) == []


@examples(9)
@given(configuration=configurations())
def test_with_lcp_sync_linux_has_the_addresses_of_every_pair(configuration: Configuration) -> None:
    """Of new pairs, and of those that are recreated on interfaces that have their addresses already.

    VPP does not copy what an interface borrows when it begins to.
    """
    vpp = SimulatedVpp(state=replace(EMPTY_VPP, facts=replace(EMPTY_VPP.facts, lcp=LcpSettings(is_sync=True))))
    with connected(vpp) as dataplane:
        for each in (configuration, with_other_pairs(configuration)):
            apply(each, dataplane)
            state = dataplane.observe()
            for name, pair in state.lcps.items():
                device = vpp.tables.linux.device(pair.netns, pair.host_name)
                assert device is not None
                if state.interfaces[name].unnumbered is None:
                    assert device.addresses == state.interfaces[name].addresses


def with_other_pairs(configuration: Configuration) -> Configuration:
    interfaces = {
        name: replace(each, lcp=each.lcp and replace(each.lcp, host_name=f"r{number}"))
        for number, (name, each) in enumerate(configuration.interfaces.items())
    }
    return replace(configuration, interfaces=interfaces)


@examples(18)
@given(state=states())
@example(numbered_pair(1200, 0)["observed"]).via("the MTU that is advertised is not that of the interface")
def test_what_is_observed_is_what_is_there(state: State) -> None:
    with simulated(state, reads_all=True) as dataplane:
        observed = dataplane.observe()
    assert advertised_mtus(observed) == advertised_mtus(state)
    assert list(diff(renewed(observed), state)) == []


def advertised_mtus(state: State) -> dict[str, int]:
    """Return the MTUs that router advertisements name and that the interfaces no longer have."""
    return {name: interface.ra_mtu for name, interface in state.interfaces.items() if interface.ra_mtu}


def renewed(state: State) -> State:
    """Return the state after router advertisements have taken the MTUs of their interfaces, which any file wants."""
    return replace(state, interfaces={name: replace(each, ra_mtu=0) for name, each in state.interfaces.items()})


@pytest.mark.long
@settings(CHECKS, max_examples=50_000)
@given(first=configurations(), second=configurations(), observed=states())
def test_one_configuration_after_another(first: Configuration, second: Configuration, observed: State) -> None:
    with simulated(observed) as dataplane:
        apply(first, dataplane)
        apply(second, dataplane)
