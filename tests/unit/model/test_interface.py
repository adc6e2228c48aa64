"""Interfaces and their encapsulations."""

from dataclasses import replace

import pytest

from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch
from vppcfg.record import evolve

PORT = Interface(name="gi0", kind=InterfaceKind.PHYSICAL, mac="02:00:00:00:00:01", addresses=frozenset({"10.0.0.1/8"}))


def test_a_copy_differs_in_what_was_changed_and_in_nothing_else() -> None:
    assert evolve(PORT) == PORT
    assert evolve(PORT, is_up=True, l2xc="gi1") == replace(PORT, is_up=True, l2xc="gi1")
    assert not PORT.is_up


def test_an_attribute_that_does_not_exist_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        evolve(PORT, colour="blue")


@pytest.mark.parametrize(
    ("outer", "inner", "is_carried"),
    [
        (Encapsulation(outer=1), Encapsulation(outer=1, inner=2), True),
        (Encapsulation(outer=1, is_exact=True), Encapsulation(outer=1, inner=2, is_exact=True), True),
        (Encapsulation(outer=1, is_dot1ad=True), Encapsulation(outer=1, inner=2), False),
        (Encapsulation(outer=2), Encapsulation(outer=1, inner=2), False),
        (Encapsulation(outer=1), Encapsulation(outer=1), False),
        (Encapsulation(outer=1, inner=2), Encapsulation(outer=1, inner=2), False),
    ],
)
def test_one_tag_carries_two_with_the_same_outer_one(
    outer: Encapsulation, inner: Encapsulation, is_carried: bool
) -> None:
    assert outer.carries(inner) == is_carried


def test_depth_counts_tags() -> None:
    sub = replace(PORT, kind=InterfaceKind.SUB_INTERFACE, parent="gi0", encapsulation=Encapsulation(outer=1))
    assert PORT.depth == 0
    assert sub.depth == 1
    assert replace(sub, encapsulation=Encapsulation(outer=1, inner=2)).depth == 2
    assert replace(sub, encapsulation=OtherMatch(flags=32)).depth == 1
