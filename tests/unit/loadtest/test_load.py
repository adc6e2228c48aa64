"""Loads mean what people write, and the arithmetic of losses holds at its edges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.loadtest.samples import CHECKS, sample
from vppcfg.errors import UsageError
from vppcfg.loadtest.engine import Tally
from vppcfg.loadtest.load import (
    LineRate,
    certain_loss_ratio,
    directions_of,
    first_of_last_failing_run,
    line_rate_of,
    loss_ratio,
    loss_text,
    parse_load,
    rates_pps,
    sample_loss,
    sum_of,
)
from vppcfg.loadtest.profile import profile_of

GIGABIT = line_rate_of(profile_of("bench"), 10**9)
COUNTS = st.integers(0, 10**12)
TALLIES = st.builds(Tally, sent=COUNTS, received=COUNTS)


@pytest.mark.parametrize(
    ("text", "pps"),
    [
        *(("1kpps", 1000), ("1.48mpps", 1.48e6), ("1.48 Mpps", 1.48e6), ("500pps", 500), ("100%", 1e9 / 672)),
        *(("0.5%", 1e9 / 672 / 200), ("672mbpsl1", 1e6), ("755.21mbps", 755.21e6 / 512), ("991.21mbpsl1", 1475015)),
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


@CHECKS
@given(tally=TALLIES, intended=COUNTS)
def test_a_loss_is_a_share(tally: Tally, intended: int) -> None:
    assert 0.0 <= loss_ratio(tally, intended) <= 1.0


@CHECKS
@given(tally=TALLIES, intended=COUNTS)
def test_packets_that_were_never_sent_never_lower_a_loss(tally: Tally, intended: int) -> None:
    assert loss_ratio(tally, intended) >= loss_ratio(tally) - 1e-12


@CHECKS
@given(sent=st.integers(1, 10**12), share=st.floats(0, 1))
def test_a_loss_is_what_did_not_come_back(sent: int, share: float) -> None:
    lost = int(sent * share)
    assert loss_ratio(Tally(sent=sent, received=sent - lost)) == pytest.approx(lost / sent)


@CHECKS
@given(tallies=st.lists(TALLIES))
def test_tallies_add_up(tallies: list[Tally]) -> None:
    total = sum_of(tallies)
    assert (total.sent, total.received) == (sum(t.sent for t in tallies), sum(t.received for t in tallies))
    assert total - total == Tally()


def test_packets_from_elsewhere_are_no_negative_loss() -> None:
    assert loss_ratio(Tally(sent=10, received=12)) == 0.0


def test_what_may_be_on_its_way_is_not_lost_for_certain() -> None:
    assert certain_loss_ratio(Tally(sent=1000, received=990), uncertainty=10) == 0.0
    assert certain_loss_ratio(Tally(sent=1000, received=980), uncertainty=10) == pytest.approx(0.01)
    assert certain_loss_ratio(Tally(), uncertainty=0) == 0.0
    assert sample_loss(sample(1.0, (1000, 990), uncertainty_s=0.01), 0) == 0.0


@pytest.mark.parametrize(
    ("ratio", "text"), [(0, "0 %"), (1e-9, "<0.0001 %"), (0.000123, "0.0123 %"), (0.05, "5.00 %"), (1.0, "100.00 %")]
)
def test_a_loss_that_is_not_nothing_never_looks_like_it(ratio: float, text: str) -> None:
    assert loss_text(ratio) == text


def test_loss_begins_with_the_last_unbroken_run_of_losing_samples() -> None:
    losing, clean = (1000, 900), (1000, 1000)
    series = [
        sample(float(at), counts, load_pps=100.0 * at)
        for at, counts in enumerate((clean, losing, clean, losing, losing), 1)
    ]
    first = first_of_last_failing_run(series, 0.001)
    assert first is not None
    assert first.load_pps == 400.0
    assert first_of_last_failing_run(series[:3], 0.001) is None
    assert first_of_last_failing_run([], 0.001) is None


def test_a_second_in_which_the_generator_sent_too_little_does_not_part_a_run_of_losses() -> None:
    counts = ((1000, 1000), (1100, 1000), (700, 700), (1300, 1000), (1400, 1000))
    series = [sample(float(at), tally, load_pps=900.0 + 100 * at) for at, tally in enumerate(counts, 1)]
    first = first_of_last_failing_run(series, 0.001)
    assert first is not None
    assert first.load_pps == 1100.0


def test_loss_that_must_not_be_at_all_begins_nowhere_where_nothing_is_lost() -> None:
    assert first_of_last_failing_run([sample(1.0, (1000, 1000)), sample(2.0, (1100, 1100))], 0.0) is None


def test_rates_and_sums_come_from_counters() -> None:
    series = [sample(1.0, (1000, 900)), sample(2.0, (500, 500))]
    assert rates_pps(series[0], 0) == (1000.0, 900.0)
    assert sum_of(each.tallies[0] for each in series) == Tally(sent=1500, received=1400)
