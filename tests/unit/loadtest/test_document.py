"""Results as JSON: what is written is read back; what is damaged is refused with the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.loadtest.samples import CHECKS, result, sample, stateful_result
from vppcfg.errors import UsageError
from vppcfg.loadtest.document import read_result, result_of, text_of
from vppcfg.loadtest.load import Gap, gaps_of
from vppcfg.loadtest.result import Result

WHOLE = result(sample(1.0, (10, 10), (10, 9)), sample(2.0, (20, 20), (20, 18)))


@pytest.mark.parametrize("whole", [WHOLE, stateful_result()], ids=["ramp", "astf"])
def test_what_is_written_is_read_back(whole: Result, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(text_of(whole))
    assert read_result(path) == whole


@CHECKS
@given(share=st.floats(0.01, 0.99))
def test_a_file_cut_anywhere_is_said_to_be_cut_off(share: float, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("cut") / "ramp.json"
    text = text_of(WHOLE).rstrip()
    path.write_text(text[: max(int(share * len(text)), 1)])
    with pytest.raises(UsageError, match=r"ramp\.json is cut off: its JSON ends in line \d+"):
        read_result(path)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        ("hello", "1:1: not JSON"),
        ("[1]", "is no result of a load test: it has no format_version"),
        ('{"format_version": 99}', "has format_version 99, and this vppcfg reads 1"),
        ('{"format_version": 1, "kind": "ramp"}', "the result lacks an attribute"),
        ('{"format_version": NaN}', "some.json: the number NaN is none that can be reckoned with"),
        ('{"format_version": 1, "bogus": 1}', "bogus is unknown"),
    ],
)
def test_what_is_no_result_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=problem):
        read_result(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*none\.json: No such file"):
        read_result(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (("samples", 1, "at_s"), 1.0, r"samples\[1\] is at 1.0 s, which is not after the one before it"),
        (("samples", 0, "duration_s"), 0.0, r"samples\[0\].duration_s is 0, in which nothing can be counted"),
        (("samples", 0, "tallies"), [], r"samples\[0\] has 0 directions, and the test has 2"),
        (("samples", 0, "tallies", 0, "sent"), -1, r"samples\[0\].tallies\[0\].sent is -1, which is less than nothing"),
        (("samples", 0, "phase"), "sleep", r"samples\[0\].phase is 'sleep', not one of warm-up, ramp"),
        (("samples", 0, "load_pps"), "much", r"samples\[0\].load_pps is 'much', which is no float"),
        (("samples",), 3, "samples is not a list"),
    ],
)
def test_what_cannot_have_been_counted_is_refused_with_its_place(
    place: tuple[Any, ...], value: Any, problem: str
) -> None:
    refuse(WHOLE, place, value, problem)


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (("samples", 1, "at_s"), 1.0, r"stateful.samples\[1\] is at 1.0 s, which is not after the one before it"),
        (("samples", 0, "duration_s"), 0.0, r"stateful.samples\[0\].duration_s is 0, in which nothing can be counted"),
        (("samples", 0, "tallies"), [], r"stateful.samples\[0\] has 0 directions, and the test has 2"),
        (("tallies",), [{}], r"stateful.tallies has 1 directions, and the test has 2"),
        (("samples", 0, "rate_cps"), 1e14, "rate_cps is 100000000000000.0, which is more than any port carries"),
        (("totals", "begun"), -1, "begun is -1, which is less than nothing"),
        (("totals", "sent_bytes"), 10**19, "sent_bytes is .*, which is more than anything here counts"),
        (("failed_ratio",), 1.5, "failed_ratio is 1.5, which is more than all of it"),
    ],
)
def test_connections_that_cannot_have_been_counted_are_refused_with_their_place(
    place: tuple[Any, ...], value: Any, problem: str
) -> None:
    refuse(stateful_result(), ("stateful", *place), value, problem)


def refuse(whole: Result, place: tuple[Any, ...], value: Any, problem: str) -> None:
    document = json.loads(text_of(whole))
    target = document
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = value
    with pytest.raises(UsageError, match=problem):
        result_of(document, "file")


def test_missing_seconds_are_gaps_and_the_rest_stays() -> None:
    samples = tuple(sample(at_s, (1, 1)) for at_s in (1.0, 2.0, 5.0, 6.2))
    assert gaps_of(samples) == (Gap(from_s=2.0, to_s=4.0),)
    assert result_of(json.loads(text_of(result(*samples))), "file").samples == samples
