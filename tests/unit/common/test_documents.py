"""Frozen dataclasses from plain data and back: what fits is taken, anything else is refused with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Any

import pytest

from vppcfg.common.documents import build, plain
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
