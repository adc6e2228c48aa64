"""A member of a bond that was down is used again before anything else is done."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.laws.test_gentle_laws import bonded
from tests.simulated_vpp import connected
from vppcfg.kinds.bond.operations import RemoveBondMember
from vppcfg.kinds.bond.reading import active_members
from vppcfg.kinds.interface import SetAdminState
from vppcfg.model.bond import BondMode
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp import perform as performing
from vppcfg.vpp.live import LiveDataplane

DOWN = SetAdminState(interface="gi0", is_up=False)
UP = SetAdminState(interface="gi0", is_up=True, bond="BondEthernet0")
AFTER = SetAdminState(interface="gi1", is_up=False)


@pytest.fixture
def dataplane() -> Iterator[LiveDataplane]:
    state = next(
        state
        for state in (bonded(random.Random(number)) for number in range(100))
        if len(state.virtual["BondEthernet0"].members) == 2  # type: ignore[attr-defined]
    )
    bond = replace(state.virtual["BondEthernet0"], mode=BondMode.ROUND_ROBIN)  # type: ignore[call-arg]
    with connected(SimulatedVpp(state=replace(state, virtual={"BondEthernet0": bond}))) as dataplane:
        yield dataplane


def test_the_next_step_waits_for_the_bond(dataplane: LiveDataplane, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([{"BondEthernet0": 2}, {"BondEthernet0": 1}, {"BondEthernet0": 1}, {"BondEthernet0": 2}])
    monkeypatch.setattr(performing, "active_members", lambda connection: next(answers))
    seen: list[int] = []
    performance = dataplane.perform([DOWN, UP, AFTER], seen.append)
    assert performance.done == (0, 1, 2)
    assert next(answers, None) is None
    assert seen[-1] == 3


def test_a_member_that_is_not_used_again_ends_the_plan_before_the_next_goes(
    dataplane: LiveDataplane, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([{"BondEthernet0": 2}])
    monkeypatch.setattr(performing, "active_members", lambda connection: next(answers, {"BondEthernet0": 1}))
    monkeypatch.setattr(performing, "LONGEST_WAIT_S", 0.1)
    performance = dataplane.perform([DOWN, UP, AFTER])
    assert performance.done == (0,)
    assert [refusal.text for refusal in performance.refusals] == [
        "BondEthernet0 does not use gi0 again after 0.1 seconds"
    ]
    assert dataplane.observe().interfaces["gi1"].is_up


def test_a_member_that_left_before_is_not_waited_for(dataplane: LiveDataplane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(performing, "LONGEST_WAIT_S", 0.1)
    dataplane.perform([SetAdminState(interface=name, is_up=up) for up in (False, True) for name in ("gi0", "gi1")])
    leave = RemoveBondMember(interface="gi1", bond="BondEthernet0")
    assert dataplane.perform([leave, DOWN, UP]).refusals == ()


def test_whoever_wants_to_stop_does_not_wait(dataplane: LiveDataplane, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([{"BondEthernet0": 2}])
    monkeypatch.setattr(performing, "active_members", lambda connection: next(answers, {"BondEthernet0": 1}))
    asked = iter([False] * 4)
    performance = dataplane.perform([DOWN, UP, AFTER], None, lambda: next(asked, True))
    assert performance.refusals == ()
    assert 2 not in performance.done


def test_a_bond_counts_the_members_that_it_sends_on(dataplane: LiveDataplane) -> None:
    connection = dataplane._connection
    dataplane.perform([SetAdminState(interface=name, is_up=up) for up in (False, True) for name in ("gi0", "gi1")])
    assert active_members(connection) == {"BondEthernet0": 2}
    dataplane.perform([DOWN])
    assert active_members(connection) == {"BondEthernet0": 1}
    dataplane.perform([SetAdminState(interface="gi0", is_up=True)])
    assert active_members(connection) == {"BondEthernet0": 2}
