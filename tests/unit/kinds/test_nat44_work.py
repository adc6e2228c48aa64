"""NAT44 with ten thousand mappings: work in proportion, counted in function calls as in tests/unit/test_work.py."""

from collections.abc import Callable
from functools import lru_cache, partial
from ipaddress import IPv4Address

import pytest

from tests.unit.test_work import calls_in
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.render.diff_view import diff_lines
from vppcfg.render.plan_text import plan_text

FEW, MANY = 1_000, 4_000
HEAD = """
interfaces:
  wan0: { addresses: [ 203.0.113.2/24 ], nat44: outside }
  lan0: { addresses: [ 10.0.0.1/16 ], nat44: inside }
nat44:
  pools: [ 203.0.113.8 ]
  static:
"""


@lru_cache
def text_of(count: int, port: int = 80) -> str:
    """Return a file with that many port forwards, each to a host of its own."""
    first = int(IPv4Address("10.0.1.0"))
    lines = [
        f"    m{number}: {{ protocol: tcp, local: '{IPv4Address(first + number)}:{port}', "
        f"external: '203.0.113.8:{1024 + number}' }}\n"
        for number in range(count)
    ]
    return HEAD + "".join(lines)


@lru_cache
def configuration_of(count: int, port: int = 80) -> Configuration:
    configuration = parse_text(text_of(count, port), "test").configuration
    assert configuration is not None
    return configuration


@lru_cache
def first_plan(count: int) -> Plan:
    observed = assumed_state(configuration_of(count))
    return make_plan(observed, resolve(configuration_of(count), observed).desired)


def check(count: int) -> None:
    """Parse and check the file."""
    assert parse_text(text_of(count), "test").configuration is not None


def plan_all(count: int) -> None:
    """Plan all of it for a VPP without NAT44, as text."""
    observed = assumed_state(configuration_of(count))
    plan = make_plan(observed, resolve(configuration_of(count), observed).desired)
    assert len(plan.steps) > count
    assert plan_text(plan)


def compare(count: int) -> None:
    """Compare it with a VPP that has all of it."""
    reached = first_plan(count).reached
    assert not make_plan(reached, resolve(configuration_of(count), reached).desired).steps


def change_all(count: int) -> None:
    """Lead every mapping elsewhere."""
    reached = first_plan(count).reached
    plan = make_plan(reached, resolve(configuration_of(count, 8080), reached).desired)
    assert len(plan.steps) == 2 * count
    assert list(diff_lines(plan))


@pytest.mark.parametrize(
    ("work", "count", "ceiling"),
    [(check, FEW, 294), (plan_all, MANY, 230), (compare, MANY, 150), (change_all, FEW, 1260)],
    ids=["check", "plan", "compare", "change"],
)
def test_mappings_take_work_in_proportion(work: Callable[[int], None], count: int, ceiling: int) -> None:
    for size in (count // 4, count):
        configuration_of(size, 8080)
        first_plan(size)
    small, large = calls_in(partial(work, count // 4)), calls_in(partial(work, count))
    assert large / count < ceiling
    assert large < 4.3 * small
