"""For how long VPP forwards nothing: it grows with its tables, and it is not known where these are not."""

from dataclasses import replace

import pytest

from tests.unit.plan.test_impact import STATE, UP, port
from vppcfg.kinds.interface import SetAdminState
from vppcfg.kinds.nat44.settings import DisableNat44
from vppcfg.kinds.neighbor import RemoveNeighbor, SetNeighbor
from vppcfg.model.acl import Acl, AclAction, AclBinding, AclRule
from vppcfg.model.nat44 import Nat44
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.state import State
from vppcfg.model.table_sizes import TableSizes
from vppcfg.operations.operation import Operation
from vppcfg.plan.pauses import Pauses, pauses_of, time_text
from vppcfg.plan.plan import make_plan

FULL = TableSizes(routes=700_000, adjacencies=20, interfaces=4, nat44_sessions=300_000)
DOWN = SetAdminState(interface="up", is_up=False)


def sized(state: State, sizes: TableSizes | None) -> State:
    return replace(state, facts=replace(state.facts, sizes=sizes))


def pauses(*operations: Operation, state: State = STATE, sizes: TableSizes | None = FULL) -> Pauses:
    return pauses_of(operations, sized(state, sizes), state)


def test_routes_through_an_interface_that_goes_down_may_be_all_there_are() -> None:
    found = pauses(DOWN)
    assert [(each.step, each.pause.is_bound) for each in found.steps] == [(0, True)]
    assert found.longest_ms == found.total_ms == pytest.approx(850, rel=0.5)


def test_without_the_sizes_nothing_is_known_of_what_grows_with_them_and_all_of_the_rest() -> None:
    found = pauses(DOWN, sizes=None)
    assert [each.ms for each in found.steps] == [None]
    assert (found.longest_ms, found.total_ms) == (None, None)
    assert pauses(SetAdminState(interface="down", is_up=True), sizes=None) == pauses()


def test_no_routes_lead_through_what_is_down_or_has_no_address() -> None:
    assert pauses(SetAdminState(interface="down", is_up=False)).steps == ()
    bare = State(interfaces={"up": port("up")})
    assert pauses(DOWN, state=bare).steps == ()
    below = replace(STATE.interfaces["up.1"], addresses=frozenset({"192.0.2.1/24"}))
    assert pauses(DOWN, state=State(interfaces={"up": port("up"), "up.1": below})).steps != ()


def test_routes_that_vpp_makes_of_addresses_lead_nowhere_else() -> None:
    many = {f"p{number}": replace(UP, name=f"p{number}") for number in range(1000)}
    assert pauses(DOWN, state=State(interfaces={"up": UP, **many}), sizes=TableSizes(routes=4000)).steps == ()


def test_of_many_neighbours_of_an_interface_each_may_have_all_routes_but_not_all_together() -> None:
    neighbors = tuple(Neighbor(address=f"192.0.2.{number}", mac="02:00:00:00:00:01") for number in range(2, 12))
    state = State(interfaces={"up": replace(UP, neighbors=neighbors)})
    operations = [RemoveNeighbor(interface="up", address=each.address, mac=each.mac) for each in neighbors]
    found = pauses(*operations, state=state)
    assert len(found.steps) == 10
    assert found.total_ms == found.longest_ms


def test_routes_may_wait_for_a_neighbour_of_an_interface_that_was_down() -> None:
    entered = SetNeighbor(interface="up", address="192.0.2.2", mac="02:00:00:00:00:01")
    state = State(interfaces={"up": replace(UP, is_up=False), "bare": port("bare")})
    assert [each.pause.is_bound for each in pauses(entered, state=state).steps] == [True]
    assert pauses(replace(entered, interface="bare"), replace(entered, interface="new"), state=state).steps == ()


def test_access_lists_take_their_time_by_their_terms_on_each_interface() -> None:
    rule = AclRule(action=AclAction.PERMIT, source="192.0.2.0/24", destination="0.0.0.0/0")
    bound = AclBinding(input=("long",))
    interfaces = {name: port(name, acls=bound) for name in ("a", "b")}
    acls = {"long": Acl(rules=(rule,) * 5000), "short": Acl(rules=(rule,))}
    before = sized(State(interfaces=interfaces, acls=acls), TableSizes())
    after = replace(before, acls={**acls, "long": Acl(rules=(rule,) * 4999)})
    (both,) = make_plan(before, after).pauses.steps
    fewer = {**interfaces, "b": port("b")}
    one = replace(before, interfaces=fewer)
    (alone,) = make_plan(one, replace(after, interfaces=fewer)).pauses.steps
    assert both.ms == pytest.approx(2 * (alone.ms or 0))
    assert make_plan(one, before).pauses.steps == (), "another interface that applies it costs little"
    none = replace(before, interfaces={name: port(name) for name in fewer})
    (first,) = make_plan(none, before).pauses.steps
    assert (first.ms or 0) >= 100, "the first one in VPP's life costs much, and the second one nothing of that"
    short = {name: port(name, acls=AclBinding(input=("short",))) for name in ("a", "b")}
    assert make_plan(replace(before, interfaces=short), replace(after, interfaces=short)).pauses.steps == ()


def test_sessions_of_nat_that_end_are_counted() -> None:
    settings = Nat44()
    state = State(objects={Nat44: {settings.name: settings}})
    assert (pauses(DisableNat44(item=settings), state=state).longest_ms or 0) > 50
    assert pauses(DisableNat44(item=settings), state=state, sizes=TableSizes()).steps == ()


def test_times_have_two_digits() -> None:
    texts = {0.0: "0 ms", 1.26: "1.3 ms", 14.4: "14 ms", 99.9: "0.1 s", 847.0: "0.85 s", 12_345.0: "12 s"}
    assert {ms: time_text(ms) for ms in texts} == texts
