"""Laws of NAT44: after every change the state is the one that was planned, and the way back leads to the former one."""

import pytest

from tests.laws.test_simulator_laws import apply_to
from tests.nat44_changes import PORTS, configurations
from tests.simulated_vpp import connected
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.plan.bootstrap_state import restorable
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import make_plan
from vppcfg.plan.rollback import reverse_plan
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane


def assert_reached(configuration: Configuration, vpp: LiveDataplane, *, goes_back: bool) -> None:
    """Apply a file; hold what is read then to what was planned, and to the file. With `goes_back`, there and back."""
    observed = vpp.observe()
    plan = make_plan(observed, resolve(configuration, observed).desired)
    now = apply_to(plan, vpp)
    assert list(diff(now, plan.reached)) == []
    assert make_plan(now, resolve(configuration, now).desired).steps == ()
    if goes_back:
        again = apply_to(reverse_plan(plan), vpp)
        assert list(diff(again, restorable(plan.observed))) == []
        apply_to(make_plan(again, resolve(configuration, again).desired), vpp)


def assert_all_reached(vpp: LiveDataplane, seed: int, count: int) -> None:
    for number, configuration in enumerate(configurations(seed, count)):
        assert_reached(configuration, vpp, goes_back=number % 3 == 0)


@pytest.mark.parametrize("seed", [1, 2])
def test_every_change_is_read_back_and_undone(seed: int) -> None:
    _on_simulator(seed, 40)


@pytest.mark.long
def test_a_thousand_changes_are_read_back_and_undone() -> None:
    _on_simulator(3, 1000)


def _on_simulator(seed: int, count: int) -> None:
    (first,) = configurations(0, 1)
    state = assumed_state(first)
    assert set(PORTS) <= state.interfaces.keys()
    with connected(SimulatedVpp(state=state)) as vpp:
        assert_all_reached(vpp, seed, count)
