"""What is said of a VPP that is another process than before."""

import pytest

from vppcfg.dataplane import is_restarted, restarted_text


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (
            "process 17435 since 397178/c94a3b",
            "process 17501 since 401002/c94a3b",
            "VPP was restarted: it was process 17435 and is process 17501",
        ),
        ("process 1 since 397178/c94a3b", "process 1 since 401002/c94a3b", "VPP was restarted"),
    ],
)
def test_processes_are_named_and_not_what_tells_them_apart(before: str, now: str, expected: str) -> None:
    assert restarted_text(before, now) == expected


@pytest.mark.parametrize(
    ("now", "is_another"),
    [
        ("process 7 since 397178/c94a3b", False),
        ("process 7 since 401002/c94a3b", True),
        ("process 7 since 397178/77aa01", True),
        ("process 8 since 397178/c94a3b", True),
        ("process 7 since 1764517000", False),
        ("process 7", False),
        ("process 8 since 1764517000", True),
        ("process 8", True),
    ],
)
def test_start_times_are_compared_where_they_were_read_in_the_same_way(now: str, *, is_another: bool) -> None:
    before = "process 7 since 397178/c94a3b"
    assert is_restarted(before, now) is is_another
    assert is_restarted(now, before) is is_another


def test_start_times_of_statistics_are_compared_with_each_other() -> None:
    assert is_restarted("process 7 since 1764517000", "process 7 since 1764517042")
    assert not is_restarted("process 7 since 1764517000", "process 7")
    assert not is_restarted("process 7", "process 7")
