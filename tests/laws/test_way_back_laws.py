"""From wherever a plan has got to, a way back is proved before it is needed, and leads to what was there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from tests.laws.examples import examples
from tests.laws.journal_world import World, world
from tests.laws.networks import configurations, numbered_edit, states
from tests.simulated_vpp import connected
from vppcfg.app.applying import apply_configuration
from vppcfg.app.approval import Limits, Terms
from vppcfg.app.console import Silent
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.errors import ExitCode
from vppcfg.model.bond import Bond
from vppcfg.model.state import State
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.proof import replay
from vppcfg.plan.rollback import WayBack, closest_to, created_ports, prove_way_back, way_back
from vppcfg.simulator.vpp import SimulatedVpp

_SOME_STEPS = 4
"""Of a plan with hundreds of steps."""
_FREE = Terms(again=True, limits=Limits(allow_mass_deletion=True, lose_unmanaged=True))


@examples(24)
@given(number=st.integers(min_value=0, max_value=2**40))
def test_the_way_back_of_an_edit_is_proved_from_every_step(number: int) -> None:
    observed, configuration = numbered_edit(number)
    plan = make_plan(observed, resolve(configuration, observed).desired)
    assert_there_is_a_way_back(plan, range(len(plan.steps)))


@examples(24)
@given(
    observed=states(with_linux=True),
    configuration=configurations(with_linux=True),
    random=st.randoms(use_true_random=False),
)
def test_the_way_back_of_any_plan_is_proved_from_its_steps(
    observed: State, configuration: Configuration, random: object
) -> None:
    plan = make_plan(observed, resolve(configuration, observed).desired)
    count = len(plan.steps)
    assert_there_is_a_way_back(plan, random.sample(range(count), min(_SOME_STEPS, count)))  # type: ignore[attr-defined]


def assert_there_is_a_way_back(plan: Plan, places: Iterable[int]) -> None:
    """Check that it leads back from where a plan ends, and from before the steps at some places, as VPP shows that."""
    assert_leads_back(way_back(plan, lambda name: False))
    created = created_ports(plan.observed, plan.desired)
    for place in (*places, len(plan.steps)):
        now = shown(replay(plan.observed, plan.steps[:place]), plan.observed)
        target = closest_to(plan.observed, now, lambda name: False, created, plan.desired)
        assert target.awaited == ()
        assert_leads_back(prove_way_back(target, partial(make_plan, now)))


def assert_leads_back(way: WayBack) -> None:
    assert way.doubt == ""
    assert way.target.is_reached(replay(way.plan.observed, way.plan.steps))


def shown(state: State, former: State) -> State:
    """Return a state as VPP shows it: with a MAC for each interface of which the model leaves it open.

    What VPP chooses may be what was there before. Members have the MAC of their bond.
    """
    macs = {
        name: former.interfaces[name].mac
        for name, interface in state.interfaces.items()
        if not interface.mac and name in former.interfaces
    }
    for name, bond in state.virtual_as(Bond).items():
        macs |= dict.fromkeys(bond.members, macs.get(name) or state.interfaces[name].mac)
    known = {name: replace(state.interfaces[name], mac=mac) for name, mac in macs.items() if mac}
    return replace(state, interfaces={**state.interfaces, **known})


@contextmanager
def simulated(state: State) -> Iterator[World]:
    """Run a simulated VPP in a state, with vppcfg and its journal around it."""
    with (
        TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
        world(Path(folder) / "world", patch, 1, is_simulated=False) as here,
        connected(SimulatedVpp(state=state)) as dataplane,
    ):
        here._inner = dataplane
        yield here


def apply(configuration: Configuration, here: World, confirm_s: float | None = None) -> ExitCode | None:
    terms = replace(_FREE, confirm_s=confirm_s)
    return here.outcome(lambda: apply_configuration(configuration, here.loaded(), here.target, terms, Silent()).code)


@settings(examples(6), phases=(Phase.generate,))
@given(first=configurations(), second=configurations(), observed=states(), share=st.floats(min_value=0, max_value=1))
def test_a_refused_step_and_a_confirmation_that_does_not_come_bring_the_former_state_back(
    first: Configuration, second: Configuration, observed: State, share: float
) -> None:
    with simulated(observed) as here:
        assert apply(first, here) is ExitCode.DONE
        before = here.state()
        plan = make_plan(before, resolve(second, before).desired)
        assume(plan.steps)
        here.refuse_in = round(share * (len(plan.steps) - 1))
        assert apply(second, here) is ExitCode.ROLLED_BACK
        assert_is_back(before, plan, here)
        assert apply(second, here, confirm_s=60.0) is ExitCode.DONE
        (number,) = here.timer_lives
        assert here.outcome(lambda: here.timer(number)) is ExitCode.DONE
        assert_is_back(before, plan, here)


def assert_is_back(before: State, plan: Plan, here: World) -> None:
    assert closest_to(before, here.state(), lambda name: False, (), plan.desired).is_reached(here.state())
