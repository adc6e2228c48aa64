"""What somebody may have meant by a name that nothing has."""

import pytest

from vppcfg.common.resemblance import did_you_mean, resembling


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("egde-in", ("edge-in", "egress"), "edge-in"),
        ("Up", ("up", "down"), "up"),
        ("tpc", ("xtp", "tcp"), "tcp"),
        ("GigabitEthernet3/0/1", ("GigabitEthernet3/0/0",), None),
        ("abc", ("xyz",), None),
        ("ETH1", [f"eth{number}" for number in range(3000)], "eth1"),
        ("Edge", ["edge", *(f"list-{number}" for number in range(3000))], "edge"),
        ("egde", ["edge", *(f"list-{number}" for number in range(3000))], None),
    ],
)
def test_the_name_that_is_most_like_it_is_found(name: str, known: tuple[str, ...], expected: str | None) -> None:
    assert resembling(name, known) == expected
    assert did_you_mean(name, known) == (f"; did you mean `{expected}`?" if expected else "")
