"""Work in proportion to the number of static routes, counted as in `test_work.py`; all of them take one reading."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from bench.networks import Network
from tests.unit.test_work import (
    LARGE,
    SMALL,
    calls_in,
    check,
    dump,
    impact_of_removal,
    plan_from_empty,
    plan_nothing,
    plan_to_empty,
    running,
    show_plan,
    states,
)
from vppcfg.model.route import Route
from vppcfg.plan.plan import make_plan

PORTS = """\
interfaces:
  eth0: { addresses: [ 192.0.2.1/24 ] }
  eth1: { addresses: [ 198.51.100.1/24 ] }
"""
HOPS = (
    "192.0.2.2",
    "{ via: { gateway: 198.51.100.2, interface: eth1 } }",
    "{ via: [ { gateway: 192.0.2.2, weight: 3 }, 198.51.100.2 ] }",
    "blackhole",
)


def routes(size: int) -> Network:
    """Return a router with so many routes of several kinds, all below a default route."""
    lines = [f"  10.{n >> 8 & 255}.{n & 255}.0/24: {HOPS[n % len(HOPS)]}" for n in range(size)]
    text = f"{PORTS}routes:\n  0.0.0.0/0: 192.0.2.3\n" + "\n".join(lines) + "\n"
    return Network(size=size, ports=("eth0", "eth1"), text=text, edit=("192.0.2.3", "192.0.2.4"))


CEILINGS: dict[Callable[[Network], object], float] = {
    check: 310,
    plan_from_empty: 108,
    plan_to_empty: 146,
    plan_nothing: 448,
    show_plan: 484,
    impact_of_removal: 380,
    dump: 160,
}
"""Function calls for each route."""


@pytest.mark.parametrize("work", CEILINGS, ids=lambda f: f.__name__)
def test_four_times_the_routes_take_four_times_the_work(work: Callable[[Network], object]) -> None:
    work(routes(10))
    for size in (SMALL, LARGE):
        states(routes(size).text)
    small, large = (calls_in(partial(work, routes(size))) for size in (SMALL, LARGE))
    per_route = (large - small) / (LARGE - SMALL)
    assert large < 4.3 * small
    assert per_route < CEILINGS[work], per_route


def messages(size: int) -> tuple[Counter[str], Counter[str]]:
    """Return what is asked to set so many routes, and to read them."""
    source = routes(size)
    operations = make_plan(*states(source.text)).operations
    with running(source.ports) as (vpp, dataplane):
        vpp.counts.clear()
        assert dataplane.perform(operations).refusals == ()
        setting = Counter(vpp.counts)
        vpp.counts.clear()
        assert len(dataplane.observe().of(Route)) == size + 1
        return setting, Counter(vpp.counts)


def test_a_route_is_one_message_to_set_and_none_to_read() -> None:
    (few, read_few), (many, read_many) = messages(SMALL), messages(LARGE)
    assert many - few == {"ip_route_add_del_v2": LARGE - SMALL}
    assert read_many == read_few
    assert read_many["ip_route_v2_dump"] == 2
    assert read_many["ip_route_lookup_v2"] == 0


def test_ten_thousand_routes_are_planned_and_a_change_of_one_is_one_step() -> None:
    source = routes(10_000)
    observed, desired = states(source.text)
    plan = make_plan(observed, desired)
    assert len(plan.reached.of(Route)) == 10_001
    other = states(source.edited)[1]
    assert [step.operation.subject for step in make_plan(plan.reached, other).steps] == ["0.0.0.0/0"]
