"""Rules about unnumbered interfaces."""

import pytest

from vppcfg.config.load import parse_text
from vppcfg.model.problem import Severity

LOOPBACKS = "loopbacks: {loop0: {addresses: [192.0.2.1/32]}, loop1: {unnumbered: loop0}}"


def found_in(text: str) -> list[tuple[str, str]]:
    problems = parse_text(f"interfaces: {text}\n{LOOPBACKS}", "test").problems
    return [(each.rule, str(each.path[1])) for each in problems if each.severity is not Severity.NOTICE]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{a: {unnumbered: loop0}}", []),
        ("{a: {unnumbered: b}, b: {addresses: [198.51.100.1/24]}}", []),
        ("{a: {sub-interfaces: {1: {unnumbered: loop0}}}}", []),
        ("{a: {unnumbered: loop0, lcp: e0, mpls: true}}", []),
        ("{a: {unnumbered: loop2}}", [("unnumbered-target-missing", "a")]),
        ("{a: {unnumbered: LOOP0}}", [("unnumbered-target-missing", "a")]),
        ("{a: {unnumbered: a}}", [("unnumbered-self", "a")]),
        ("{a: {unnumbered: loop1}}", [("unnumbered-unnumbered", "a")]),
        ("{a: {unnumbered: b}, b: {l2xc: c}, c: {}}", [("unnumbered-l2", "a")]),
        ("{a: {unnumbered: b}, b: {}, c: {l2xc: b}}", [("unnumbered-l2", "a")]),
        ("{a: {unnumbered: loop0, addresses: [198.51.100.1/24]}}", [("unnumbered-with-addresses", "a")]),
        ("{a: {unnumbered: loop0, l2xc: b}, b: {}}", [("l2-unnumbered", "a")]),
        ("{a: {unnumbered: loop0}, b: {l2xc: a}}", [("l2-unnumbered", "a")]),
        (
            "{a: {sub-interfaces: {1: {unnumbered: loop0, encapsulation: {dot1q: 1}}}}}",
            [("unnumbered-not-exact-match", "a")],
        ),
        ("{a: {unnumbered: b}, b: {unnumbered: a}}", [("unnumbered-unnumbered", "a"), ("unnumbered-unnumbered", "b")]),
    ],
)
def test_who_may_borrow_from_whom(text: str, expected: list[tuple[str, str]]) -> None:
    assert found_in(text) == expected
