"""What a plan says of what it leaves in VPP."""

from dataclasses import replace

import pytest

from tests.unit.plan.test_carried_in_linux import STATE, facts, renamed
from vppcfg.model.state import State
from vppcfg.plan.plan import make_plan
from vppcfg.render.notes import left_route_lines

LISTENING = facts(STATE, plugins=("linux_nl",))


def without_pair(state: State) -> State:
    return replace(state, lcps={"gi0": state.lcps["gi0"]}, linux={"gi0": state.linux["gi0"]})


def gone(state: State) -> State:
    return replace(without_pair(state), interfaces={"gi0": state.interfaces["gi0"]})


def test_routes_of_linux_outlive_the_pair_of_an_interface_that_stays() -> None:
    (line,) = left_route_lines(make_plan(LISTENING, without_pair(LISTENING)))
    assert line.startswith("VPP keeps IPv4 routes of Linux by loop0, and forwards by them")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LISTENING, LISTENING),
        (LISTENING, renamed(LISTENING)),
        (STATE, without_pair(STATE)),
        (LISTENING, gone(LISTENING)),
        (renamed(LISTENING, netns="dataplane"), without_pair(LISTENING)),
    ],
)
def test_nothing_is_said_where_none_does(before: State, after: State) -> None:
    assert list(left_route_lines(make_plan(before, after))) == []
