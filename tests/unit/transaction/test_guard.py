"""What the guards say about a plan: which interfaces it hurts, the worst first, and no more names than one can read."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.plan.test_impact import STATE, UP
from tests.unit.plan.test_pauses import FULL, sized
from vppcfg.model.det44 import Det44Map, Det44Side
from vppcfg.model.state import State
from vppcfg.model.table_sizes import TableSizes
from vppcfg.model.vpp_object import Objects
from vppcfg.model.vrf import FibTable, ForeignRoutes
from vppcfg.operations.change import Action, ObjectKind
from vppcfg.plan.impact import Effect, Impact, Loss
from vppcfg.plan.plan import make_plan
from vppcfg.plan.services import ServicePart
from vppcfg.transaction.guard import Limits, about_routes, harm, mass_deletion, objections


def plan(impacts: dict[str, Impact]) -> Any:
    """Return what the guards look at of a plan that deletes nothing."""
    nothing = State(interfaces={})
    effects = {name: Effect(losses=(Loss(impact, ServicePart.LINK, "", 0),)) for name, impact in impacts.items()}
    worst = max(impacts.values(), default=Impact.NONE)
    return SimpleNamespace(effects=effects, impact=worst, changes=(), operations=(), observed=nothing, desired=nothing)


def test_a_plan_that_hurts_nothing_protected_is_not_spoken_of() -> None:
    assert harm(plan({"other": Impact.FLAP}), ["port"]) == ""


def test_of_what_is_protected_only_what_is_hurt_is_named_the_worst_first() -> None:
    said = harm(plan({"a": Impact.DEGRADE, "b": Impact.RECREATE, "other": Impact.REMOVE}), ["a", "b", "c"])
    assert said.endswith(f"protects: {Impact.RECREATE.label} on b, {Impact.DEGRADE.label} on a")


def test_five_names_are_said_and_the_rest_is_counted() -> None:
    names = [f"port{number}" for number in range(7)]
    impacts = dict.fromkeys(names, Impact.FLAP)
    assert harm(plan(impacts), names[:5]).count(" on port") == 5
    assert "more" not in harm(plan(impacts), names[:5])
    assert harm(plan(impacts), names).endswith(" on port4, impact on 2 more")


def test_the_least_that_is_allowed_is_allowed() -> None:
    flap = plan({"port": Impact.FLAP})
    limits = Limits(max_impact=Impact.FLAP, allow_mass_deletion=True)
    assert list(objections(flap, [], limits)) == []
    (objection,) = objections(plan({"port": Impact.RECREATE}), [], limits)
    assert f"the plan's impact is {Impact.RECREATE.label}, more than --max-impact {Impact.FLAP.label}" in objection.text


def test_a_step_that_stops_forwarding_for_too_long_is_refused_and_one_of_which_it_is_not_known() -> None:
    def found(sizes: TableSizes | None, limit_ms: float | None) -> list[str]:
        before = sized(STATE, sizes)
        after = replace(before, interfaces={**before.interfaces, "up": replace(UP, is_up=False)})
        return [each.text for each in objections(make_plan(before, after), [], Limits(max_pause_ms=limit_ms))]

    assert found(FULL, None) == found(None, None) == found(TableSizes(), 1.0) == found(FULL, 60_000.0) == []
    (text,) = found(FULL, 100.0)
    assert text.startswith("VPP will forward nothing for up to 0.")
    assert text.endswith(" s while it takes up down, more than --max-pause 100")
    (text,) = found(None, 100.0)
    assert text == "it is not known for how long VPP will forward nothing, and --max-pause 100 is to hold"


def test_a_protected_interface_is_guarded_unless_somebody_says_otherwise() -> None:
    flap = plan({"port": Impact.FLAP})
    (objection,) = objections(flap, ["port"], Limits(allow_mass_deletion=True))
    assert "--override-protected" in objection.hint
    assert list(objections(flap, ["port"], Limits(allow_mass_deletion=True, override_protected=True))) == []


def test_no_guard_is_lifted_unless_somebody_says_so() -> None:
    limits = Limits()
    assert (limits.override_protected, limits.allow_mass_deletion, limits.no_way_back) == (False, False, False)
    assert limits.max_impact is max(Impact), "the question before a change is what stands between"


def test_who_put_routes_into_a_table_that_goes_is_told_with_the_way_out() -> None:
    table = FibTable(table_id=5, is_ipv6=False, name="blue")
    change = SimpleNamespace(kind=ObjectKind.VRF, before=table)
    found = [
        ForeignRoutes(table=table, source="CLI", prefixes=("198.51.100.0/24", "192.0.2.0/24")),
        ForeignRoutes(table=table, source="lcp-rt-dynamic", prefixes=("203.0.113.0/24",)),
        ForeignRoutes(table=table, source="SR"),
    ]
    dataplane: Any = SimpleNamespace(foreign_routes=lambda tables: found)
    (objection,) = about_routes(plan_that_deletes(change), dataplane)
    assert "blue is to go" in objection.text
    assert "192.0.2.0/24, 198.51.100.0/24 typed at VPP's prompt" in objection.text
    assert "203.0.113.0/24 of lcp-rt-dynamic" in objection.text
    assert "those of SR" in objection.text
    assert "at VPP's prompt, `ip route del 192.0.2.0/24 table 5` and so on" in objection.hint
    assert "in Linux, those of its table 5" in objection.hint
    assert "where SR has them from" in objection.hint


@pytest.mark.parametrize(
    ("prefix", "stays", "objects_to"),
    [("203.0.113.0/28", False, False), ("203.0.113.0/28", True, True), ("198.51.100.0/28", False, True)],
    ids=["it leaves", "it stays outside", "no map has it"],
)
def test_the_routes_of_maps_go_with_det44_before_their_table(prefix: str, stays: bool, objects_to: bool) -> None:
    table = FibTable(table_id=5, is_ipv6=False, name="blue")
    maps: Objects = {Det44Map: {"a": Det44Map(inside="100.64.0.0/24", outside="203.0.113.0/28")}}
    outside = replace(UP, det44=Det44Side.OUTSIDE, tables=(5, 0), addresses=frozenset())
    before = State(interfaces={"up": outside}, vrfs={table.key: table}, objects=maps)
    left = replace(outside, tables=(0, 0), det44=Det44Side.OUTSIDE if stays else None)
    plan = make_plan(before, replace(before, interfaces={"up": left}, vrfs={}))
    found = ForeignRoutes(table=table, source="det44-low", prefixes=(prefix,))
    dataplane: Any = SimpleNamespace(foreign_routes=lambda tables: [found])
    assert bool(list(about_routes(plan, dataplane))) == objects_to


def plan_that_deletes(change: Any) -> Any:
    return SimpleNamespace(changes=(change,), operations=(), observed=State())


def deleting(deleted: int, *, interfaces: int = 0, lcps: int = 0, bridges: int = 0) -> Any:
    """Return what the guards look at of a plan that deletes so many LCP pairs of what there is."""
    change = SimpleNamespace(action=Action.DELETE, kind=ObjectKind.LCP)
    observed = SimpleNamespace(interfaces=range(interfaces), lcps=range(lcps), bridges=range(bridges))
    return SimpleNamespace(observed=observed, changes=[change] * deleted)


@pytest.mark.parametrize(
    ("deleted", "counts", "is_mass"),
    [
        (10, {"interfaces": 10, "lcps": 9}, True),
        (10, {"interfaces": 10, "lcps": 10}, False),
        (9, {"lcps": 9}, False),
        (10, {"lcps": 10}, True),
        (10, {"interfaces": 9, "lcps": 10, "bridges": 1}, False),
    ],
    ids=["more than half", "just half", "few", "not few any more", "bridges count"],
)
def test_ten_deletions_of_more_than_half_are_a_mass(deleted: int, counts: dict[str, int], is_mass: bool) -> None:
    said = mass_deletion(deleting(deleted, **counts))
    total = sum(counts.values())
    assert said == (f"the plan deletes {deleted} of {total} interfaces, LCP pairs and bridges" if is_mass else "")
