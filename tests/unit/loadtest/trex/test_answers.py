"""Values in answers: of their kind and in range, absent ones by their default, anything else an error with its name."""

from collections.abc import Callable

import pytest

from vppcfg.errors import EngineError
from vppcfg.loadtest.trex.answers import count, counter, flag, items, measure, section, text


def test_what_is_left_out_or_null_has_a_default() -> None:
    for answer in ({}, {"x": None}):
        assert (count(answer, "x"), measure(answer, "x"), text(answer, "x", "none")) == (0, 0.0, "none")
        assert (flag(answer, "x"), items(answer, "x"), section(answer, "x", "y")) == (None, [], {})


def test_what_is_there_is_read() -> None:
    answer = {"x": {"y": {"z": 5}}, "list": [{"a": 1}], "number": "1.5", "is": False, "count": 7.0}
    assert section(answer, "x", "y") == {"z": 5}
    assert items(answer, "list") == [{"a": 1}]
    assert (measure(answer, "number"), flag(answer, "is"), count(answer, "count")) == (1.5, False, 7)


ODD: dict[Callable[..., object], tuple[object, ...]] = {
    count: (-1, 10**19, float("nan"), True, [], {}, "x", float("inf"), "1e400"),
    counter: (None, -1),
    measure: (-0.5, float("nan"), float("inf"), "nan", "", [], True),
    text: ([], {}, "x" * 2000),
    flag: (0, 1, "true", []),
    items: ({}, 5, "x", [5], [[]]),
    section: ([], 5, "x", True),
}


@pytest.mark.parametrize(("read", "value"), [(read, value) for read, values in ODD.items() for value in values])
def test_anything_else_is_an_error_that_names_it(read: Callable[..., object], value: object) -> None:
    with pytest.raises(EngineError, match="where some_counter should be") as caught:
        read({"some_counter": value}, "some_counter")
    assert len(caught.value.message) < 200


def test_an_answer_that_is_no_object_is_an_error() -> None:
    with pytest.raises(EngineError, match="T-Rex answers 5 where an answer should be"):
        section(5)


@pytest.mark.parametrize("read", [count, measure])
def test_a_number_of_thousands_of_digits_is_an_error_too(read: Callable[..., object]) -> None:
    with pytest.raises(EngineError, match="T-Rex answers a number of thousands of digits where x should be"):
        read({"x": 10**5000}, "x")
