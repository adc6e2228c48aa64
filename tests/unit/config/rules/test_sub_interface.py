"""Rules about sub-interfaces and their parents."""

import pytest

from vppcfg.config.load import parse_text


def rules_in(port: str, *subs: str) -> list[str]:
    text = f"interfaces: {{eth0: {{{port}sub-interfaces: {{{', '.join(subs)}}}}}}}"
    return [problem.rule for problem in parse_text(text, "test").to_act_on]


def tags(sub_id: int, *keys: str) -> str:
    return f"{sub_id}: {{encapsulation: {{{', '.join(keys)}}}}}"


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ("100: {state: up}", tags(200, "dot1q: 100"), True),
        ("100: {state: up}", tags(200, "dot1q: 100", "exact-match: true"), True),
        (tags(1, "dot1ad: 100"), tags(2, "dot1ad: 100", "exact-match: true"), True),
        (tags(1, "dot1q: 9", "inner-dot1q: 8"), tags(2, "dot1q: 9", "inner-dot1q: 8", "exact-match: true"), True),
        (tags(1, "dot1q: 9"), tags(2, "dot1ad: 9"), False),
        (tags(1, "dot1q: 9"), tags(2, "dot1q: 9", "inner-dot1q: 9"), False),
        (tags(1, "dot1q: 9", "inner-dot1q: 8"), tags(2, "dot1q: 8", "inner-dot1q: 9"), False),
        (tags(1, "dot1q: 9", "inner-dot1q: 8"), tags(2, "dot1ad: 9", "inner-dot1q: 8"), False),
    ],
)
def test_tags_are_unique_by_type_and_vlans_but_not_by_exactness(first: str, second: str, is_same: bool) -> None:
    assert rules_in("", first, second) == (["encap-duplicate"] if is_same else [])
    assert rules_in("", second, first) == (["encap-duplicate"] if is_same else [])


def test_every_further_one_is_named() -> None:
    assert rules_in("", tags(1, "dot1q: 9"), tags(2, "dot1q: 9"), tags(3, "dot1q: 9")) == ["encap-duplicate"] * 2


@pytest.mark.parametrize(
    ("port", "sub", "expected"),
    [
        ("", "{mtu: 1500}", []),
        ("", "{state: down}", []),
        ("state: down, ", "{state: down}", []),
        ("state: down, ", "{state: up}", ["sub-up-parent-down"]),
        ("state: down, ", "{mtu: 1500}", ["sub-up-parent-down"]),
        ("mtu: 9000, ", "{mtu: 9000}", []),
        ("mtu: 9000, ", "{state: up}", []),
        ("mtu: 9000, ", "{mtu: 9001}", ["sub-mtu"]),
        ("", "{mtu: 1501}", ["sub-mtu"]),
    ],
)
def test_state_and_mtu_depend_on_the_parent(port: str, sub: str, expected: list[str]) -> None:
    assert rules_in(port, f"100: {sub}") == expected


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        ("dot1q: 100", "dot1q: 100", ["qinx-mtu"]),
        ("dot1ad: 100", "dot1ad: 100", ["qinx-mtu"]),
        ("dot1ad: 100", "dot1q: 100", []),
        ("dot1q: 200", "dot1q: 100", []),
    ],
)
def test_two_tags_fit_into_one(outer: str, inner: str, expected: list[str]) -> None:
    one = f"1: {{mtu: 1500, encapsulation: {{{outer}}}}}"
    two = f"2: {{mtu: 1600, encapsulation: {{{inner}, inner-dot1q: 5}}}}"
    assert rules_in("mtu: 9000, ", one, two) == expected
    assert rules_in("mtu: 9000, ", two, one) == expected
