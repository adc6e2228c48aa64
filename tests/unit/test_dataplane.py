"""What is said of a VPP that is another process than before."""

import pytest

from vppcfg.dataplane import restarted_text


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
