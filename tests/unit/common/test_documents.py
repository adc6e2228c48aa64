"""Frozen dataclasses from plain data and back: what fits is taken, anything else is refused with its place."""

import tracemalloc
from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from vppcfg.common.documents import build, parse_json, plain, read_at_most
from vppcfg.record import record


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@record
class Wheel:
    size: float
    colour: Colour = Colour.RED


@record
class Cart:
    name: str
    wheels: tuple[Wheel, ...] = ()
    pair: tuple[float, int] | None = None
    is_new: bool = False
    papers: Mapping[str, Any] = field(default_factory=dict)


CART = Cart(name="x", wheels=(Wheel(size=1.5, colour=Colour.BLUE),), pair=(2.0, 3), papers={"a": [1, {"b": None}]})


def test_what_is_written_is_read_back() -> None:
    assert build(Cart, plain(CART), "the cart") == CART
    assert plain(CART)["wheels"] == [{"size": 1.5, "colour": "blue"}]


def test_whole_numbers_are_taken_where_others_are_allowed() -> None:
    assert build(Wheel, {"size": 2}, "the wheel") == Wheel(size=2.0)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ([], "the cart is not an object"),
        ({}, "the cart lacks an attribute: .*name"),
        ({"name": 1}, "name is 1, which is no str"),
        ({"name": "x", "is_new": 1}, "is_new is 1, which is no bool"),
        ({"name": "x", "speed": 1}, "speed is unknown"),
        ({"name": "x", "wheels": {}}, "wheels is not a list"),
        ({"name": "x", "wheels": [3]}, r"wheels\[0\] is not an object"),
        ({"name": "x", "wheels": [{}]}, r"wheels\[0\] lacks an attribute"),
        ({"name": "x", "wheels": [{"size": True}]}, r"wheels\[0\]\.size is True, which is no float"),
        ({"name": "x", "wheels": [{"size": 1, "colour": "green"}]}, r"colour is 'green', not one of red, blue"),
        ({"name": "x", "pair": [1]}, "pair has 1 entries, not 2"),
        ({"name": "x", "papers": []}, "papers is not an object"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(data: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        build(Cart, data, "the cart")


@pytest.mark.parametrize("text", [b'{"a": [1, 2.5, null]}', '{"a": [1, 2.5, null]}'])
def test_json_is_plain_data(text: bytes | str) -> None:
    assert parse_json(text, "file", 100) == {"a": [1, 2.5, None]}
    odd = f"[ -Infinity, NaN, 1e400, {'9' * 5000}, 1.5, 7 ]"
    assert parse_json(odd, "file", 9999, may_be_infinite=True) == [None, None, None, None, 1.5, 7]


def test_a_document_of_very_many_values_is_refused_before_they_take_memory() -> None:
    with pytest.raises(ValueError, match="file has more values than are read, 700,001 in lists and objects"):
        parse_json(b"[" + b"{}," * 700_000 + b"0]", "file", 1 << 22)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "file is empty"),
        (b" \n", "file is empty"),
        (b"\xff{}", "file is no text"),
        (b'{"a": 1', "file is cut off: its JSON ends in line 1, in the middle of the document"),
        (b'[\n1,\n"x', "file is cut off: its JSON ends in line 3, in the middle of the document"),
        (b'{"a": ]}', "file:1:7: not JSON: Expecting value"),
        (b"{} {}", "file:1:4: not JSON: Extra data"),
        (b"nonsense", "file:1:1: not JSON: Expecting value"),
        (b"[" * 50_000 + b"]" * 50_000, "file: lists or objects are nested too deeply"),
        (b"[ NaN ]", "file: the number NaN is none that can be reckoned with"),
        (b"9" * 5000, "file: a number has thousands of digits"),
        (b" " * (1 << 20), "file is larger than 0 MB"),
    ],
)
def test_what_is_no_json_is_refused_with_the_place(text: bytes, problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_json(text, "file", 200_000)
    assert str(caught.value) == problem


def test_what_a_document_of_another_program_has_besides_is_passed_over() -> None:
    data = {"size": 1, "more": {}}
    assert build(Wheel, data, "it", is_open=True) == Wheel(size=1.0)
    with pytest.raises(ValueError, match="more is unknown"):
        build(Wheel, data, "it")


def test_a_file_is_read_to_a_limit_and_takes_no_more_room_than_it_has(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 700_000)
    tracemalloc.start()
    try:
        assert len(read_at_most(path, 64 << 20)) == 700_000
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()
    assert [len(read_at_most(path, most)) for most in (699_999, 700_000, 10, 0)] == [700_000, 700_000, 11, 1]
    assert len(read_at_most(Path("/dev/zero"), 1_000_000)) == 1_000_001
