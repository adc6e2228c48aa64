"""The arithmetic of loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.loadtest.samples import CHECKS, sample
from vppcfg.loadtest.engine import Tally
from vppcfg.loadtest.load import certain_loss_ratio, loss_ratio, loss_text, sum_of
from vppcfg.loadtest.series import first_of_last_failing_run, rates_pps, sample_loss, tallies_of

COUNTS = st.integers(0, 10**12)
TALLIES = st.builds(Tally, sent=COUNTS, received=COUNTS)


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
    ("ratio", "text"),
    [(0, "0 %"), (1e-9, "<0.0001 %"), (0.000123, "0.0123 %"), (0.05, "5.00 %"), (1.0, "100.00 %")],
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


def test_rates_and_sums_come_from_counters() -> None:
    series = [sample(1.0, (1000, 900)), sample(2.0, (500, 500))]
    assert rates_pps(series[0], 0) == (1000.0, 900.0)
    assert tallies_of(series, 0) == Tally(sent=1500, received=1400)
