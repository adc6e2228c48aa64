"""Rules about mirroring."""

import pytest

from vppcfg.config.load import parse_text


def rules_in(text: str) -> list[str]:
    return [problem.rule for problem in parse_text(text, "file").to_act_on]


@pytest.mark.parametrize(
    ("interfaces", "rules"),
    [
        ("a: {mirror: {a: both}}", ["mirror-self"]),
        ("a: {mirror: {x: both}}", ["mirror-target-missing"]),
        ("a: {mirror: {b: {l2: true}}}", ["mirror-l2"]),
        ("a: {sub-interfaces: {7: {mirror: {b: input}}}}", ["mirror-not-port"]),
        ("a: {mirror: {b.7: both}}, b: {sub-interfaces: {7: {state: up}}}", ["mirror-target-not-port"]),
        ("a: {mirror: {b: input}}", []),
    ],
)
def test_mirrors(interfaces: str, rules: list[str]) -> None:
    rest = "" if "b: {sub" in interfaces else ", b: {}"
    assert rules_in(f"interfaces: {{{interfaces}{rest}}}") == rules


def test_a_loopback_has_no_mirror() -> None:
    assert rules_in("interfaces: {a: {}}\nloopbacks: {loop0: {mirror: {a: both}}}") != []
