"""What a plan does to the traffic of static routes."""

from dataclasses import replace

import pytest

from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.render.impact_text import impact_lines, impact_summary

PORT = "interfaces: { eth0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] } }\n"
ALL = "0.0.0.0/0: 192.0.2.2"
BOTH = "10.0.0.0/8: { via: [ 192.0.2.2, 192.0.2.3 ] }"
TWO = "{ gateway: 192.0.2.2, weight: 2 }"


def behind(gateway: str) -> str:
    return f"{{ via: {{ gateway: {gateway}, interface: eth0 }} }}"


def plan_between(before: str, after: str) -> Plan:
    return between(PORT + before, PORT + after)


def between(before: str, after: str) -> Plan:
    first, second = (parse_text(text, "file").configuration for text in (before, after))
    assert first is not None and second is not None
    bare = assumed_state(first)
    there = make_plan(bare, resolve(first, bare).desired).reached
    return make_plan(there, resolve(second, there).desired)


def felt(before: str, after: str) -> list[str]:
    return list(impact_lines(plan_between(before, after)))


def test_a_new_route_hurts_nobody() -> None:
    assert plan_between("", "routes: { 10.0.0.0/8: 192.0.2.2 }").impact is Impact.NONE


def test_a_route_that_goes_or_changes_is_named() -> None:
    before = "routes: { 0.0.0.0/0: 192.0.2.2, 10.0.0.0/8: blackhole, 2001:db8::/32: { via: { interface: eth0 } } }"
    plan = plan_between(before, "routes: { 0.0.0.0/0: 192.0.2.3 }")
    assert plan.impacts == {"2001:db8::/32": Impact.REMOVE, "0.0.0.0/0": Impact.FLAP, "10.0.0.0/8": Impact.POLICY}
    assert impact_summary(plan) == "remove on 2001:db8::/32; flap on 0.0.0.0/0; policy on 10.0.0.0/8"
    assert list(impact_lines(plan)) == [
        "2001:db8::/32 loses its way, because it is removed",
        "0.0.0.0/0 takes another way, because it changes",
        "10.0.0.0/8 forwards what it dropped, because it is removed",
    ]


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        # the longest prefix that covers one decides
        (f"{ALL}, 10.0.0.0/8: 192.0.2.3", ALL, ["10.0.0.0/8 takes another way, because it is removed"]),
        (f"{ALL}, 10.0.0.0/8: 192.0.2.2", ALL, []),
        (ALL, f"{ALL}, 10.0.0.0/8: blackhole", ["10.0.0.0/8 loses its way, because it is set"]),
        (ALL, f"{ALL}, 10.0.0.0/8: 192.0.2.9", ["10.0.0.0/8 takes another way, because it is set"]),
        ("10.0.0.0/8: blackhole", "", []),
        ("10.0.0.0/8: blackhole", "10.0.0.0/8: unreachable", []),
        # gateways behind one interface; that of a host route to itself is the host, as in the network of the interface
        (f"10.0.0.0/8: {behind('192.0.2.2')}", f"10.0.0.0/8: {behind('192.0.2.2')}", []),
        (
            f"10.0.0.0/8: {behind('192.0.2.2')}",
            f"10.0.0.0/8: {behind('192.0.2.3')}",
            ["10.0.0.0/8 takes another way, because it changes"],
        ),
        (f"192.0.2.9/32: {behind('192.0.2.9')}", "", []),
        (
            f"192.0.2.9/32: {behind('192.0.2.2')}",
            "",
            ["192.0.2.9/32 takes another way, because it is removed"],
        ),
        # shares
        (BOTH, f"10.0.0.0/8: {{ via: [ {TWO}, {{ gateway: 192.0.2.3, weight: 2 }} ] }}", []),
        (
            BOTH,
            f"10.0.0.0/8: {{ via: [ {TWO}, 192.0.2.3 ] }}",
            ["10.0.0.0/8 shares its packets otherwise, because it changes"],
        ),
        (BOTH, "10.0.0.0/8: 192.0.2.2", ["10.0.0.0/8 takes another way, because it changes"]),
        ("10.0.0.0/8: 192.0.2.2", "10.0.0.0/8: { via: [ 192.0.2.2, { gateway: 192.0.2.3, preference: 1 } ] }", []),
        # a route that is found by another one
        (
            "10.0.0.0/8: 172.16.0.1, 172.16.0.0/12: 192.0.2.2",
            "10.0.0.0/8: 172.16.0.1, 172.16.0.0/12: 192.0.2.3",
            [
                "10.0.0.0/8 takes another way, because 172.16.0.0/12 changes",
                "172.16.0.0/12 takes another way, because it changes",
            ],
        ),
        # a gateway that others may know
        ("10.0.0.0/8: 203.0.113.1", "", ["10.0.0.0/8 loses its way, because it is removed"]),
        # what goes round in a circle
        (ALL, "0.0.0.0/0: 10.0.0.1", ["0.0.0.0/0 loses its way, because it changes"]),
    ],
)
def test_what_packets_feel_is_found_in_the_forwarding_table(before: str, after: str, lines: list[str]) -> None:
    assert felt(f"routes: {{ {before} }}", f"routes: {{ {after} }}") == lines


def test_tables_that_look_in_each_other_lead_nowhere() -> None:
    red = "vrfs: { red: { id: 10, routes: { 0.0.0.0/0: { via: { vrf: default } } } } }\n"
    assert felt(f"{red}routes: {{ {ALL} }}", red + "routes: { 0.0.0.0/0: { via: { vrf: red } } }") == [
        "0.0.0.0/0 loses its way, because it changes",
        "0.0.0.0/0 table 10 loses its way, because 0.0.0.0/0 changes",
    ]


def test_a_route_that_stays_loses_its_way_with_the_address_or_the_interface() -> None:
    first = PORT + "routes: { 10.0.0.0/8: 192.0.2.2, 10.1.0.0/16: { via: { gateway: 192.0.2.2, interface: eth0 } } }"
    moved, down = (
        first.replace("192.0.2.1/24", "198.51.100.1/24"),
        first.replace("mtu: 1500,", "mtu: 1500, state: down,"),
    )
    assert "10.0.0.0/8 loses its way, because eth0 gets another address instead" in list(
        impact_lines(between(first, moved))
    )
    described = moved.replace("mtu: 1500,", "mtu: 1500, description: changed,")
    assert list(impact_lines(between(first, described))) == list(impact_lines(between(first, moved)))
    lines = list(impact_lines(between(first, down)))
    assert any("10.0.0.0/8" in line and "10.1.0.0/16" in line and "lose their ways" in line for line in lines), lines


def test_a_hidden_route_feels_nothing() -> None:
    first, second = "routes: { 10.0.0.0/8: 192.0.2.2 }", "routes: { 10.0.0.0/8: 192.0.2.3 }"
    plan = plan_between(first, second)
    hidden = replace(plan.observed, hidden_by={"10.0.0.0/8": "lcp-rt"})
    assert make_plan(hidden, plan.desired).impact is Impact.NONE
