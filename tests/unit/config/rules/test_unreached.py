"""Rules about what has no effect: terms and lists that no packet reaches, and what nothing in a file uses."""

import pytest

from vppcfg.config.load import parse_text
from vppcfg.model.problem import KeyPath, Severity

ALL, ALL4, ALL6 = "{action: permit}", "{action: deny, family: ipv4}", "{action: deny, source: '::/0'}"
SOME, SOME4, SOME6 = (
    "{action: permit, protocol: tcp}",
    "{action: deny, source: 10.0.0.0/8}",
    "{action: deny, source: fd00::/8}",
)


def found_in(text: str, severity: Severity = Severity.WARNING) -> list[tuple[str, KeyPath]]:
    return [(each.rule, each.path) for each in parse_text(text, "file").problems if each.severity is severity]


def acls(**lists: str) -> str:
    return f"acls: {{{', '.join(f'{name}: {{terms: [{terms}]}}' for name, terms in lists.items())}}}\n"


@pytest.mark.parametrize(
    ("terms", "unreached"),
    [
        ((SOME, ALL), None),
        ((ALL, SOME), 1),
        ((SOME, ALL, SOME4, SOME6), 2),
        ((ALL4, SOME), None),
        ((ALL4, SOME6, SOME4), 2),
        ((ALL4, ALL6, SOME), 2),
        (("{action: permit, source: 0.0.0.0/0, destination: 10.0.0.0/8}", SOME4), None),
        (("{action: permit+reflect}", ALL), 1),
    ],
)
def test_terms_below_one_that_takes_all_of_their_families(terms: tuple[str, ...], unreached: int | None) -> None:
    expected = [] if unreached is None else [("acl-term-unreached", ("acls", "a", "terms", unreached))]
    assert found_in(acls(a=", ".join(terms))) == expected


def test_what_nothing_uses_is_noticed() -> None:
    text = "vrfs: {red: {id: 1}}\nprefixlists: {home: {members: [192.0.2.1]}}\n" + acls(a=SOME)
    text += "macip_acls: {m: {terms: [{action: permit}]}}\n"
    assert {rule for rule, _ in found_in(text, Severity.NOTICE)} == {
        "vrf-unused", "prefixlist-unused", "acl-unused", "macip-unused",
    }  # fmt: skip


def test_nothing_counts_as_unused_while_something_in_the_file_is_broken() -> None:
    text = "interfaces: {eth0: {acls: {inputt: a}, vrf: {}}}\nvrfs: {red: {id: 1}}\n" + acls(a=SOME)
    assert found_in(text, Severity.NOTICE) == []


@pytest.mark.parametrize(("pattern", "meant"), [("tap", "tap*"), ("bridgedomains", "bd*"), ("VRF", "vrf:*")])
def test_a_word_for_a_kind_is_no_pattern_for_its_objects(pattern: str, meant: str) -> None:
    (problem,) = parse_text(f"unmanaged: [{pattern}, tap0, loop*, wan]", "file").problems
    assert (problem.rule, problem.path) == ("unmanaged-word", ("unmanaged", 0)) and f"`{meant}`" in problem.text
