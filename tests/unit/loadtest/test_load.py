"""Loads in T-Rex's spelling, and what a port carries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.loadtest.samples import CHECKS
from vppcfg.errors import UsageError
from vppcfg.loadtest.load import LineRate, directions_of, line_rate_of, parse_load
from vppcfg.loadtest.profile import profile_of

GIGABIT = line_rate_of(profile_of("bench"), 10**9)


@pytest.mark.parametrize(
    ("text", "pps"),
    [
        ("1kpps", 1000),
        ("1.48mpps", 1.48e6),
        ("1.48 Mpps", 1.48e6),
        ("500pps", 500),
        ("100%", 1e9 / 672),
        ("0.5%", 1e9 / 672 / 200),
        ("672mbpsl1", 1e6),
        ("755.21mbps", 755.21e6 / 512),
        ("991.21mbpsl1", 1475015),
    ],
)
def test_a_load_is_packets_per_second(text: str, pps: float) -> None:
    assert parse_load(text, GIGABIT) == pytest.approx(pps, rel=1e-5)


@pytest.mark.parametrize("text", ["", "fast", "1", "1kbit", "-1kpps", "1kpps+", "1e3pps", "١kpps", "%"])
def test_what_is_no_load_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no load"):
        parse_load(text, GIGABIT)


def test_a_load_of_nothing_and_one_above_line_rate_are_refused() -> None:
    with pytest.raises(UsageError, match="a load of 0pps is none"):
        parse_load("0pps", GIGABIT)
    with pytest.raises(UsageError, match=r"a load of 2mpps is 134\.4 % of line rate, 1,488,095 pps"):
        parse_load("2mpps", GIGABIT)


@CHECKS
@given(
    percent=st.floats(0.001, 100), link_bps=st.sampled_from([10**8, 10**9, 10**10, 10**11]), size=st.integers(64, 9000)
)
def test_a_percentage_survives_the_way_there_and_back(percent: float, link_bps: int, size: int) -> None:
    rate = LineRate(link_bps=link_bps, mean_frame_bytes=size, mean_wire_bits=(size + 20) * 8)
    assert rate.percent(rate.of_percent(percent)) == pytest.approx(percent)


def test_ports_make_pairs_with_two_ways_or_one() -> None:
    both = directions_of(("0", "1", "2", "3"), is_unidirectional=False)
    assert [(way.name, way.is_return) for way in both] == [
        ("0->1", False),
        ("1->0", True),
        ("2->3", False),
        ("3->2", True),
    ]
    assert [way.name for way in directions_of(("0", "1"), is_unidirectional=True)] == ["0->1"]


@pytest.mark.parametrize("ports", [(), ("0",), ("0", "1", "2"), ("1", "1")])
def test_ports_that_make_no_pairs_are_refused(ports: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        directions_of(ports, is_unidirectional=False)
