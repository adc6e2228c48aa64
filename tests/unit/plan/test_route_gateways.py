"""Gateways are held while their routes change, where nothing else leads to them for certain: VPP may crash."""

import pytest

from tests.unit.plan.test_route_impact import between
from vppcfg.entries.section import Unmanaged
from vppcfg.kinds.address import RemoveAddress
from vppcfg.kinds.route import RemoveRoute, SetRoute
from vppcfg.kinds.route_section import SECTION
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.operations.operation import Operation

LOOPS = "loopbacks: {{ loop0: {{ {first} }}, loop1: {{ {second} }} }}\nroutes: {routes}\n"
OLD, NEW = "addresses: [ 192.0.2.1/24 ]", "addresses: [ 198.51.100.1/24 ]"
BOTH = "{ 0.0.0.0/0: { via: [ 192.0.2.2, 192.0.2.3 ] } }"


def router(routes: str, first: str = OLD, second: str = "") -> str:
    return LOOPS.format(first=first, second=second, routes=routes)


def holding(before: str, after: str) -> list[Operation]:
    """Return the steps about routes to addresses that no packet has."""
    routes = [each for each in between(before, after).operations if isinstance(each, SetRoute | RemoveRoute)]
    return [each for each in routes if each.item.prefix.startswith(("240.118.99.", "100::"))]


def test_gateways_are_held_from_before_their_network_goes_until_the_route_has_changed() -> None:
    after = router("{ 0.0.0.0/0: 198.51.100.2 }", "", NEW)
    operations = between(router(BOTH), after).operations
    hold, release = holding(router(BOTH), after)
    assert isinstance(hold, SetRoute) and isinstance(release, RemoveRoute)
    assert [hop.gateway for hop in hold.item.hops] == ["192.0.2.2", "192.0.2.3"]
    places = [
        next(place for place, each in enumerate(operations) if each == hold),
        next(place for place, each in enumerate(operations) if isinstance(each, RemoveAddress)),
        next(place for place, each in enumerate(operations) if each.subject == "0.0.0.0/0"),
        next(place for place, each in enumerate(operations) if each == release),
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (router(BOTH), router("{ 0.0.0.0/0: 192.0.2.2 }")),
        (router("{ 10.0.0.0/8: 192.0.2.2 }"), router("{}", "")),
        (router("{ 0.0.0.0/0: { via: { gateway: 192.0.2.2, interface: loop0 } } }"), router("{}", "")),
        (router(BOTH), router(BOTH, "", NEW)),
    ],
    ids=["its network stays", "outside of the route", "by an interface", "the route stays"],
)
def test_nothing_is_held_where_no_gateway_goes_with_its_route(before: str, after: str) -> None:
    assert holding(before, after) == []


def test_another_prefix_holds_them_where_the_file_has_the_first() -> None:
    there = "240.118.99.1/32: 192.0.2.2"
    steps = holding(router(f"{{ 0.0.0.0/0: 203.0.113.1, {there} }}"), router(f"{{ {there} }}"))
    assert [each.subject for each in steps] == ["240.118.99.2/32"] * 2


def test_gateways_of_ipv6_are_held_by_a_route_of_ipv6() -> None:
    steps = holding(router('{ "::/0": "2001:db8::1" }'), router("{}"))
    assert [each.subject for each in steps] == ["100::76:63:1/128"] * 2


def test_gateways_in_a_table_that_goes_are_released_before_it_does() -> None:
    vrf = "vrfs: { red: { id: 10, routes: { 0.0.0.0/0: 192.0.2.9 } } }\n"
    steps = holding(vrf + router("{}"), router("{}"))
    assert [each.subject for each in steps] == ["240.118.99.1/32 table 10"] * 2


def test_more_gateways_than_a_route_has_room_for_are_held_by_several() -> None:
    many = ", ".join(f"10.{n // 250}.{n % 250}.0/24: 10.{n // 250}.{n % 250}.1" for n in range(300))
    steps = holding(router(f"{{ {many} }}"), router("{}"))
    assert [len(each.item.hops) for each in steps if isinstance(each, SetRoute)] == [200, 100]
    assert len({each.subject for each in steps}) == 2 and len(steps) == 4


def test_to_hold_gateways_is_no_impact() -> None:
    plan = between(router(BOTH), router("{ 0.0.0.0/0: 198.51.100.2 }", "", NEW))
    assert not [name for name in plan.impacts if name.startswith("240.")]


def test_an_interface_that_only_changes_its_description_leads_to_gateways() -> None:
    described = router("{ 0.0.0.0/0: 192.0.2.2 }", f"description: other, {OLD}")
    assert holding(router(BOTH), described) == []


def test_a_file_written_after_a_change_that_was_killed_has_no_route_that_holds_gateways() -> None:
    hold = holding(router(BOTH), router("{ 0.0.0.0/0: 198.51.100.2 }", "", NEW))[0]
    assert isinstance(hold, SetRoute)
    left = State(objects={Route: {each.name: each for each in (hold.item, Route(prefix="240.118.0.0/16"))}})
    assert [each.prefix for each in SECTION.from_state(left, Unmanaged.nothing())] == ["240.118.0.0/16"]
