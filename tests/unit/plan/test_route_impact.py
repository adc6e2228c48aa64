"""What a plan does to the traffic of static routes."""

from __future__ import annotations

from vppcfg.config.load import parse_text
from vppcfg.config.placeholders import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.render.impact_text import impact_lines, impact_summary

PORT = "interfaces: { eth0: { mtu: 1500, addresses: [ 192.0.2.1/24 ] } }\n"


def plan_between(before: str, after: str) -> Plan:
    first, second = (parse_text(PORT + text, "file").configuration for text in (before, after))
    assert first is not None and second is not None
    bare = assumed_state(first)
    there = make_plan(bare, resolve(first, bare).desired).reached
    return make_plan(there, resolve(second, there).desired)


def test_a_new_route_hurts_nobody() -> None:
    assert plan_between("", "routes: { 10.0.0.0/8: 192.0.2.2 }").impact is Impact.NONE


def test_a_route_that_goes_or_changes_is_named() -> None:
    plan = plan_between("routes: { 0.0.0.0/0: 192.0.2.2, 10.0.0.0/8: blackhole }", "routes: { 0.0.0.0/0: 192.0.2.3 }")
    assert plan.impacts == {"10.0.0.0/8": Impact.REMOVE, "0.0.0.0/0": Impact.FLAP}
    assert impact_summary(plan) == "remove on 10.0.0.0/8; flap on 0.0.0.0/0"
    assert list(impact_lines(plan)) == [
        "10.0.0.0/8 loses its next hops, because it is removed",
        "0.0.0.0/0 flaps, because it changes",
    ]
