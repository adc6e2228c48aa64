"""Rules about cross-connects."""

import re

import pytest

from vppcfg.config.load import parse_text

POP, TO_2 = ", tag-rewrite: {pop: 1}", ", tag-rewrite: {translate: {dot1q: 2}}"
SUBS = "{{a: {{sub-interfaces: {{1: {{l2xc: b.2{}}}}}}}, b: {{sub-interfaces: {{2: {{l2xc: a.1{}}}}}}}}}"


def found_in(text: str) -> list[tuple[str, str]]:
    return [(problem.rule, str(problem.path[1])) for problem in parse_text(f"interfaces: {text}", "test").problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{a: {l2xc: b}, b: {l2xc: a}}", []),
        ("{a: {l2xc: b}, b: {}}", [("l2xc-return", "a")]),
        ("{a: {l2xc: b}, b: {l2xc: c}, c: {l2xc: a}}", []),
        ("{a: {l2xc: b}}", [("l2xc-target-missing", "a")]),
        ("{a: {l2xc: A}, b: {l2xc: a}}", [("l2xc-target-missing", "a")]),
        ("{a: {l2xc: b.1}, b: {}}", [("l2xc-target-missing", "a")]),
        ("{a: {l2xc: x}, b: {l2xc: x}}", [("l2xc-target-missing", "a"), ("l2xc-target-missing", "b")]),
        ("{a: {l2xc: a}}", [("l2xc-self", "a")]),
        ("{a: {l2xc: c}, b: {l2xc: c}, c: {}}", [("l2xc-shared", "b")]),
        ("{a: {l2xc: b, mtu: 9000}, b: {l2xc: a}}", [("l2xc-mtu", "a")]),
        ("{a: {l2xc: b}, b: {l2xc: a, mtu: 9000}}", [("l2xc-mtu", "a")]),
        ("{b: {l2xc: a}, a: {mtu: 9000}}", [("l2xc-mtu", "b"), ("l2xc-return", "b")]),
        ("{a: {l2xc: b, mtu: 9000}, b: {l2xc: c}, c: {}}", [("l2xc-mtu", "a"), ("l2xc-return", "b")]),
        ("{a: {l2xc: b}, b: {gso: true}}", [("l2xc-one-way", "a"), ("l2xc-return", "a")]),
        ("{a: {l2xc: b, gso: true}, b: {gso: true, l2xc: a}}", []),
        ("{a: {l2xc: b, gso: true}, b: {gso: true, l2xc: c}, c: {}}", [("l2xc-return", "b")]),
        ("{a: {l2xc: b}, b: {lcp: e0}}", [("l2xc-lcp", "a")]),
        ("{a: {l2xc: b}, b: {addresses: [192.0.2.1/24]}}", [("l2xc-address", "a")]),
        ("{a: {l2xc: b}, b: {l2xc: a, lcp: e0}}", [("l2-lcp", "b")]),
        ("{a: {l2xc: b, sub-interfaces: {1: {state: up}}}, b: {}}", [("l2xc-return", "a"), ("l2xc-with-subs", "a")]),
        ("{a: {l2xc: b}, b: {sub-interfaces: {1: {state: up}}}}", [("l2xc-return", "a")]),
        ("{a: {l2xc: b.1}, b: {sub-interfaces: {1: {l2xc: a}}}}", []),
        ("{a: {sub-interfaces: {1: {l2xc: a.2}, 2: {l2xc: a.1}}}}", [("l2xc-tags", "a")]),
        ("{a: {sub-interfaces: {1: {l2xc: a.1}}}}", [("l2xc-self", "a")]),
        ("{a: {l2xc: a.1, sub-interfaces: {1: {l2xc: a}}}}", [("l2xc-with-subs", "a")]),
    ],
)
def test_what_a_cross_connect_may_point_to(text: str, expected: list[tuple[str, str]]) -> None:
    assert found_in(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SUBS.format("", ""), [("l2xc-tags", "a")]),
        (SUBS.format(POP, ""), [("l2xc-tags", "a")]),
        (SUBS.format(POP, POP), []),
        (SUBS.format(TO_2, ""), []),
    ],
)
def test_what_a_cross_connect_does_to_frames_is_warned_of(text: str, expected: list[tuple[str, str]]) -> None:
    assert found_in(text) == expected


TAGS = ("{ dot1q: 150 }", "{ dot1ad: 200 }", "{ dot1q: 100, inner-dot1q: 7 }", "{ dot1ad: 100, inner-dot1q: 7 }")


@pytest.mark.parametrize(("one", "other"), [(one, other) for one in TAGS for other in TAGS if one < other])
def test_the_advice_for_tags_mends_them(one: str, other: str) -> None:
    lines = ["interfaces:", " a:", "  sub-interfaces:", f"   1: {{ l2xc: b.2, encapsulation: {one} }}"]
    lines += [" b:", "  sub-interfaces:", f"   2: {{ l2xc: a.1, encapsulation: {other} }}"]
    (warning,) = parse_text("\n".join(lines), "test").problems
    pops = re.findall(r"`(tag-rewrite: \{ pop: \d \})` on (both ends|a\.1|b\.2)", warning.text)
    for rewrite, end in pops:
        for row in (3,) if end == "a.1" else (6,) if end == "b.2" else (3, 6):
            lines[row] = f"{lines[row].removesuffix(' }')} , {rewrite} }}"
    assert pops
    assert not parse_text("\n".join(lines), "test").problems


@pytest.mark.parametrize(
    ("flaw", "others"), [("mtu: 1", []), ("mut: 9000", []), ("state: UP", ["l2xc-mtu"]), ("lcp: 0E", ["l2xc-mtu"])]
)
def test_an_end_with_a_problem_of_its_own_is_judged_by_what_does_not_depend_on_it(flaw: str, others: list[str]) -> None:
    rules = [rule for rule, _ in found_in(f"{{a: {{l2xc: b, mtu: 9000}}, b: {{l2xc: a, {flaw}}}}}")]
    assert list(dict.fromkeys(rule for rule in rules if not rule.startswith("schema-"))) == others
